import { join } from "node:path";
import ts from "typescript";
import { ROOT } from "../support/engine";

/** What examples use besides this package, as its own declarations say it. */
const OTHERS = `
declare module "@pulumi/cloudflare" {
  import * as pulumi from "@pulumi/pulumi";
  export class DnsRecord extends pulumi.CustomResource {
    constructor(
      name: string,
      args: {
        type: pulumi.Input<string>;
        name: pulumi.Input<string | undefined>;
        content: pulumi.Input<string | undefined>;
        ttl: pulumi.Input<number>;
        zoneId: pulumi.Input<string>;
      },
      opts?: pulumi.CustomResourceOptions,
    );
  }
}
`;

/**
 * What the compiler of a user says to programs, by their names: all in one go, as each alone would load the same
 * declaration files again.
 */
export function errorsOf(programs: readonly { name: string; text: string }[]): Map<string, string[]> {
  const folder = join(ROOT, "examples");
  const fileOf = new Map(programs.map(({ name }, index) => [join(folder, `of-docs-${index}.ts`), name]));
  const texts = new Map(programs.map(({ text }, index) => [join(folder, `of-docs-${index}.ts`), text]));
  texts.set(join(folder, "of-docs-others.d.ts"), OTHERS);
  const options: ts.CompilerOptions = {
    module: ts.ModuleKind.Node16,
    moduleResolution: ts.ModuleResolutionKind.Node16,
    target: ts.ScriptTarget.ES2022,
    strict: true,
    exactOptionalPropertyTypes: true,
    noUncheckedIndexedAccess: true,
    noUnusedLocals: true,
    types: ["node"],
    noEmit: true,
    skipLibCheck: true,
  };
  const host = ts.createCompilerHost(options);
  const read = host.readFile.bind(host);
  const open = host.getSourceFile.bind(host);
  host.fileExists = (name) => texts.has(name) || ts.sys.fileExists(name);
  host.readFile = (name) => texts.get(name) ?? read(name);
  host.getSourceFile = (name, ...rest) => {
    const text = texts.get(name);
    return text === undefined
      ? open(name, ...rest)
      : ts.createSourceFile(name, text, ts.ScriptTarget.ES2022, true);
  };
  const program = ts.createProgram([...texts.keys()], options, host);
  const found = new Map(programs.map(({ name }) => [name, [] as string[]]));
  for (const one of ts.getPreEmitDiagnostics(program)) {
    const name = fileOf.get(one.file?.fileName ?? "") ?? "elsewhere";
    const line = one.file === undefined ? 0 : one.file.getLineAndCharacterOfPosition(one.start ?? 0).line + 1;
    const said = `${line}: ${ts.flattenDiagnosticMessageText(one.messageText, "\n")}`;
    found.set(name, [...(found.get(name) ?? []), said]);
  }
  return found;
}
