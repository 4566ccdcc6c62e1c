import { stat } from "node:fs/promises";
import { join } from "node:path";
import { startEmulator } from "../../support/emulator";
import { openStack } from "../../support/stack";
import { FORMS, type Form, SOURCES, writeForm } from "./events";

const HOUR = 3_600_000;

/** One large import by the real engine. */
export interface MillionResult {
  readonly form: Form;
  readonly events: number;
  readonly megabytes: number;
  readonly requests: number;
  readonly seconds: { readonly preview: number; readonly up: number };
  readonly checksum: string;
  /** What was not as it should be. */
  readonly problems: readonly string[];
}

/** Imports `count` events of each form by preview, up, up again and destroy. */
export async function million(count: number, log: (line: string) => void): Promise<MillionResult[]> {
  const results: MillionResult[] = [];
  for (const form of FORMS) {
    const result = await one(form, count);
    log(JSON.stringify(result));
    results.push(result);
  }
  return results;
}

async function one(form: Form, count: number): Promise<MillionResult> {
  const emulator = await startEmulator();
  const stack = await openStack({ emulator, timeoutMs: HOUR });
  try {
    await writeForm(stack.folder, form, count, 1);
    const { size } = await stat(join(stack.folder, SOURCES[form]));
    const args = { source: SOURCES[form], eventsPerMinute: "unlimited", announced: true };
    stack.declare([{ class: "HistoricalImport", name: "past", args }]);
    const problems: string[] = [];
    const expect = (is: boolean, otherwise: string): void => void (is || problems.push(otherwise));
    const held = () => emulator.capture.summary(emulator.environment.POSTHOG_PROJECT_API_KEY);

    const began = Date.now();
    const preview = await stack.preview();
    const previewed = Date.now();
    expect(preview.code === 0, `preview: ${preview.errors}`);
    expect(held().requests === 0, "the preview sent something");
    const up = await stack.up();
    const upSeconds = (Date.now() - previewed) / 1000;
    expect(up.code === 0, `up: ${up.errors}`);
    const { events, received, conflicts, checksum, requests } = held();
    const outputs = up.steps.find(({ name }) => name === "past")?.new?.outputs;
    expect(events === count && received === count, `${events} of ${count} events, ${received} received`);
    expect(conflicts === 0, `${conflicts} events with the uuid of another`);
    expect(outputs?.["checksum"] === checksum, "the resource's checksum is another");
    expect((await stack.up({ expectNoChanges: true })).code === 0, "the second up has something to do");
    expect((await stack.destroy()).code === 0, "destroy failed");
    expect(held().requests === requests, "the second up or destroy sent something");
    const seconds = { preview: (previewed - began) / 1000, up: upSeconds };
    return { form, events, megabytes: Math.round(size / 1e6), requests, seconds, checksum, problems };
  } finally {
    await stack.close();
    await emulator.close();
  }
}
