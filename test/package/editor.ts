import { join } from "node:path";
import ts from "typescript";
import { ROOT } from "../support/engine";

/** How the programs of users are compiled, beside `strict`. */
export interface Setting {
  readonly module: ts.ModuleKind;
  readonly moduleResolution: ts.ModuleResolutionKind;
}

/** What programs of Pulumi's own templates use. */
export const NODE16: Setting = {
  module: ts.ModuleKind.Node16,
  moduleResolution: ts.ModuleResolutionKind.Node16,
};

/** What an editor shows at a place. */
export interface Shown {
  readonly text: string;
  readonly documentation: string;
}

/**
 * An editor with one TypeScript file open that uses the built package as its users do: by name, through the
 * declaration files. A comment that holds nothing but `?` marks a name to hover over, one with `|` a place to
 * complete at; both are counted from 0.
 */
export class Editor {
  private readonly service: ts.LanguageService;
  private readonly file: string;
  private readonly hovers: number[] = [];
  private readonly completions: number[] = [];

  constructor(marked: string, setting: Setting = NODE16, folder = join(ROOT, "examples")) {
    let text = "";
    let last = 0;
    for (const mark of marked.matchAll(/\/\*([?|])\*\//g)) {
      text += marked.slice(last, mark.index);
      (mark[1] === "?" ? this.hovers : this.completions).push(text.length);
      last = mark.index + mark[0].length;
    }
    text += marked.slice(last);
    this.file = join(folder, `in-the-editor-${++opened}.ts`);
    const options: ts.CompilerOptions = {
      ...setting,
      strict: true,
      exactOptionalPropertyTypes: true,
      noUncheckedIndexedAccess: true,
      target: ts.ScriptTarget.ES2022,
      types: ["node"],
      noEmit: true,
      // The declaration files of this package are looked at by `declarationErrors`.
      skipLibCheck: false,
    };
    const read = (name: string): string | undefined => (name === this.file ? text : ts.sys.readFile(name));
    this.service = ts.createLanguageService(
      {
        getScriptFileNames: () => [this.file],
        getScriptVersion: () => "1",
        getScriptSnapshot: (name) => {
          const found = read(name);
          return found === undefined ? undefined : ts.ScriptSnapshot.fromString(found);
        },
        getCurrentDirectory: () => folder,
        getCompilationSettings: () => options,
        getDefaultLibFileName: ts.getDefaultLibFilePath,
        fileExists: (name) => name === this.file || ts.sys.fileExists(name),
        readFile: read,
        readDirectory: ts.sys.readDirectory,
        directoryExists: ts.sys.directoryExists,
        getDirectories: ts.sys.getDirectories,
        ...(ts.sys.realpath ? { realpath: ts.sys.realpath } : {}),
      },
      registry,
    );
  }

  /** Errors as `line: message`. */
  errors(): string[] {
    const found = [
      ...this.service.getSyntacticDiagnostics(this.file),
      ...this.service.getSemanticDiagnostics(this.file),
    ];
    return found.map((one) => `${lineOf(one)}: ${messageOf(one)}`);
  }

  /** Errors in the declaration files of this package that the program loads, which no user can mend. */
  declarationErrors(): { readonly files: number; readonly errors: string[] } {
    const files = (this.service.getProgram()?.getSourceFiles() ?? [])
      .map(({ fileName }) => fileName)
      .filter((name) => /[\\/]node_modules[\\/]pulumi-posthog[\\/]/.test(name));
    const errors = files.flatMap((name) => this.service.getSemanticDiagnostics(name));
    return {
      files: files.length,
      errors: errors.map((one) => `${one.file?.fileName}:${lineOf(one)}: ${messageOf(one)}`),
    };
  }

  hover(index: number): Shown {
    const info = this.service.getQuickInfoAtPosition(this.file, at(this.hovers, index));
    if (!info) throw new Error(`nothing to hover over at mark ${index}`);
    return shown(info.displayParts, info.documentation);
  }

  /** What is offered, without the methods that a promise or an output would have there. */
  complete(index: number): string[] {
    const offered = this.service.getCompletionsAtPosition(this.file, at(this.completions, index), {});
    return (offered?.entries ?? [])
      .filter(
        ({ kind }) =>
          kind !== ts.ScriptElementKind.memberFunctionElement && kind !== ts.ScriptElementKind.keyword,
      )
      .map(({ name }) => name)
      .sort();
  }

  /** What is shown beside an offered name. */
  offered(index: number, name: string): Shown {
    const position = at(this.completions, index);
    const found = this.service.getCompletionEntryDetails(
      this.file,
      position,
      name,
      {},
      undefined,
      {},
      undefined,
    );
    if (!found) throw new Error(`${name} is not offered at mark ${index}`);
    return shown(found.displayParts, found.documentation);
  }
}

/** Parsed files, kept for all editors of a test file: hence a name of its own for each. */
const registry = ts.createDocumentRegistry();
let opened = 0;

function shown(text: ts.SymbolDisplayPart[] = [], documentation: ts.SymbolDisplayPart[] = []): Shown {
  return { text: ts.displayPartsToString(text), documentation: ts.displayPartsToString(documentation) };
}

function lineOf({ file, start = 0 }: ts.Diagnostic): number {
  return file ? ts.getLineAndCharacterOfPosition(file, start).line + 1 : 0;
}

function messageOf({ messageText }: ts.Diagnostic): string {
  return ts.flattenDiagnosticMessageText(messageText, "\n");
}

function at(marks: readonly number[], index: number): number {
  const position = marks[index];
  if (position === undefined) throw new Error(`there is no mark ${index}`);
  return position;
}
