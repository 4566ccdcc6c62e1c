import type { Problem } from "../event/reasons";

/** The longest line or element that is taken: the service takes no larger event. */
export const longestRecord = 1_000_000;
/** How much of a record that is too long is shown. */
export const shownBytes = 1000;

/** Whole lines, in the arena. */
export interface LinesBlock {
  readonly kind: "lines";
  readonly start: number;
  readonly end: number;
  /** Where `start` stands in the file, decompressed. */
  readonly offset: number;
}

/** One object of a source that is no line, or something that is wrong with the file. */
export interface SourceRecord {
  readonly text: Buffer;
  /** Where it stands, counted from 1; undefined: one line after what was read before. */
  readonly line: number | undefined;
  /** Where it starts, decompressed, where several can stand on one line. */
  readonly start?: number;
  /** Where reading can go on behind it, decompressed. */
  readonly end: number;
  /** Lines passed at `end`, where a record is not exactly one line. */
  readonly lineAfter?: number;
  readonly problem?: Problem;
  /** What stands in the file, where `text` was made of it. */
  readonly original?: Buffer;
  /** Length of the original where `text` is cut. */
  readonly bytes?: number;
}

/** Objects of a source that are no lines. */
export interface RecordsBlock {
  readonly kind: "records";
  readonly records: readonly SourceRecord[];
}

/** What a source hands on at once. A block is valid until the one after the next is asked for. */
export type Block = LinesBlock | RecordsBlock;

/** Where reading goes on: behind `offset` decompressed bytes and `line` lines. */
export interface Position {
  readonly offset: number;
  readonly line: number;
}

/** The beginning of a file. */
export const beginning: Position = { offset: 0, line: 0 };
