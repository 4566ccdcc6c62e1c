import type { Dispatcher, Pool as PoolOfUndici } from "undici";

// The part of undici that sends requests: all of it would make every provider process 10 MB larger and start later.
// eslint-disable-next-line @typescript-eslint/no-require-imports -- the package declares types for its whole only
const Pool = require("undici/lib/dispatcher/pool.js") as typeof PoolOfUndici;

export { Pool };

/** An answer as it came. */
export interface Received {
  readonly status: number;
  readonly headers: Dispatcher.ResponseData["headers"];
  readonly body: string;
}

/** What a request is bounded by, and who wants to know that it is on its way. */
export interface Bounds {
  /** Milliseconds until it is given up, with an error called `TimeoutError`. */
  readonly timeout: number;
  /** Called when a connection stands and the request is about to be written: before, nothing can have happened. */
  readonly onTheWay: () => void;
}

/** Sends a request once and reads the answer whole. */
export function exchange(
  pool: Dispatcher,
  request: Dispatcher.DispatchOptions,
  { timeout, onTheWay }: Bounds,
): Promise<Received> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let status = 0;
    let headers: Received["headers"] = {};
    let running: Dispatcher.DispatchController | undefined;
    let tooLate: Error | undefined;
    const timer = setTimeout(() => {
      tooLate = Object.assign(new Error("no answer in time"), { name: "TimeoutError" });
      running?.abort(tooLate);
      reject(tooLate);
    }, timeout).unref();
    pool.dispatch(request, {
      onRequestStart(controller) {
        // Given up while the connection was made: it must not be sent any more.
        if (tooLate !== undefined) {
          controller.abort(tooLate);
          return;
        }
        running = controller;
        onTheWay();
      },
      onResponseStart(_, code, given) {
        // Codes below 200 announce an answer and are none.
        if (code < 200) return;
        status = code;
        headers = given;
      },
      onResponseData(_, chunk) {
        chunks.push(chunk);
      },
      onResponseEnd() {
        clearTimeout(timer);
        resolve({ status, headers, body: new TextDecoder().decode(Buffer.concat(chunks)) });
      },
      onResponseError(_, error) {
        clearTimeout(timer);
        reject(error);
      },
    });
  });
}
