import type { Emulator } from "../../src/emulator";

export { startEmulator, type Emulator } from "../../src/emulator";

/** The requests that could change something, in order. */
export function writes(emulator: Emulator): Emulator["requests"] {
  return emulator.requests.filter(({ method }) => method !== "GET" && method !== "HEAD");
}
