import { readFileSync } from "node:fs";
import { type Command, InvalidArgumentError, Option } from "commander";
import { runCommand, type Flags } from "./import-command";

function number(text: string): number {
  const value = Number(text);
  if (text.trim() === "" || !Number.isFinite(value)) throw new InvalidArgumentError("a number is meant.");
  return value;
}

function rate(text: string): number | "unlimited" {
  return text === "unlimited" ? "unlimited" : number(text);
}

function mapping(text: string): unknown {
  if (!text.startsWith("{") && !text.startsWith("@")) return text;
  try {
    return JSON.parse(text.startsWith("@") ? readFileSync(text.slice(1), "utf8") : text);
  } catch (error) {
    const said = error instanceof Error ? error.message : String(error);
    throw new InvalidArgumentError(`a name, JSON, or @FILE with JSON is meant: ${said}`);
  }
}

function renamed(text: string, before: Record<string, string> | undefined): Record<string, string> {
  const at = text.indexOf("=");
  if (at < 1) throw new InvalidArgumentError("OLD=NEW is meant.");
  return { ...before, [text.slice(0, at)]: text.slice(at + 1) };
}

function shard(text: string): { index: number; count: number } {
  const [, index, count] = /^(\d+)\/(\d+)$/.exec(text) ?? [];
  if (index === undefined || count === undefined)
    throw new InvalidArgumentError("INDEX/COUNT is meant, index from 0.");
  return { index: Number(index), count: Number(count) };
}

/** Adds `pulumi-posthog import`. */
export function registerImport(program: Command): void {
  program
    .command("import")
    .description("import past events from files, once; an interrupted import goes on where it was")
    .argument("<source...>", "files, globs or folders")
    .option("--format <form>", "ndjson, csv or json; by default by name and first byte")
    .option("--mapping <mapping>", "capture, mixpanel, amplitude, posthog, JSON, or @FILE with JSON", mapping)
    .option("--rename <old=new>", "translate an event name; may be given several times", renamed)
    .addOption(
      new Option("--project-api-key <key>", "project API key (phc_…)").env("POSTHOG_PROJECT_API_KEY"),
    )
    .addOption(
      new Option("--ingest-host <url>", "ingestion address; by default by region").env("POSTHOG_INGEST_HOST"),
    )
    .addOption(
      new Option("--region <region>", "us or eu").env("POSTHOG_REGION").choices(["us", "eu"]).default("us"),
    )
    .option("--events-per-minute <n>", "most events a minute (10000), or unlimited", rate)
    .option("--announced", "the provider has confirmed the migration")
    .option("--on-invalid <what>", "fail (default) or skip")
    .option("--dead-letter-file <file>", "where skipped events go")
    .option("--duplicates <what>", "merge (default) or keep")
    .option("--batch-bytes <n>", "most bytes of one request (1048576)", number)
    .option("--concurrency <n>", "requests in flight at once (8)", number)
    .option("--gzip", "compress requests (default, except to a loopback address)")
    .option("--no-gzip", "do not compress requests")
    .option("--shard <index/count>", "import one part of the files, index from 0", shard)
    .option("--preview-bytes <n>", "read at most so many bytes before the import starts (1000000000)", number)
    .option(
      "--checkpoint-folder <folder>",
      "folder for checkpoints, scans and dead letters (.pulumi-posthog)",
    )
    .option("--run-key <text>", "any text; another one makes it a new import that sends everything")
    .option("--dry-run", "read the source, say what it holds, send nothing")
    .option("--out <file>", "write the events with their uuids as JSON lines instead of sending them")
    .addHelpText(
      "after",
      [
        "",
        "Exit codes: 0 done, 1 stopped (run it again: it goes on), 2 wrong arguments, 3 invalid events or a",
        "migration that must be announced first (nothing was sent by this run), 130 interrupted.",
      ].join("\n"),
    )
    .action(async (source: string[], flags: Flags) => {
      process.exitCode = await runCommand(source, flags);
    });
}
