/** A local stand-in for PostHog, for tests and for trying things out. */
export type { CaptureMode, CaptureStore, CaptureSummary } from "./capture";
export type { Level } from "./store/entities";
export type * as entities from "./store/entities";
export {
  type Emulator,
  type EmulatorEnvironment,
  type EmulatorOptions,
  PortTakenError,
  startEmulator,
} from "./emulator";
export { ALL_FEATURES } from "./features";
export { type Fault, type FaultAction, FaultSpecError, parseFaults } from "./faults";
export type { MemberRecord, NewKey, NewMember, PublishedPlugin } from "./hand";
export { DataFileError } from "./persistence";
export { parseRateLimit, type RateLimit, RateLimitSpecError } from "./rate-limit";
export type { RequestRecord } from "./request-log";
export type { Route, Scope } from "./router";
export { ROUTES } from "./routes";
export { Store } from "./store/store";
export type { InferCapabilities, Shapes } from "./world";
