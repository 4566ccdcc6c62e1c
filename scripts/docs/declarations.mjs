// @ts-check
// What the package's own declaration files say: the same that a user's editor shows.
import ts from "typescript";

/**
 * @typedef {object} Member
 * @property {string} name
 * @property {string} text Its documentation, as one paragraph.
 * @property {string} type As a person would write it.
 * @property {boolean} needed
 * @property {Part[]} parts What its value consists of, where that is documented too.
 * @property {{ file: string, at: number }} place Where it is declared.
 *
 * @typedef {object} Part
 * @property {string} path Where in the value it stands, such as `[]` or `.config`.
 * @property {string} [when] Which of several forms it describes.
 * @property {Member[]} members
 *
 * @typedef {object} Documented
 * @property {string} text
 * @property {string} [example]
 * @property {string[]} remarks
 * @property {string} destroy What becomes of a resource's object when the program no longer has it.
 */

/** Deeper is nothing documented. */
const DEPTH = 4;

/** Reads names out of the declaration file of the package. */
export class Declarations {
  /** @param {string} file */
  constructor(file) {
    const program = ts.createProgram([file], {
      strict: true,
      module: ts.ModuleKind.Node16,
      moduleResolution: ts.ModuleResolutionKind.Node16,
      target: ts.ScriptTarget.ES2022,
      types: ["node"],
    });
    this.checker = program.getTypeChecker();
    const source = program.getSourceFile(file);
    const module = source && this.checker.getSymbolAtLocation(source);
    if (module === undefined) throw new Error(`${file} declares nothing`);
    /** @type {Map<string, ts.Symbol>} */
    this.exports = new Map(this.checker.getExportsOfModule(module).map((symbol) => [symbol.name, symbol]));
  }

  /** Names of everything that is exported. */
  names() {
    return [...this.exports.keys()];
  }

  /** @param {string} name @returns {Documented} */
  documented(name) {
    const symbol = this.symbol(name);
    const tags = symbol.getJsDocTags(this.checker);
    /** @param {string} wanted */
    const texts = (wanted) =>
      tags.filter((tag) => tag.name === wanted).map((tag) => ts.displayPartsToString(tag.text));
    const [example] = texts("example");
    const [destroy = "deleted"] = texts("destroy").map(plain);
    return {
      text: plain(ts.displayPartsToString(symbol.getDocumentationComment(this.checker))),
      ...(example === undefined ? {} : { example }),
      remarks: texts("remarks").map(plain),
      destroy,
    };
  }

  /** The members of an interface or type. @param {string} name */
  members(name) {
    return this.membersOf(this.checker.getDeclaredTypeOfSymbol(this.symbol(name)), 0);
  }

  /** What an instance of a class has beside what every resource has. @param {string} name */
  outputs(name) {
    const instance = this.checker.getDeclaredTypeOfSymbol(this.symbol(name));
    const common = new Set(["id", "urn", "getProvider", "initialize", "getData", "registerOutputs"]);
    return this.membersOf(instance, 0).filter(
      ({ name: member }) => !common.has(member) && !member.startsWith("__"),
    );
  }

  /** Arguments and result of a function. @param {string} name */
  call(name) {
    const symbol = this.symbol(name);
    const type = this.checker.getTypeOfSymbol(symbol);
    const [signature] = type.getCallSignatures();
    if (signature === undefined) throw new Error(`${name} is no function`);
    const [parameter] = signature.getParameters();
    const args = parameter && this.checker.getTypeOfSymbol(parameter);
    return {
      args: args === undefined ? [] : this.membersOf(args, 0),
      result: this.value(unwrapped(this.checker, signature.getReturnType()), DEPTH - 2),
    };
  }

  /** @param {string} name */
  symbol(name) {
    const symbol = this.exports.get(name);
    if (symbol === undefined) throw new Error(`the package exports no ${name}`);
    return symbol.flags & ts.SymbolFlags.Alias ? this.checker.getAliasedSymbol(symbol) : symbol;
  }

  /** @param {ts.Type} type @param {number} depth @returns {Member[]} */
  membersOf(type, depth) {
    return this.checker.getPropertiesOfType(type).map((symbol) => {
      const given = this.checker.getTypeOfSymbol(symbol);
      const { text, parts } = this.value(unwrapped(this.checker, given), depth);
      return {
        name: symbol.name,
        text: plain(ts.displayPartsToString(symbol.getDocumentationComment(this.checker))),
        type: text,
        needed: (symbol.flags & ts.SymbolFlags.Optional) === 0,
        parts,
        place: placeOf(symbol),
      };
    });
  }

