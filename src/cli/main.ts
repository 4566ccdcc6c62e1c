#!/usr/bin/env node

import { Command } from "commander";
import { ownManifest } from "../own-manifest";

type Register = (program: Command) => void;

/** Loaded only when named: nobody who serves the emulator waits for the importer, and the other way round. */
const SUBCOMMANDS: Readonly<Record<string, () => Promise<Register>>> = {
  doctor: async () => (await import("./doctor.js")).registerDoctor,
  emulator: async () => (await import("./emulator.js")).registerEmulator,
  generate: async () => (await import("./generate.js")).registerGenerate,
  import: async () => (await import("./import.js")).registerImport,
};

/** Exit code for a command line that cannot be understood; 1 says that something went wrong on the way. */
const WRONG_ARGUMENTS = 2;

async function main(): Promise<void> {
  const program = new Command("pulumi-posthog")
    .description("PostHog as code")
    .version(ownManifest().version)
    .showHelpAfterError("(--help says what can be given)")
    .exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? 0 : WRONG_ARGUMENTS))
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
