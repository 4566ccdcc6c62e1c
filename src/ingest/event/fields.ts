import type { TimeUnit } from "./time";

/** A value of the source with its original JSON text. */
export interface Located {
  readonly value: unknown;
  readonly json: Buffer | string;
}

/** How a mapping reads its times. */
export interface TimeFormat {
  /** A time without zone is refused, or is UTC because the export's format says so. */
  readonly naive: "refuse" | "utc";
  /** Whether counts since 1970 are taken, and in which unit (`auto`: by their size). */
  readonly epoch: "refuse" | "auto" | TimeUnit;
}

/** What a mapping picks out of one object of the source; what it leaves out is missing there. */
export interface Fields {
  readonly event: Located | undefined;
  readonly distinctId: Located | undefined;
  readonly timestamp: Located | undefined;
  readonly time: TimeFormat;
  /** The properties' object. */
  readonly properties: Located | undefined;
  /** Members put before the properties' own, where those have no such name. */
  readonly added: readonly (readonly [name: string, json: Buffer | string])[];
  readonly set: Located | undefined;
  readonly setOnce: Located | undefined;
  readonly uuid: Located | undefined;
  /** The source's own mark against repetition (`$insert_id` and its kin). */
  readonly insertId: Located | undefined;
  /** Top-level names that the service would ignore, and that are therefore not sent. */
  readonly ignored: readonly string[];
}
