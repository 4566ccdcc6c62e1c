import http from "node:http";
import https from "node:https";
import type { Answer } from "./answer";

const longestAnswer = 64 * 1024;

/** Sends request bodies to the batch endpoint over a few connections that stay open. */
export class Poster {
  readonly #url: URL;
  readonly #agent: http.Agent | https.Agent;
  readonly #request: typeof http.request;

  constructor(ingestHost: string, connections: number) {
    const host = new URL(ingestHost);
    this.#url = new URL("batch/", `${host.origin}${host.pathname.replace(/\/*$/, "/")}`);
    const options = { keepAlive: true, maxSockets: connections, scheduling: "fifo" } as const;
    const secure = this.#url.protocol === "https:";
    this.#agent = secure ? new https.Agent(options) : new http.Agent(options);
    this.#request = secure ? https.request : http.request;
  }

  /**
   * Posts one body and reads the whole answer. Rejects where the connection broke or the answer was cut off:
   * then nobody knows whether the service has the events.
   */
  post(body: Buffer, gzip: boolean, timeoutMs: number, signal: AbortSignal): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const headers = {
        "content-type": "application/json",
        "content-length": body.length,
        ...(gzip ? { "content-encoding": "gzip" } : {}),
      };
      const request = this.#request(this.#url, { method: "POST", agent: this.#agent, headers, signal });
      const timer = setTimeout(
        () => request.destroy(new Error(`no answer within ${timeoutMs / 1000} s`)),
        timeoutMs,
      );
      const fail = (error: Error): void => {
        clearTimeout(timer);
        reject(error);
      };
      request.on("error", fail);
      request.on("response", (response) => {
        const chunks: Buffer[] = [];
        let length = 0;
        response.on("data", (chunk: Buffer) => {
          length += chunk.length;
          if (length <= longestAnswer) chunks.push(chunk);
        });
        response.on("error", fail);
        response.on("end", () => {
          clearTimeout(timer);
          // An answer that came before the body was sent leaves a connection that nobody can go on with.
          if (!request.writableFinished) request.destroy();
          resolve({
            status: response.statusCode ?? 0,
            retryAfter: response.headers["retry-after"],
            text: Buffer.concat(chunks).toString("utf8"),
          });
        });
        response.on("close", () => {
          if (!response.complete) fail(new Error("the answer was cut off"));
        });
      });
      request.end(body);
    });
  }

  close(): void {
    this.#agent.destroy();
  }
}
