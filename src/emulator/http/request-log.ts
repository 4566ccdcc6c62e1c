import type { Json } from "../fields/json";

/** One request that the emulator answered. */
export interface RequestRecord {
  /** When it came, ISO 8601. */
  readonly at: string;
  readonly method: string;
  /** Without the query. */
  readonly path: string;
  readonly query: string;
  /** The route's path with `:name` parameters; undefined where no route answered. */
  readonly template: string | undefined;
  /** The parsed body; undefined where there was none, or none in JSON. */
  readonly body: Json | undefined;
  /** Status of the answer; 0 where the connection was broken on purpose. */
  readonly status: number;
  /** Id of the key that it came with; undefined where none was known. */
  readonly keyId: number | undefined;
}

const MOST = 100_000;

/** The latest requests; older ones are forgotten in chunks. */
export class RequestLog {
  readonly records: RequestRecord[] = [];

  add(record: RequestRecord): void {
    this.records.push(record);
    if (this.records.length > MOST) this.records.splice(0, MOST / 10);
  }

  clear(): void {
    this.records.length = 0;
  }
}
