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
export { ROUTES } from "./http/endpoints";
export { ALL_FEATURES } from "./world/features";
export { type Fault, type FaultAction, FaultSpecError, parseFaults } from "./faults/faults";
export type { MemberRecord, NewKey, NewMember, PublishedPlugin } from "./hand";
export { DataFileError } from "./world/persistence";
export { parseRateLimit, type RateLimit, RateLimitSpecError } from "./http/rate-limit";
export type { RequestRecord } from "./http/request-log";
export type { Route, Scope } from "./http/router";
export { Store } from "./store/store";
export type { InferCapabilities, Shapes } from "./world/world";
