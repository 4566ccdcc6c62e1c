import { existsSync, readdirSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { CaptureStore, handleCapture, type CaptureMode } from "../../src/emulator/capture";
import { runImport, type ImportArguments, type ImportOptions, type ImportResult } from "../../src/ingest";

/** The project key of these tests. */
export const key = "phc_test";

/** Decides over one request before the service sees it; true where it answered by itself. */
export type Interference = (
  request: IncomingMessage,
  response: ServerResponse,
  proceed: (response: ServerResponse) => Promise<void>,
) => Promise<boolean> | boolean;

/** A capture server on a free port of the loopback address. */
export class CaptureServer {
  readonly store: CaptureStore;
  requests = 0;
  interfere: Interference = () => false;
  #server: Server;

  private constructor(mode: CaptureMode) {
    this.store = new CaptureStore(mode);
    // A client that a busy machine kept waiting finds its connection still there: no request is made twice by chance.
    this.#server = createServer({ keepAliveTimeout: 65_000 }, (request, response) => {
      this.requests++;
      void this.#handle(request, response).catch((error: unknown) => {
        response.writeHead(500).end(String(error));
      });
    });
  }

  async #handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const now = (): Date => new Date();
    const proceed = (to: ServerResponse): Promise<void> => handleCapture(request, to, this.store, { now });
    if (!(await this.interfere(request, response, proceed))) await proceed(response);
  }

  static async start(mode: CaptureMode = "keep"): Promise<CaptureServer> {
    const server = new CaptureServer(mode);
    await new Promise<void>((resolve) => server.#server.listen(0, "127.0.0.1", resolve));
    return server;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  get summary(): ReturnType<CaptureStore["summary"]> {
    return this.store.summary(key);
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}

/** A folder that is gone after the test. */
export async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), "import-"));
  folders.push(folder);
  return folder;
}

/** Server and folder of the test that runs, where its file says {@link captureEach}. */
export let server: CaptureServer;
export let folder: string;

/** Gives each test of a file a capture server and an empty folder of its own. */
export function captureEach(): void {
  beforeEach(async () => {
    server = await CaptureServer.start();
    folder = await temporaryFolder();
  });
  afterEach(() => server.stop());
}

const folders: string[] = [];

afterAll(async () => {
  await Promise.all(folders.splice(0).map((folder) => rm(folder, { recursive: true, force: true })));
});

/** Writes a source file. */
export async function file(
  folder: string,
  name: string,
  content: string | Uint8Array | readonly string[],
): Promise<string> {
  const target = path.join(folder, name);
  const text =
    typeof content === "string" || content instanceof Uint8Array ? content : `${content.join("\n")}\n`;
  await writeFile(target, text);
  return name;
}

/** Event number `n`, in the interface's form. */
export function event(n: number, more: Readonly<Record<string, unknown>> = {}): string {
  const timestamp = new Date(Date.UTC(2023, 0, 1) + n * 1000).toISOString();
  return JSON.stringify({
    event: "Test Event",
    properties: { distinct_id: `user-${n % 97}`, n, ...more },
    timestamp,
  });
}

/** Events [from, to). */
export function eventLines(from: number, to: number): string[] {
  return Array.from({ length: to - from }, (_, index) => event(from + index));
}

/** Whether an import that runs in a folder has noted by now how far it came. */
export function hasCheckpoint(folder: string): boolean {
  const checkpoints = path.join(folder, ".pulumi-posthog", "imports");
  return existsSync(checkpoints) && readdirSync(checkpoints).some((name) => name.endsWith(".json"));
}

/** As fast as can be. */
export const unthrottled = { eventsPerMinute: "unlimited", announced: true } as const;

/** Imports from `folder` into the server. */
export function run(
  folder: string,
  server: CaptureServer,
  args: ImportArguments,
  options: Partial<ImportOptions> = {},
): Promise<ImportResult> {
  return runImport(
    { ...unthrottled, ...args },
    { folder, ingestHost: server.url, projectApiKey: key, ...options },
  );
}

/** A small generator of random numbers (mulberry32): a run can be repeated. */
export function randomFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}
