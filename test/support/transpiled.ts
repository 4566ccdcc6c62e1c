import ts from "typescript";

/** A TypeScript program as the JavaScript that a stack of the tests runs; it is type-checked elsewhere. */
export function transpiled(text: string): string {
  const { outputText } = ts.transpileModule(text, {
    compilerOptions: {
      target: ts.ScriptTarget.ES2022,
      module: ts.ModuleKind.CommonJS,
      esModuleInterop: true,
    },
  });
  return outputText;
}
