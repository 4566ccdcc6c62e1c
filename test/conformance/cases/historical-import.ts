import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { ArgumentCase, KindCases } from "./case";

const events = (slug: string) => `events of ${slug}`;

const another = (argument: string, first: unknown, second: unknown): ArgumentCase => ({
  argument,
  field: argument,
  first,
  second,
  creation: "unsent",
  update: "replacement",
  cleared: "replacement",
});

/** How to send: what a finished import has sent stays sent, so a change of any of them is noted, and sends nothing. */
const manner: readonly (readonly [argument: string, first: unknown, second: unknown])[] = [
  ["ingestHost", { $world: "ingestHost" }, "https://eu.i.posthog.com"],
  ["format", "ndjson", "json"],
  ["mapping", "capture", "posthog"],
  ["rename", { "an old name": "a new one" }, { "an old name": "another" }],
  ["announced", true, false],
  ["onInvalid", "fail", "skip"],
  ["deadLetterFile", { $world: "deadLetters" }, { $world: "otherDeadLetters" }],
  ["duplicates", "merge", "keep"],
  ["batchBytes", 65_536, 131_072],
  ["concurrency", 1, 2],
  ["gzip", false, true],
  ["shard", { index: 0, count: 1 }, { index: 0, count: 2 }],
  ["previewBytes", 1000, 2000],
  ["checkpointFolder", { $world: "checkpoints" }, { $world: "otherCheckpoints" }],
];
const noted: ArgumentCase = {
  ...another("eventsPerMinute", 600, 1200),
  along: [
    Object.fromEntries(manner.map(([name, first]) => [name, first])),
    Object.fromEntries(manner.map(([name, , second]) => [name, second])),
  ],
  update: "nothing",
  cleared: "nothing",
};
const keyIsNotKept = { why: "the state has the key as a hash alone, and a finished import needs none" };

export const historicalImport: KindCases = {
  kind: "HistoricalImport",
  path: "/batch/",
  existing: { why: "it is an action" },
  base: (slug) => ({ source: { $world: events(slug) } }),
  marker: "source",
  creation: {
    why: "the requests of imports are not kept with their bodies: the events that arrive are counted",
  },
  order: "new first",
  removal: { why: "nobody can delete events" },
  destroyed: "released",
  async prepare({ emulator, folder }, slugs) {
    const known: Record<string, string> = {};
    for (const slug of [...slugs, "another"]) {
      const file = join(folder, `${slug}.ndjson`);
      const event = { event: slug, properties: { distinct_id: "a" }, timestamp: "2023-01-01T00:00:00Z" };
      await writeFile(file, `${JSON.stringify(event)}\n`);
      known[events(slug)] = file;
    }
    return {
      ...known,
      folder,
      deadLetters: join(folder, "dead.ndjson"),
      otherDeadLetters: join(folder, "other-dead.ndjson"),
      checkpoints: join(folder, "checkpoints"),
      otherCheckpoints: join(folder, "other-checkpoints"),
      ingestHost: emulator.ingestUrl,
      projectApiKey: emulator.environment.POSTHOG_PROJECT_API_KEY,
    };
  },
  arguments: [
    {
      ...another("source", { $world: events("source") }, { $world: events("another") }),
      cleared: "required",
    },
    another("runKey", "one", "two"),
    {
      ...another(
        "projectApiKey",
        { $secret: { $world: "projectApiKey" } },
        { $secret: "phc_of_another_project" },
      ),
      update: keyIsNotKept,
      cleared: keyIsNotKept,
    },
    noted,
  ],
};
