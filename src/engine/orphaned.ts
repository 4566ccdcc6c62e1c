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
