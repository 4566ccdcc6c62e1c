import type { Route } from "./router";
import * as mounted from "../routes";

/** Every management endpoint that the emulator answers. */
export const ROUTES: readonly Route[] = Object.values(mounted).flat();
