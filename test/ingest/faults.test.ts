import { readFile } from "node:fs/promises";
import { ServerResponse } from "node:http";
import path from "node:path";
import { ImportError } from "../../src/ingest";
import { retryAfterMs } from "../../src/ingest/send/answer";
import { backoffMs } from "../../src/ingest/send/sender";
import { captureEach, eventLines, file, folder, randomFrom, run, server, type Interference } from "./support";

captureEach();

const count = 6000;
/** Time that passes by waiting alone: waits are counted, not waited for. */
function quickClock(): {
  now(): number;
  date(): Date;
  sleep(ms: number): Promise<void>;
  random(): number;
  slept: number[];
} {
  let now = 0;
  const slept: number[] = [];
  return {
    now: () => now,
    date: () => new Date(),
    sleep: async (ms) => {
      slept.push(ms);
      now += ms;
      await new Promise((resolve) => setImmediate(resolve));
    },
    random: () => 0.5,
    slept,
  };
}

/** Each of six faults strikes 5 % of the requests. */
function everyFault(seed: number, struck: Map<string, number>): Interference {
  const random = randomFrom(seed);
  const strike = (name: string): true => {
    struck.set(name, (struck.get(name) ?? 0) + 1);
    return true;
  };
  return async (request, response, proceed) => {
    const drained = async (): Promise<void> => {
      for await (const chunk of request) void chunk;
    };
    const dice = random();
    if (dice < 0.05) {
      await drained();
      response.writeHead(429, { "retry-after": "1" }).end("rate limited");
      return strike("429");
    }
    if (dice < 0.1) {
      await drained();
      response.writeHead(503).end("transient error, please retry");
      return strike("503");
    }
    if (dice < 0.15) {
      request.socket.destroy();
      return strike("reset before the commit");
    }
    // Its answer goes nowhere.
    const unsent = new ServerResponse(request);
    if (dice < 0.2) {
      await proceed(unsent);
      request.socket.destroy();
      return strike("reset after the commit");
    }
    if (dice < 0.25) {
      await new Promise((resolve) => setTimeout(resolve, 30));
      await proceed(response);
      return strike("slow");
    }
    if (dice < 0.3) {
      await proceed(unsent);
      response.writeHead(200, { "content-length": "100" });
      response.write('{"sta');
      setTimeout(() => request.socket.destroy(), 5);
      return strike("truncated");
    }
    return false;
  };
}

test.each([1, 2, 3])("with 5 % each of six faults everything arrives once (seed %i)", async (seed) => {
  const struck = new Map<string, number>();
  server.interfere = everyFault(seed, struck);
  const source = await file(folder, "a.ndjson", eventLines(0, count));
  const result = await run(
    folder,
    server,
    { source, eventsPerMinute: 600_000, batchBytes: 65_536 },
    { clock: quickClock() },
  );
  expect(result.eventsSent).toBe(count);
  expect(server.summary).toMatchObject({ events: count, conflicts: 0, checksum: result.checksum });
  if (seed === 1) expect([...struck.keys()].length).toBeGreaterThanOrEqual(4);
  expect(result.retries).toBeGreaterThan(0);
});

