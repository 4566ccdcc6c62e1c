/** Why an event is not sent. The codes stand in dead-letter files and outputs: add, never rename. */
export const reasons = {
  "line-too-long": "is longer than 1 MB, more than the service takes as one event",
  "not-utf8": "is not UTF-8",
  "not-json": "is not valid JSON",
  "not-an-object": "is not a JSON object",
  "too-deep": "is nested deeper than 100 levels",
  "lone-surrogate": "holds half of a surrogate pair (\\uD800 to \\uDFFF), which is no character",
  "number-out-of-range": "holds a number beyond what a double can hold",
  "file-broken": "breaks off here: the rest of the file cannot be read",
  "array-malformed": "is no well-formed JSON array here, but can be read",
  "array-broken": "is no JSON array from here on: the rest of the file cannot be read",
  "csv-header": "has no usable header line",
  "csv-malformed": "is not valid CSV",
  "csv-columns": "has another number of columns than the header",
  "csv-type": "does not fit the declared type of its column",
  "event-missing": "has no event name",
  "event-not-a-string": "has an event name that is not a string",
  "event-empty": "has an empty event name",
  "distinct-id-missing": "has no distinct_id, neither at the top level nor in properties",
  "distinct-id-type": "has a distinct_id that is neither a string nor a whole number",
  "distinct-id-empty": "has an empty distinct_id",
  "distinct-id-too-long": "has a distinct_id of more than 200 characters, which the service would cut off",
  "timestamp-missing": "has no timestamp",
  "timestamp-type": "has a timestamp of the wrong type",
  "timestamp-format": "has a timestamp that is not an ISO 8601 date and time",
  "timestamp-without-zone": "has a timestamp without a time zone",
  "timestamp-future": "has a timestamp in the future",
  "timestamp-before-1970": "has a timestamp before 1970",
  "properties-type": "has properties that are not an object",
  "set-type": "has a $set, $set_once or $unset of the wrong type",
  "uuid-invalid": "has a uuid that is not a UUID",
  "identify-shape": "is an $identify event whose $anon_distinct_id is not a non-empty string",
  "group-identify-shape":
    "is a $group_identify event without a $group_type, a $group_key, or with a $group_set that is no object",
  "event-too-large": "is larger than the service takes",
  rejected: "was refused by the service",
} as const;

/** A reason's code. */
export type Reason = keyof typeof reasons;

/** What is wrong with one event. */
export interface Problem {
  readonly reason: Reason;
  /** What was found, for a person; never a value that could be a secret. */
  readonly detail?: string;
}

/** The problem as a sentence's end: "is not valid JSON (…)". */
export function describeProblem(problem: Problem): string {
  const text = reasons[problem.reason];
  return problem.detail === undefined ? text : `${text}: ${problem.detail}`;
}
