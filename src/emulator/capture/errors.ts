/** A refusal of batch capture: plain text, unlike every other endpoint's errors. */
export class CaptureError extends Error {
  readonly status: number;

  constructor(status: number, text: string) {
    super(text);
    this.status = status;
  }
}

/** A body that cannot be read at all. */
export function undecodable(why: string): CaptureError {
  return new CaptureError(400, `failed to decode request: ${why}`);
}

/** A body that is no request of events. */
export function unparsable(why: string): CaptureError {
  return new CaptureError(400, `failed to parse request: ${why}`);
}
