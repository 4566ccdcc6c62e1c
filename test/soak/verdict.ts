import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import type { Declared } from "../support/stack";
import { SECRETS, type Managed } from "./kind";
import type { RandomProgram } from "./programs";
import type { List, World } from "./world";

/** What can be wrong with a run. */
export const FAILINGS = [
  "lost",
  "doubled",
  "other",
  "taken",
  "leaked",
  "not empty",
  "failed",
  "left",
  "unknown route",
] as const;

export interface Problem {
  /**
   * `lost`: the program or the state has an object that the service lacks. `doubled`: the service has one that nobody
   * declares. `other`: it holds something else than what was declared. `taken`: someone whom the program declares before
   * an edit and after it was no member, or not invited, in between. `leaked`: a secret stands somewhere in clear.
   * `not empty`: the preview after a run finds something to do. `failed`: an operation without faults did. `left`: an
   * intent was not dropped.
   */
  readonly failing: (typeof FAILINGS)[number];
  readonly what: string;
}

type Lists = Record<List, string[]>;
type Named = Pick<Managed, "name" | "class">;

/** The service holds exactly what the program says, once each, and the state knows all of it. */
export function judge(
  world: World,
  before: Lists,
  program: RandomProgram,
  state: readonly Managed[],
  when: string,
): Problem[] {
  const problems: Problem[] = [];
  const declared = program.declared();
  const isFor = (one: Named, other: Named): boolean => one.name === other.name && one.class === other.class;
  for (const one of declared) {
    const { name, class: kind } = one;
    if (!state.some((other) => isFor(one, other)))
      problems.push({ failing: "lost", what: `${when}: the state lacks ${kind} ${name}` });
  }
  for (const one of state) {
    const { name, class: kind } = one;
    if (!declared.some((other) => isFor(one, other)))
      problems.push({ failing: "doubled", what: `${when}: the state still has ${kind} ${name}` });
  }
  const expected = new Map<string, string[]>();
  for (const resource of state) {
    for (const [list, key] of program.kind(resource.name)?.makes(resource) ?? []) {
      expected.set(list, [...(expected.get(list) ?? []), key]);
    }
    problems.push(...otherThanDeclared(world, program, declared, resource, when));
  }
  problems.push(...againstLists(world, before, expected, program.staying(), when));
  for (const what of world.taken()) problems.push({ failing: "taken", what: `${when}: ${what}` });
  return problems;
}

/** After everything was destroyed. */
export function judgeNothing(
  world: World,
  before: Lists,
  program: RandomProgram,
  state: readonly Managed[],
): Problem[] {
  const left = state.map(({ name, class: kind }): Problem => ({
    failing: "doubled",
    what: `after destroy: the state still has ${kind} ${name}`,
  }));
  return [...left, ...againstLists(world, before, new Map(), program.staying(), "after destroy")];
}

function againstLists(
  world: World,
  before: Lists,
  expected: ReadonlyMap<string, readonly string[]>,
  staying: ReadonlyMap<string, number>,
  when: string,
): Problem[] {
  const problems: Problem[] = [];
  for (const [list, found] of Object.entries(world.lists())) {
    const wanted = expected.get(list) ?? [];
    const extra = without(without(found, before[list as List]), wanted); // a key of the very record
    const missing = without(wanted, found);
    if (missing.length > 0)
      problems.push({ failing: "lost", what: `${when}: ${list} lack ${missing.join(", ")}` });
    const stays = staying.get(list);
    // What was moved stays where it is.
    const allowed = list === "tiles" ? extra.length : stays === undefined ? 0 : stays - wanted.length;
    if (extra.length > allowed)
      problems.push({ failing: "doubled", what: `${when}: ${list} hold ${extra.join(", ")} besides` });
    if (extra.length < allowed)
      problems.push({ failing: "lost", what: `${when}: ${list} lack ${allowed - extra.length}` });
  }
  return problems;
}

/** Each member of `from` that `taken` does not account for, one for one. */
function without(from: readonly string[], taken: readonly string[]): string[] {
  const left = [...from];
  for (const key of taken) {
    const index = left.indexOf(key);
    if (index >= 0) left.splice(index, 1);
  }
  return left;
}

const LEVELS: Readonly<Record<string, number>> = {
  member: 1,
  admin: 8,
  owner: 15,
  everyone: 21,
  collaborators: 37,
};

function otherThanDeclared(
  world: World,
  program: RandomProgram,
  declared: readonly Declared[],
  resource: Managed,
  when: string,
): Problem[] {
  const shown = program.kind(resource.name)?.shows?.(world, resource.id);
  const args = declared.find(({ name }) => name === resource.name)?.args ?? {};
  if (shown === undefined) return [];
  return Object.entries(shown).flatMap(([name, value]) => {
    if (!(name in args) || isWaiting(resource, name)) return [];
    const [is, wanted] = [canonical(value), canonical(args[name])];
    return is === wanted
      ? []
      : [
          {
            failing: "other",
            what: `${when}: ${resource.class} ${resource.name} has ${name} ${is}, not ${wanted}`,
          } as const,
        ];
  });
}

/** Login arguments wait until their domain is verified. */
function isWaiting({ class: kind }: Managed, name: string): boolean {
  return kind === "Domain" && name === "jitProvisioningEnabled";
}

function canonical(value: unknown): string {
  if (typeof value === "object" && value !== null && "$secret" in value) return canonical(value.$secret);
  if (typeof value === "string" && value in LEVELS) return String(LEVELS[value]);
  if (Array.isArray(value)) return JSON.stringify(value.map((one) => String(one).toLowerCase()).sort());
  return value === null ? '""' : JSON.stringify(value);
}

/** Places where a secret stands in clear. */
export function leaks(
  texts: readonly { readonly name: string; readonly text: string }[],
  key: string,
): Problem[] {
  return [...SECRETS, key].flatMap((hidden) => {
    const places = texts.filter(({ text }) => text.includes(hidden)).map(({ name }) => name);
    return places.length === 0
      ? []
      : [{ failing: "leaked", what: `${hidden.slice(0, 9)}… stands in ${places.join(", ")}` } as const];
  });
}

/** Every file below a folder, except where the path says that it may hold what it likes. */
export function filesBelow(folder: string, except: RegExp): { name: string; text: string }[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { withFileTypes: true, recursive: true }).flatMap((entry) => {
    const path = join(entry.parentPath, entry.name);
    return entry.isFile() && !except.test(relative(folder, path))
      ? [{ name: relative(folder, path), text: readFileSync(path, "utf8") }]
      : [];
  });
}

/** What was written down and nobody needs any more, since the state knows everything. What was cut off was nothing. */
export function leftBehind(folder: string): Problem[] {
  const checkpoints = join(folder, ".pulumi-posthog");
  const intents = filesBelow(join(checkpoints, "intents"), /^$/).filter(({ text }) => text.includes("\n"));
  const updates = filesBelow(join(checkpoints, "updates"), /^(?!.*\.json$)/);
  return [...intents, ...updates].map(({ name, text }) => ({ failing: "left", what: `${name}: ${text}` }));
}
