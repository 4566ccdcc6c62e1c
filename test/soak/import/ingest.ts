import { type ChildProcess, spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { ROOT } from "../../support/engine";

const SERVER = join(ROOT, "test", "soak", "ingest-server.mjs");

/** The project key of the soak. */
export const KEY = "phc_soak";

/** A capture server in a process of its own, which can be killed and started again on the same port. */
export class Ingest {
  private child: ChildProcess | undefined;
  /** A free one the first time. */
  private port = 0;

  private constructor(
    private readonly log: string,
    private readonly delayMs: number,
  ) {}

  static async start(log: string, delayMs: number): Promise<Ingest> {
    const ingest = new Ingest(log, delayMs);
    await ingest.start();
    return ingest;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  async start(): Promise<void> {
    const child = spawn(process.execPath, [SERVER, String(this.port), this.log, String(this.delayMs)], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    this.child = child;
    const [port] = (await once(child.stdout, "data")) as [Buffer];
    this.port = Number(String(port));
  }

  async end(signal: "SIGKILL" | "SIGTERM"): Promise<void> {
    const { child } = this;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    child.kill(signal);
    await once(child, "close");
  }

  /** What it has taken so far, request by request, each event as `uuid:hash of all that it holds`. */
  async taken(): Promise<string[][]> {
    const text = await readFile(this.log, "utf8").catch(() => "");
    return text
      .split("\n")
      .filter((line) => line.endsWith(" ."))
      .map((line) => line.slice(0, -2).split(" "));
  }
}

/** How the server names an event of which it gets this JSON text. */
export function named(text: string): string {
  const event = JSON.parse(text) as { uuid: string };
  return `${event.uuid}:${createHash("sha1").update(JSON.stringify(event)).digest("hex").slice(0, 12)}`;
}

/** What one run came to. */
export interface Balance {
  /** Events of the source that the server does not have. */
  readonly lost: number;
  /** Events that it has beside those of the source: other uuids, or the same with other content. */
  readonly doubled: number;
}

/** Holds what arrived against what the source holds; the service merges what arrives twice. */
export function balance(wanted: ReadonlyMap<string, number>, taken: readonly string[][]): Balance {
  const got = new Set(taken.flat());
  return {
    lost: [...wanted.keys()].filter((event) => !got.has(event)).length,
    doubled: [...got].filter((event) => !wanted.has(event)).length,
  };
}

/** Whether what arrived since the resumption holds one of the first `known` events, which were acknowledged before. */
export function startedOver(
  wanted: ReadonlyMap<string, number>,
  known: number,
  since: readonly string[][],
): boolean {
  return since.flat().some((event) => (wanted.get(event) ?? Infinity) < known);
}
