import { connect } from "node:net";

const leaving = new Set<() => void>();
let isListening = false;

/**
 * Calls `leave` once nobody reads any more what this process prints: the CLI that started it was killed, and a provider
 * that goes on would work beside that of the next operation. What is returned ends the listening.
 */
export function whenOrphaned(leave: () => void): () => void {
  if (!isListening) {
    isListening = true;
    process.stdout.on("error", () => {
      for (const one of leaving) one();
    });
  }
  leaving.add(leave);
  return () => void leaving.delete(leave);
}

/** A listener of this machine answers at once; whoever takes longer is there. */
const PATIENCE_MS = 1000;
/** Where the engine listens that has started this provider: the argument that it starts one with. */
const ENGINE = /^((?:\d+\.){3}\d+|localhost):(\d+)$/;

let asking: Promise<boolean> | undefined;

/**
 * Whether the engine that started this provider is gone. Its process goes on with what it was asked for; but what it
 * begins from then on is nothing that the next run, which may have started by then, can know of.
 */
export function isOrphaned(): Promise<boolean> {
  return (asking ??= isRefused(process.argv[2] ?? "").finally(() => (asking = undefined)));
}

async function isRefused(address: string): Promise<boolean> {
  const [, host, port] = ENGINE.exec(address) ?? [];
  if (host === undefined) return false;
  return await new Promise((resolve) => {
    const socket = connect({ host, port: Number(port), timeout: PATIENCE_MS });
    const answer = (gone: boolean): void => {
      socket.destroy();
      resolve(gone);
    };
    socket.on("connect", () => answer(false));
    socket.on("timeout", () => answer(false));
    socket.on("error", (error) => answer("code" in error && error.code === "ECONNREFUSED"));
  });
}
