import type { Store } from "../store/store";
import { printTime } from "../fields/times";

/** Which answers the emulator gives where the interface document and the service itself differ. */
export type Shapes = "documented" | "upstream";

/**
 * When the capabilities of an installed plugin appear. The service's plugin server fills them in some time
 * after the request, and until then the plugin shows among the frontend apps whatever it is.
 * - `immediately`: within the request; a plugin whose code says nothing gets those of the kind it was posted to
 * - a number: so many milliseconds after the request
 * - `never`: only `setPluginCapabilities` writes them
 */
export type InferCapabilities = "immediately" | "never" | number;

/** What every handler works on. */
export class World {
  constructor(
    readonly store: Store,
    readonly shapes: Shapes,
    readonly inferCapabilities: InferCapabilities,
    readonly now: () => Date,
    readonly random: () => number,
  ) {}

  /** The present time in the service's notation. */
  get time(): string {
    return printTime(this.now());
  }

  get upstream(): boolean {
    return this.shapes === "upstream";
  }
}
