import { wireName } from "../engine/values/names";
import { labelOf, type Existing } from "./existing";
import { KINDS } from "./kinds";

/** What a resource is called. */
export interface Named {
  /** Its logical name, which the stack's state knows it by. */
  readonly name: string;
  /** Its variable in the program. */
  readonly identifier: string;
}

const MOST_CHARACTERS = 48;
const LONG_ENOUGH = 24;

/** Words that cannot be a variable of a module, or that mean something else in one. */
// prettier-ignore
const RESERVED: ReadonlySet<string> = new Set([
  "abstract", "any", "arguments", "as", "async", "await", "boolean", "break", "case", "catch", "class", "config",
  "const", "constructor", "continue", "debugger", "declare", "default", "delete", "do", "else", "enum", "eval",
  "export", "exports", "extends", "false", "finally", "for", "from", "function", "get", "global", "globalThis", "if",
  "implements", "import", "in", "infinity", "instanceof", "interface", "is", "keyof", "let", "module", "namespace",
  "never", "new", "null", "number", "object", "of", "package", "posthog", "private", "process", "promise", "protected",
  "public", "pulumi", "readonly", "require", "return", "satisfies", "set", "static", "string", "super", "switch",
  "symbol", "then", "this", "throw", "true", "try", "type", "typeof", "undefined", "unique", "unknown", "using", "var",
  "void", "while", "with", "yield",
]);

/** Letters and digits of any script with single hyphens between words; "" where there are none. */
export function slug(text: string): string {
  const plain = text
    .toLowerCase()
    .normalize("NFKD")
    // Accents of Latin letters, and what makes an emoji of a sign before it.
    .replace(/[\u0300-\u036f]|[\u20d0-\u20ff]|[\ufe00-\ufe0f]/gu, "")
    .normalize("NFC")
    .replace(/[^\p{L}\p{Nd}\p{M}]+/gu, "-")
    .replace(/(^|-)\p{M}+/gu, "$1")
    .replace(/-+/g, "-")
    .replace(/^-|-$/g, "");
  const characters = [...plain];
  if (characters.length <= MOST_CHARACTERS) return plain;
  const cut = characters.slice(0, MOST_CHARACTERS).join("");
  const end = cut.lastIndexOf("-");
  return end >= LONG_ENOUGH ? cut.slice(0, end) : cut;
}

/** A name of words with hyphens as a variable; undefined where it cannot be one. */
export function identifierOf(name: string): string | undefined {
  const [first = "", ...rest] = name.split(/[^\p{L}\p{Nd}\p{M}]+/u).filter((word) => word !== "");
  const identifier = first + rest.map(capitalised).join("");
  const isIdentifier = /^\p{ID_Start}\p{ID_Continue}*$/u.test(identifier);
  return isIdentifier && !RESERVED.has(identifier) ? identifier : undefined;
}

function capitalised(word: string): string {
  const [first = "", ...rest] = [...word];
  return first.toUpperCase() + rest.join("");
}

/** The variable that stands for a whole file of the program. */
export function fileVariable(area: string): string {
  return identifierOf(area) ?? `${area.replace(/\W/g, "")}File`;
}

/** Gives out names, each once: logical names once for each kind, variables once in the whole program. */
export class Names {
  private readonly names = new Set<string>();
  private readonly identifiers = new Set(KINDS.map(({ area }) => fileVariable(area)));
  private readonly given = new Map<string, Named>();

  /** @param known names of an earlier run, which stay */
  constructor(known: ReadonlyMap<string, Named>) {
    for (const [key, named] of known) this.take(key, named);
  }

  /** The names of an object, the same whenever they are asked for. */
  of(existing: Existing, projectName: string | undefined): Named {
    const known = this.given.get(existing.key);
    if (known !== undefined) return known;
    const { type } = existing.kind;
    const base = this.baseOf(existing);
    const short = shortId(existing.id);
    const candidates = [
      base,
      ...(projectName === undefined ? [] : [`${base}-${slug(projectName)}`]),
      `${base}-${short}`,
    ];
    const name = firstFree(candidates, (candidate) => !this.names.has(`${type} ${candidate}`));
    const kindName = hyphenated(type);
    const identifier = firstFree(
      [name, `${name}-${suffixOf(existing)}`, `${kindName}-${name}`, `${kindName}-${short}`],
      (candidate) => {
        const found = identifierOf(candidate);
        return found !== undefined && !this.identifiers.has(found);
      },
    );
    return this.take(existing.key, { name, identifier: identifierOf(identifier) ?? identifier });
  }

  /** A variable for something that is no resource. */
  variable(key: string, wanted: string, fallback: string): string {
    const known = this.given.get(key);
    if (known !== undefined) return known.identifier;
    const candidate = firstFree([wanted, fallback], (one) => {
      const found = identifierOf(one);
      return found !== undefined && !this.identifiers.has(found);
    });
    const identifier = identifierOf(candidate) ?? candidate;
    return this.take(key, { name: identifier, identifier }).identifier;
  }

  /** Every name that was given out, by key. */
  all(): ReadonlyMap<string, Named> {
    return this.given;
  }

  private take(key: string, named: Named): Named {
    this.names.add(`${key.split(" ")[0] ?? ""} ${named.name}`);
    this.identifiers.add(named.identifier);
    this.given.set(key, named);
    return named;
  }

  private baseOf(existing: Existing): string {
    const { kind, object, id, parent } = existing;
    // A person is called by what stands before the @.
    const label = labelOf(object, id).replace(/^([^@\s]+)@[^@\s]+$/, "$1");
    const own = (label === id ? "" : slug(label)) || `${hyphenated(kind.type)}-${shortId(id)}`;
    const owner = parent === undefined ? undefined : this.given.get(parent.key)?.name;
    return owner === undefined || owner === own ? (owner ?? own) : `${owner}-${own}`;
  }
}

function suffixOf({ kind }: Existing): string {
  const owner = kind.parent?.type;
  const rest = owner !== undefined && kind.type.startsWith(owner) ? kind.type.slice(owner.length) : kind.type;
  return hyphenated(rest);
}

function hyphenated(type: string): string {
  return wireName(type).replaceAll("_", "-");
}

/** A number as it is; of a UUID as much as tells it apart in practice. */
function shortId(id: string): string {
  const last = id.slice(id.lastIndexOf("/") + 1);
  return slug(/^[0-9a-f]{8}-/i.test(last) ? last.slice(0, 8) : last);
}

function firstFree(candidates: readonly string[], isFree: (candidate: string) => boolean): string {
  const found = candidates.find(isFree);
  if (found !== undefined) return found;
  const last = candidates.at(-1) ?? "";
  for (let number = 2; ; number++) {
    if (isFree(`${last}-${String(number)}`)) return `${last}-${String(number)}`;
  }
}
