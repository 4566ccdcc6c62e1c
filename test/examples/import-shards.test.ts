import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as pulumi from "@pulumi/pulumi";
import { z } from "zod";
import { eventLines } from "../ingest/support";
import { type Emulator, startEmulator } from "../support/emulator";
import { ROOT } from "../support/engine";
import { write } from "../import/sources";

const KEY = "phc_shards";
const FILES = 11;
const EACH = 10;

let emulator: Emulator;
let folder: string;

beforeEach(async () => {
  emulator = await startEmulator();
  folder = mkdtempSync(join(tmpdir(), "shards-"));
  for (let n = 0; n < FILES; n++)
    write(folder, `exports/2023-${n}.ndjson`, eventLines(n * EACH, (n + 1) * EACH).join("\n"));
});
afterEach(async () => {
  rmSync(folder, { recursive: true });
  await emulator.close();
});

/** Runs the words of an example's command line, which begin with `npx … pulumi-posthog`, and answers what it said. */
async function runLine(words: readonly string[]): Promise<string> {
  const at = words.findIndex((word) => word.startsWith("pulumi-posthog"));
  expect(words[0]).toBe("npx");
  expect(at).toBeGreaterThan(0);
  const command = join(ROOT, "dist", "cli", "main.js");
  const env = {
    PATH: process.env["PATH"],
    POSTHOG_INGEST_HOST: emulator.ingestUrl,
    POSTHOG_PROJECT_API_KEY: KEY,
  };
  const child = spawn(process.execPath, [command, ...words.slice(at + 1)], { cwd: folder, env });
  let output = "";
  child.stdout.on("data", (chunk) => (output += String(chunk)));
  child.stderr.on("data", (chunk) => (output += String(chunk)));
  const [code] = (await once(child, "close")) as [number | null];
  expect({ output, code }).toMatchObject({ code: 0 });
  return output;
}

/** Every file has been imported by exactly one of the shards, each of which kept to its part of the rate. */
function coversAll(outputs: readonly string[]): void {
  expect(emulator.capture.summary(KEY)).toMatchObject({ events: FILES * EACH, received: FILES * EACH });
  const files = outputs.map((output) => Number(/ events in (\d+) files?/.exec(output)?.[1]));
  expect(files.reduce((sum, count) => sum + count, 0)).toBe(FILES);
  expect(Math.max(...files) - Math.min(...files)).toBeLessThanOrEqual(1);
  for (const output of outputs)
    expect(output).toContain(`at ${(10_000 / outputs.length).toLocaleString("en")} events a minute`);
}

test("the matrix covers all files, each once", async () => {
  const text = readFileSync(join(ROOT, "examples", "import-matrix", "github-actions.yml"), "utf8");
  const shards = /shard: \[(.*)\]/.exec(text)?.[1]?.split(",").map(Number) ?? [];
  const line = /run: (npx .*pulumi-posthog.*)/.exec(text)?.[1] ?? "";
  expect(shards).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
  const outputs: string[] = [];
  for (const shard of shards)
    outputs.push(await runLine(line.replaceAll("${{ matrix.shard }}", String(shard)).split(" ")));
  coversAll(outputs);
});

interface Registered {
  readonly type: string;
  readonly inputs: Readonly<Record<string, unknown>>;
}

const jobInputs = z.object({
  spec: z.object({
    completionMode: z.string(),
    completions: z.number(),
    parallelism: z.number(),
    template: z.object({
      spec: z.object({
        containers: z.tuple([
          z.object({ command: z.array(z.string()), env: z.array(z.object({ name: z.string() })) }),
        ]),
      }),
    }),
  }),
});

/** A class of the Kubernetes package, whose types and whose plugin are no dependency of ours: its type token counts. */
function kind(type: string): new (name: string, args: pulumi.Inputs) => pulumi.CustomResource {
  return class extends pulumi.CustomResource {
    declare readonly metadata: pulumi.Output<{ name: string }>;

    constructor(name: string, args: pulumi.Inputs) {
      super(type, name, { ...args, metadata: { name } });
    }
  };
}

async function registeredBy(config: Readonly<Record<string, string>>): Promise<Registered[]> {
  const registered: Registered[] = [];
  await pulumi.runtime.setMocks(
    {
      call: () => ({}),
      newResource: ({ type, name, inputs }) => {
        registered.push({ type, inputs: inputs as Readonly<Record<string, unknown>> });
        return { id: name, state: inputs as object };
      },
    },
    "shards",
    "test",
  );
  pulumi.runtime.setAllConfig(
    Object.fromEntries(Object.entries(config).map(([name, value]) => [`shards:${name}`, value])),
  );
  const kubernetes = {
    core: { v1: { Secret: kind("kubernetes:core/v1:Secret") } },
    batch: { v1: { Job: kind("kubernetes:batch/v1:Job") } },
  };
  jest.doMock("@pulumi/kubernetes", () => kubernetes, { virtual: true });
  jest.requireActual(join(ROOT, "examples", "import-kubernetes", "index.ts"));
  await pulumi.runtime.disconnect();
  return registered;
}

test("the pods of the Indexed Job cover all files, each once", async () => {
  const registered = await registeredBy({
    ...{ shards: "4", eventsPerMinute: "10000", announced: "false", image: "node:22-slim" },
    ...{ exportsClaim: "exports", checkpointsClaim: "checkpoints", ingestHost: "https://us.i.posthog.com" },
    projectApiKey: KEY,
  });
  expect(registered.map(({ type }) => type)).toEqual([
    "kubernetes:core/v1:Secret",
    "kubernetes:batch/v1:Job",
  ]);
  const { spec } = jobInputs.parse(registered[1]?.inputs);
  expect(spec).toMatchObject({ completionMode: "Indexed", completions: 4, parallelism: 4 });
  const [container] = spec.template.spec.containers;
  expect(container.env.map(({ name }) => name)).toEqual([
    "SHARD",
    "POSTHOG_INGEST_HOST",
    "POSTHOG_PROJECT_API_KEY",
  ]);
  expect(JSON.stringify(spec)).not.toContain(KEY);
  const outputs: string[] = [];
  for (let pod = 0; pod < spec.completions; pod++)
    outputs.push(
      await runLine(
        container.command.map((word) =>
          word.replaceAll("$(SHARD)", String(pod)).replace("/exports", join(folder, "exports")),
        ),
      ),
    );
  coversAll(outputs);
});
