import { readFile } from "node:fs/promises";
import path from "node:path";
import type { CustomMapping } from "../../src/ingest";
import { captureEach, event, eventLines, file, folder, key, run, server } from "./support";

/* What was sent and refused is set aside so that a person finds it again, and without the key it was sent with. */

captureEach();

const BAD = "not this one";

/** Refuses whatever holds the bad event, and names the key in its answer, as a proxy may. */
function refuse(status: number): void {
  server.interfere = async (request, response) => {
    let body = "";
    for await (const chunk of request) body += String(chunk);
    const isBad = body.includes(BAD);
    response.writeHead(isBad ? status : 200).end(isBad ? `refused for ${key}: one event` : "{}");
    return true;
  };
}

const sources: Readonly<Record<string, readonly string[]>> = {
  "a.ndjson": [...eventLines(0, 40), event(40, { note: BAD }), ...eventLines(41, 60)],
  "a.csv": [
    "event,distinct_id,timestamp,note",
    ...Array.from({ length: 60 }, (_, n) => `seen,u${n},2023-01-01T00:00:00Z,${n === 39 ? BAD : "fine"}`),
  ],
};
const mapping = {
  event: "event",
  distinctId: "distinct_id",
  timestamp: "timestamp",
  properties: ["note"],
} satisfies CustomMapping;

test.each([
  ["a.ndjson", 400, "rejected"],
  ["a.ndjson", 413, "event-too-large"],
  ["a.csv", 400, "rejected"],
])(
  "of %s, refused with %i: its place in the source and the event as it was sent",
  async (source, status, reason) => {
    await file(folder, source, sources[source] ?? []);
    refuse(status);
    const result = await run(folder, server, {
      source,
      onInvalid: "skip",
      deadLetterFile: "dead.ndjson",
      ...(source.endsWith(".csv") ? { mapping } : {}),
    });
    expect(result).toMatchObject({ eventsSent: 59, eventsSkipped: 1, skipped: { [reason]: 1 } });
    const text = await readFile(path.join(folder, "dead.ndjson"), "utf8");
    expect(text).not.toContain(key);
    const letter = JSON.parse(text) as { original: string };
    expect(letter).toMatchObject({ file: source, line: 41, reason, sent: true });
    expect(JSON.parse(letter.original)).toMatchObject({
      uuid: expect.stringMatching(/^[0-9a-f-]{36}$/) as string,
      properties: { note: BAD },
    });
  },
);

test("what was never sent stands there as in the source, and is not called sent", async () => {
  await file(folder, "a.ndjson", [...eventLines(0, 3), "{broken"]);
  await run(folder, server, { source: "a.ndjson", onInvalid: "skip", deadLetterFile: "dead.ndjson" });
  const letter: unknown = JSON.parse(await readFile(path.join(folder, "dead.ndjson"), "utf8"));
  expect(letter).toMatchObject({ file: "a.ndjson", line: 4, original: "{broken" });
  expect(letter).not.toHaveProperty("sent");
});
