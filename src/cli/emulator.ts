import { type Command, InvalidArgumentError, Option } from "commander";

import { type EmulatorOptions, parseFaults, parseRateLimit, startEmulator } from "../emulator";

interface Flags {
  port?: number;
  data?: string;
  latency?: number;
  rateLimit?: string;
  faults?: string;
  members?: number;
  capture?: "keep" | "count";
  upstream?: true;
}

/** Adds `pulumi-posthog emulator`. */
export function registerEmulator(program: Command): void {
  program
    .command("emulator")
    .description("serve a local stand-in for PostHog, on the loopback address, until it is interrupted")
    .option("--port <n>", "port to listen on; a free one where left out", wholeNumber(65_535))
    .option("--data <file>", "keep the data in this file, so that the next start has the same keys and ids")
    .option("--latency <ms>", "milliseconds that every answer waits", wholeNumber(600_000))
    .addOption(
      new Option("--rate-limit <limit>", "requests that a key may make, such as 480/min").argParser((text) =>
        tried(text, parseRateLimit),
      ),
    )
    .addOption(
      new Option(
        "--faults <spec>",
        'faults, such as "POST /dashboards/$ 500 x2; GET * 429:retry-after=3 5%"',
      ).argParser((text) => tried(text, parseFaults)),
    )
    .option("--members <n>", "people besides the owner in the first organization", wholeNumber(100_000))
    .addOption(
      new Option(
        "--capture <mode>",
        "keep imported events once each, as the service does, or only count them; keep where left out",
      ).choices(["keep", "count"]),
    )
    .option("--upstream", "answer as the service does where the interface document differs")
    .action(async (flags: Flags) => serve(flags));
}

async function serve({ upstream, ...flags }: Flags): Promise<void> {
  const options: EmulatorOptions = { ...flags, shapes: upstream ? "upstream" : "documented" };
  const ended = interruption();
  const emulator = await startEmulator(options);
  process.stdout.write(`listening on ${emulator.url}\n`);
  for (const [name, value] of Object.entries(emulator.environment)) {
    process.stdout.write(`export ${name}=${value}\n`);
  }
  await ended;
  await emulator.close();
}

/** Resolves at the first SIGTERM or SIGINT. A second one ends the process the usual way. */
function interruption(): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      process.off("SIGTERM", end);
      process.off("SIGINT", end);
      resolve();
    };
    process.on("SIGTERM", end);
    process.on("SIGINT", end);
  });
}

function wholeNumber(most: number) {
  return (text: string): number => {
    const number = Number(text);
    if (!/^\d+$/.test(text) || number > most)
      throw new InvalidArgumentError(`a whole number from 0 to ${most} is meant.`);
    return number;
  };
}

/** Refuses at the command line what would fail later. */
function tried(text: string, parse: (text: string) => unknown): string {
  try {
    parse(text);
    return text;
  } catch (error) {
    throw new InvalidArgumentError(error instanceof Error ? error.message : String(error));
  }
}
