export {
  announcedRate,
  announcedTotal,
  argumentProblems,
  destinationProblems,
  importArguments,
  rateProblem,
  settingsOf,
  shapeProblems,
  type ArgumentProblem,
  type Destination,
  type ImportArguments,
  type Settings,
} from "./arguments";
export { readCheckpoint, totalsOf, type Checkpoint } from "./checkpoint/checkpoint";
export { ImportError, type ImportFailure } from "./errors";
export type { CustomMapping } from "./mapping/custom";
export { exportEvents, type ExportOptions, type ExportResult } from "./run/export";
export { finishedImport, sourceDigest } from "./run/known";
export { formatCount, formatProgress, formatSeconds, type Progress } from "./run/progress";
export type { ImportResult } from "./run/result";
export type { ImportOptions } from "./run/options";
export { runImport } from "./run/run";
export { announcement, describe, invalidCount, scanProblems, type ScanReport } from "./scan/report";
export { scan, type ScanOptions } from "./scan/scan";
export { normaliseSource } from "./source/files";
export { isSameDigest } from "./source/print";