  /**
   * How a value is written, and what it consists of.
   *
   * @param {readonly ts.Type[]} forms
   * @param {number} depth
   * @returns {{ text: string, parts: Part[] }}
   */
  value(forms, depth) {
    const { checker } = this;
    const texts = new Set();
    /** @type {Part[]} */
    const parts = [];
    const records = forms.filter((form) => this.isRecord(form));
    for (const form of forms) {
      if (records.includes(form)) {
        texts.add("object");
        if (depth >= DEPTH) continue;
        const members = this.membersOf(form, depth + 1);
        const kind = members.find(({ name }) => name === "type");
        const when = records.length > 1 ? (kind?.type.startsWith('"') ? kind.type : "any other") : undefined;
        parts.push({ path: "", members, ...(when === undefined ? {} : { when }) });
      } else if (checker.isArrayType(form)) {
        const [member] = checker.getTypeArguments(/** @type {ts.TypeReference} */ (form));
        const inner = this.value(member === undefined ? [] : unwrapped(checker, member), depth);
        texts.add(`list of ${inner.text}`);
        parts.push(...inner.parts.map((part) => ({ ...part, path: `[]${part.path}` })));
      } else texts.add(nameOf(checker, form));
    }
    if (texts.delete("true") && texts.delete("false")) texts.add("boolean");
    parts.sort((a, b) => rank(a) - rank(b) || inOrder(a.when ?? "", b.when ?? ""));
    return { text: [...texts].sort(inOrder).join(" | "), parts };
  }

  /** Whether a value is an object whose keys are declared here. @param {ts.Type} type */
  isRecord(type) {
    if ((type.flags & (ts.TypeFlags.Object | ts.TypeFlags.Intersection)) === 0) return false;
    if (this.checker.isArrayType(type) || type.getCallSignatures().length > 0) return false;
    const named = type.aliasSymbol ?? type.getSymbol();
    const isTheirs = named?.declarations?.some((at) =>
      /[\\/]node_modules[\\/]@pulumi/.test(at.getSourceFile().fileName),
    );
    const isResource = type.getProperty("urn") !== undefined;
    return isTheirs !== true && !isResource && this.checker.getPropertiesOfType(type).length > 0;
  }
}

/**
 * The forms of a value without the promises and outputs that it may be lifted by.
 *
 * @param {ts.TypeChecker} checker
 * @param {ts.Type} type
 * @returns {ts.Type[]}
 */
function unwrapped(checker, type) {
  const all = type.isUnion() ? type.types : [type];
  const forms = all.filter((form) => (form.flags & (ts.TypeFlags.Undefined | ts.TypeFlags.Null)) === 0);
  const isLifted = forms.some((form) => wrapper(form) === undefined);
  return forms.flatMap((form, index) => {
    if (wrapper(form) === undefined) return [form];
    // Beside the value itself the wrapped forms say nothing more; alone each of them is the value.
    if (isLifted || index > 0) return [];
    const target = form.isIntersection() ? form.types.find((one) => wrapper(one) !== undefined) : form;
    const [value] = checker.getTypeArguments(/** @type {ts.TypeReference} */ (target));
    return value === undefined ? [] : unwrapped(checker, value);
  });
}

/** @param {ts.Type} type @returns {string | undefined} */
function wrapper(type) {
  if (type.isIntersection()) return type.types.map(wrapper).find((name) => name !== undefined);
  const name = type.getSymbol()?.name;
  return name === "OutputInstance" || name === "Promise" ? name : undefined;
}

/** Known forms by their names, the one for all others last. @param {Part} part */
const rank = ({ when }) => (when === undefined ? 0 : when.startsWith('"') ? 1 : 2);

/** The compiler's own order changes with what it saw before. @param {string} a @param {string} b */
function inOrder(a, b) {
  const [first, second] = [Number(a), Number(b)];
  if (!Number.isNaN(first) && !Number.isNaN(second)) return first - second;
  return a < b ? -1 : 1;
}

/** @param {ts.TypeChecker} checker @param {ts.Type} type @returns {string} */
function nameOf(checker, type) {
  if (type.flags & (ts.TypeFlags.Unknown | ts.TypeFlags.Any)) return "any JSON";
  if (type.flags & ts.TypeFlags.TemplateLiteral) return "string";
  if (type.flags & ts.TypeFlags.Object && type.getStringIndexType() !== undefined) {
    const values = unwrapped(checker, /** @type {ts.Type} */ (type.getStringIndexType()));
    return `map of ${
      values
        .map((value) => nameOf(checker, value))
        .sort(inOrder)
        .join(" | ") || "any JSON"
    }`;
  }
  if (type.getCallSignatures().length > 0) return "function";
  return checker.typeToString(type);
}

/** @param {ts.Symbol} symbol */
function placeOf(symbol) {
  const [first] = symbol.declarations ?? [];
  return { file: first?.getSourceFile().fileName ?? "", at: first?.getStart() ?? 0 };
}

/** A comment as it stands in a page. @param {string} text */
function plain(text) {
  return text
    .replaceAll(/\{@link (\w+(?:\.\w+)?)\}/g, "`$1`")
    .replaceAll(/([^\n])\n(?!\n)/g, "$1 ")
    .trim();
}
