import type { IncomingMessage, ServerResponse } from "node:http";

/** Events that were accepted by batch capture. */
export class CaptureStore {
  private accepted = 0;

  /** Number of events accepted so far. */
  get count(): number {
    return this.accepted;
  }

  add(events: number): void {
    this.accepted += events;
  }

  /** What the emulator's data file keeps. */
  snapshot(): unknown {
    return { accepted: this.accepted };
  }

  restore(saved: unknown): void {
    if (
      typeof saved === "object" &&
      saved !== null &&
      "accepted" in saved &&
      typeof saved.accepted === "number"
    ) {
      this.accepted = saved.accepted;
    }
  }
}

/** Answers `POST /batch/`. */
export async function handleCapture(
  request: IncomingMessage,
  response: ServerResponse,
  store: CaptureStore,
  _context: { now(): Date },
): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(Buffer.from(chunk));
  const body: unknown = JSON.parse(Buffer.concat(chunks).toString());
  const batch = typeof body === "object" && body !== null && "batch" in body ? body.batch : undefined;
  store.add(Array.isArray(batch) ? batch.length : 0);
  response.writeHead(200, { "Content-Type": "application/json" }).end('{"status":"Ok"}');
}