describe("answers", () => {
  const answering =
    (status: number, text = "", headers: Record<string, string> = {}): Interference =>
    async (request, response) => {
      for await (const chunk of request) void chunk;
      response.writeHead(status, headers).end(text);
      return true;
    };
  const failing = async (interfere: Interference, options = {}): Promise<ImportError> => {
    server.interfere = interfere;
    const source = await file(folder, "a.ndjson", eventLines(0, 100));
    const error = await run(
      folder,
      server,
      { source, concurrency: 1 },
      { clock: quickClock(), ...options },
    ).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(ImportError);
    return error as ImportError;
  };

  test.each([
    ["401", answering(401, "API key is not valid: personal_api_key"), "refuses the project API key", /phc_/],
    ["404", answering(404, "no such page"), "404", /ingestHost/],
    ["a redirect", answering(302, "", { location: "http://127.0.0.1:1/" }), "302", /ingestHost/],
    ["a web page", answering(200, "<!doctype html><h1>Log in</h1>"), "web page", /proxy/],
    [
      "a quota that is used up",
      answering(200, '{"status":"Ok","quota_limited":["events"]}'),
      "quota",
      /billing/,
    ],
  ])("%s stops at once", async (_, interfere, message, hint) => {
    const error = await failing(interfere);
    expect(error.message).toContain(message);
    expect(error.hint).toMatch(hint);
    expect(server.requests).toBe(1);
    expect(error.checkpoint?.files[0]?.offset).toBe(0);
  });

  test.each([
    ['an answer of {"status":1}', '{"status":1}'],
    ["an empty answer", ""],
    ["an answer of ok", "ok"],
    ["a used-up quota of recordings alone", '{"status":"Ok","quota_limited":["recordings"]}'],
  ])("%s counts as taken", async (_, text) => {
    server.interfere = answering(200, text);
    const source = await file(folder, "a.ndjson", eventLines(0, 10));
    expect((await run(folder, server, { source })).eventsSent).toBe(10);
  });

  test("503 for good ends at the deadline, with a checkpoint", async () => {
    const clock = quickClock();
    const error = await failing(answering(503, "transient error, please retry"), {
      clock,
      deadlineMs: 60_000,
    });
    expect(error).toMatchObject({ failure: "unreachable" });
    expect(error.message).toContain("503");
    expect(error.hint).toContain("run again");
    expect(clock.slept.reduce((sum, ms) => sum + ms, 0)).toBeLessThanOrEqual(60_000);
    expect(server.requests).toBeGreaterThan(4);
  });

  test("a request that fails for good ends the import, whatever was taken behind it", async () => {
    let first: string | undefined;
    server.interfere = async (request, response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
      const body = Buffer.concat(chunks).toString();
      first ??= body;
      response.writeHead(body === first ? 503 : 200).end("transient error, please retry");
      return true;
    };
    const source = await file(folder, "a.ndjson", eventLines(0, count));
    const error = await run(
      folder,
      server,
      { source, batchBytes: 65_536, concurrency: 4 },
      { clock: quickClock(), deadlineMs: 5000 },
    ).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(ImportError);
    expect(String(error)).toContain("503");
    expect(server.requests).toBeGreaterThan(3);
    // Nothing counts behind a gap.
    expect((error as ImportError).checkpoint?.files).toMatchObject([{ offset: 0, totals: { sent: 0 } }]);
  });

  test("Retry-After is honoured in full, and told", async () => {
    const clock = quickClock();
    let first = true;
    server.interfere = async (request, response, proceed) => {
      if (!first) return false;
      first = false;
      return answering(429, "rate limited", { "retry-after": "37" })(request, response, proceed);
    };
    const source = await file(folder, "a.ndjson", eventLines(0, 10));
    const log: string[] = [];
    const result = await run(folder, server, { source }, { clock, log: (line) => log.push(line) });
    expect(result).toMatchObject({ eventsSent: 10, retries: 1 });
    expect(Math.max(...clock.slept)).toBe(37_000);
    expect(log.join()).toContain("waiting 37 s");
  });

  test("413 halves until it fits, and later requests are smaller from the start", async () => {
    let refused = 0;
    server.interfere = async (request, response) => {
      if (Number(request.headers["content-length"]) <= 100_000) return false;
      for await (const chunk of request) void chunk;
      refused++;
      response.writeHead(413).end("length limit exceeded");
      return true;
    };
    const source = await file(folder, "a.ndjson", eventLines(0, count));
    const result = await run(folder, server, { source, batchBytes: 300_000, concurrency: 1 });
    expect(server.summary).toMatchObject({ events: count, checksum: result.checksum });
    // The batch that was refused and the one filled meanwhile; none after them.
    expect(refused).toBeLessThanOrEqual(6);
  });

  test("400 bisects down to the events at fault", async () => {
    const bad = new Set([0, 777, 778, 2999]);
    server.interfere = async (request, response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
      const body = JSON.parse(Buffer.concat(chunks).toString()) as {
        batch: { uuid: string; properties: { n: number } }[];
      };
      if (body.batch.some(({ properties }) => bad.has(properties.n))) {
        response.writeHead(400).end("maximum event size exceeded");
        return true;
      }
      for (const { uuid, properties } of body.batch) taken.set(uuid, properties.n);
      response.end("{}");
      return true;
    };
    const taken = new Map<string, number>();
    const source = await file(folder, "a.ndjson", eventLines(0, 3000));
    const result = await run(folder, server, { source, onInvalid: "skip", deadLetterFile: "dead.ndjson" });
    expect(result).toMatchObject({ eventsSent: 2996, skipped: { rejected: 4 } });
    expect([...taken.values()].sort((a, b) => a - b)).toEqual(
      Array.from({ length: 3000 }, (_, n) => n).filter((n) => !bad.has(n)),
    );
    const sum = [...taken.keys()].reduce((total, uuid) => {
      const hex = uuid.replaceAll("-", "");
      return (total + (BigInt(`0x${hex.slice(0, 16)}`) ^ BigInt(`0x${hex.slice(16)}`))) & ((1n << 64n) - 1n);
    }, 0n);
    expect(result.checksum).toBe(sum.toString(16).padStart(16, "0"));
  });

  test("with onInvalid fail a refused event stops the import and is named", async () => {
    const source = await file(folder, "a.ndjson", eventLines(0, 300));
    server.interfere = async (request, response) => {
      let body = "";
      for await (const chunk of request) body += String(chunk);
      response.writeHead(body.includes('"n":123}') ? 400 : 200).end("too bad");
      return true;
    };
    await expect(run(folder, server, { source })).rejects.toThrow(
      "a.ndjson:124 was refused by the service: too bad",
    );
  });

  test.each([25, 60])("400 for %i events side by side sets aside those alone", async (bad) => {
    server.interfere = async (request, response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
      const numbers = [
        ...Buffer.concat(chunks)
          .toString()
          .matchAll(/"n":(\d+)/g),
      ].map(([, n]) => Number(n));
      const isBad = numbers.some((n) => n < bad);
      response.writeHead(isBad ? 400 : 200).end(isBad ? "bad" : "{}");
      return true;
    };
    const source = await file(folder, "a.ndjson", eventLines(0, 1000));
    const deadLetterFile = "dead.ndjson";
    const result = await run(folder, server, { source, onInvalid: "skip", deadLetterFile, concurrency: 1 });
    expect(result).toMatchObject({ eventsSent: 1000 - bad, skipped: { rejected: bad } });
    const letters = (await readFile(path.join(folder, deadLetterFile), "utf8")).trimEnd().split("\n");
    expect(letters.map((letter) => (JSON.parse(letter) as { line: number }).line)).toEqual(
      Array.from({ length: bad }, (_, index) => index + 1),
    );
  });

  test("a service that refuses everything is not asked about every single event", async () => {
    const error = await failing(answering(400, "nothing fits"));
    expect(error.message).toContain("in a row");
    expect(server.requests).toBeLessThan(80);
  });
});

test.each([
  ["5", 5000],
  [" 7 ", 7000],
  ["Wed, 21 Oct 2015 07:28:10 GMT", 10_000],
  ["Wed, 21 Oct 2015 07:27:00 GMT", 0],
  ["soon", undefined],
  ["-5", undefined],
  ["1.5", 1500],
  ["1.5.1", undefined],
  [undefined, undefined],
])("Retry-After %s", (header, ms) => {
  expect(retryAfterMs(header, Date.parse("Wed, 21 Oct 2015 07:28:00 GMT"))).toBe(ms);
});

test("waits double up to half a minute, and half of each is chance", () => {
  expect([0, 1, 2, 10].map((attempt) => backoffMs(attempt, 1))).toEqual([500, 1000, 2000, 30_000]);
  expect(backoffMs(2, 0)).toBe(1000);
});
