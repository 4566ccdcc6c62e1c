// @ts-check

/**
 * @typedef {object} Interruption
 * @property {AbortSignal} came Aborted once somebody wants the run to end.
 * @property {AbortSignal} forward Aborted where a command that runs has to be told, too.
 */

/**
 * Takes Ctrl-C and SIGTERM from now on, so that what was started is ended in order.
 *
 * @returns {Interruption}
 */
export function listen() {
  const came = new AbortController();
  const forward = new AbortController();
  process.on("SIGINT", () => {
    came.abort();
    // A terminal sends Ctrl-C to every process in it; a second one would make Pulumi break off in the middle.
    if (!process.stdin.isTTY) forward.abort();
  });
  process.on("SIGTERM", () => {
    came.abort();
    forward.abort();
  });
  return { came: came.signal, forward: forward.signal };
}
