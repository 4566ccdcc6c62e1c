#!/usr/bin/env node
import { readFileSync } from "node:fs";
import { join } from "node:path";

import { Command } from "commander";
import { z } from "zod";

type Register = (program: Command) => void;

/** Loaded only when named: nobody who serves the emulator waits for the importer, and the other way round. */
const SUBCOMMANDS: Readonly<Record<string, () => Promise<Register>>> = {
  doctor: async () => (await import("./doctor.js")).registerDoctor,
  emulator: async () => (await import("./emulator.js")).registerEmulator,
  generate: async () => (await import("./generate.js")).registerGenerate,
  import: async () => (await import("./import.js")).registerImport,
};

function version(): string {
  const text = readFileSync(join(__dirname, "..", "..", "package.json"), "utf8");
  return z.looseObject({ version: z.string() }).parse(JSON.parse(text)).version;
}

async function main(): Promise<void> {
  const program = new Command("pulumi-posthog")
    .description("PostHog as code")
    .version(version())
    .showHelpAfterError()
    .configureHelp({ showGlobalOptions: true });
  const named = SUBCOMMANDS[process.argv[2] ?? ""];
  const loaders = named ? [named] : Object.values(SUBCOMMANDS);
  for (const load of loaders) (await load())(program);
  await program.parseAsync();
}

main().catch((error: unknown) => {
  process.stderr.write(`error: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
});
