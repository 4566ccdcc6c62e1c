import { loadavg } from "node:os";
import { LEFT_OUT } from "../../../src/generate/kinds";
import { definitions } from "../../../src/resources/definitions";
import { HUSHED, openAccount, type Account } from "../../generate/account";
import { ProgramFolder } from "../../generate/folder";
import { writes } from "../../support/emulator";
import type { Ended } from "../../support/spawned";
import type { Run } from "../../support/stack";
import { fillWithMany } from "./seed";

/** How long each answer of the service takes. */
const LATENCY_MS = 20;
const MEMBERS = 100;
/** Far above what an operation on so many resources takes on a busy machine. */
const OPERATION_MS = 1_200_000;

/** What taking over a large organization came to: the file that is kept. */
export interface TakeOver {
  readonly latencyMs: number;
  readonly plain: boolean;
  /** Of the machine, at the end: over 1, 5 and 15 minutes. */
  readonly loadAverage: readonly number[];
  /** Resources of the program, and how many of each kind. */
  readonly resources: number;
  readonly kinds: Readonly<Record<string, number>>;
  /** Lines of each file of the program. */
  readonly lines: Readonly<Record<string, number>>;
  /** `up` with its preview, `preview` with `--refresh --expect-no-changes`; what follows counts for nothing. */
  readonly seconds: {
    readonly generate: number;
    readonly up: number;
    readonly preview: number;
    readonly together: number;
    readonly generateAgain: number;
  };
  /** Requests that the service got; the writes among them are a problem each. */
  readonly requests: { readonly generate: number; readonly up: number; readonly preview: number };
  /** What was wrong; empty where everything is as it should be. */
  readonly problems: readonly string[];
}

export interface TakeOverOptions {
  /** Told what each step took. */
  say(line: string): void;
  /** Whether `up` writes the state at each step, and not once, as the program's README advises; false. */
  readonly plain?: boolean;
}

/** Generates the program of a large organization and takes the organization over with it. */
export async function takeOver(options: TakeOverOptions): Promise<TakeOver> {
  const account = await openAccount({ latency: LATENCY_MS, members: MEMBERS, projects: 1 });
  const folder = new ProgramFolder(account.emulator);
  try {
    await fillWithMany(account);
    return await measured(account, folder, options);
  } finally {
    folder.close();
    await account.emulator.close();
  }
}

async function measured(
  { emulator }: Account,
  folder: ProgramFolder,
  { say, plain = false }: TakeOverOptions,
): Promise<TakeOver> {
  const problems: string[] = [];
  const steps: Record<string, { seconds: number; requests: number }> = {};
  const step = async <T extends Ended>(name: string, run: () => Promise<T>): Promise<T> => {
    emulator.clearRequests();
    const began = process.hrtime.bigint();
    const ended = await run();
    const seconds = Math.round(Number(process.hrtime.bigint() - began) / 1e8) / 10;
    steps[name] = { seconds, requests: emulator.requests.length };
    say(`${name}: ${seconds} s, ${emulator.requests.length} requests`);
    if (ended.code !== 0) problems.push(`${name} ended with ${ended.code}: ${ended.output.slice(-2000)}`);
    for (const { method, path } of writes(emulator)) problems.push(`${name} sent ${method} ${path}`);
    return ended;
  };

  const generated = await step("generate", () => folder.generate());
  const files = folder.files();
  const resources = folder.resources();
  const kinds = countOf(resources);
  for (const { type } of definitions)
    if (!(type in LEFT_OUT) && kinds[type] === undefined) problems.push(`no ${type} was written`);
  for (const text of [...Object.values(files), generated.output])
    for (const hushed of HUSHED) if (text.includes(hushed)) problems.push(`${hushed} was written in clear`);
  problems.push(...folder.compilerErrors(), ...folder.lintErrors());

  const stack = await folder.stack({ timeoutMs: OPERATION_MS });
  const checkpoints = plain ? {} : checkpointsLeftOut(folder.read("README.md"));
  try {
    Object.assign(stack.env, checkpoints);
    const up = await step("up", () => stack.up({ skipPreview: false }));
    const made = new Set(up.changed.filter(isMade).map(({ urn }) => urn));
    if (made.size !== resources.length) problems.push(`up took over ${made.size} of ${resources.length}`);
    for (const name of Object.keys(checkpoints)) stack.env[name] = undefined;
    const preview = await step("preview", () => stack.preview({ refresh: true, expectNoChanges: true }));
    problems.push(...preview.changed.map(({ op, urn }) => `preview would ${op} ${urn}`));
    const before = folder.files();
    await step("generateAgain", () => folder.generate());
    const after = folder.files();
    for (const name of new Set([...Object.keys(before), ...Object.keys(after)]))
      if (after[name] !== before[name]) problems.push(`the second generate changed ${name}`);
  } finally {
    await stack.close();
  }
  problems.push(...emulator.unknownRoutes.map((route) => `unknown route ${JSON.stringify(route)}`));

  const seconds = (name: string): number => steps[name]?.seconds ?? 0;
  const requests = (name: string): number => steps[name]?.requests ?? 0;
  const together = seconds("generate") + seconds("up") + seconds("preview");
  return {
    latencyMs: LATENCY_MS,
    plain,
    loadAverage: loadavg().map((load) => Math.round(load * 10) / 10),
    resources: resources.length,
    kinds,
    lines: Object.fromEntries(
      Object.entries(files)
        .filter(([name]) => name.endsWith(".ts"))
        .map(([name, text]) => [name, text.split("\n").length - 1]),
    ),
    seconds: {
      generate: seconds("generate"),
      up: seconds("up"),
      preview: seconds("preview"),
      together: Math.round(together * 10) / 10,
      generateAgain: seconds("generateAgain"),
    },
    requests: { generate: requests("generate"), up: requests("up"), preview: requests("preview") },
    problems,
  };
}

/** The variables that the program's README advises for the first run of a large program. */
function checkpointsLeftOut(readme: string): Record<string, string> {
  const [, advised = ""] = /`((?:PULUMI_\w+=\w+ )+)pulumi up`/.exec(readme) ?? [];
  return Object.fromEntries(
    [...advised.matchAll(/(\w+)=(\w+)/g)].map(([, name = "", value = ""]) => [name, value]),
  );
}

function isMade({ op, urn }: Run["changed"][number]): boolean {
  return op === "create" && urn.includes("::pulumi-nodejs:dynamic/posthog:");
}

function countOf(resources: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const one of resources) {
    const [type = ""] = one.split(" ");
    counts[type] = (counts[type] ?? 0) + 1;
  }
  return Object.fromEntries(Object.entries(counts).sort(([a], [b]) => (a < b ? -1 : 1)));
}
