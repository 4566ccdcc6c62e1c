import { isUtf8 } from "node:buffer";
import type { IncomingMessage } from "node:http";
import { promisify } from "node:util";
import { gunzip } from "node:zlib";

import { CaptureError, undecodable } from "./errors";

const WIRE_LIMIT = 20 * 1024 * 1024;
const DECOMPRESSED_LIMIT = 5 * WIRE_LIMIT;

const decompress = promisify(gunzip);

/** The text of a request: at most 20 MiB as sent and 100 MiB decompressed, gzip told by its first bytes alone. */
export async function readText(request: IncomingMessage): Promise<string> {
  const body = await readWire(request);
  const form = request.headers["content-type"]?.startsWith("application/x-www-form-urlencoded") === true;
  const payload = form ? formData(body) : body;
  const zipped = payload[0] === 0x1f && payload[1] === 0x8b && payload[2] === 8;
  const bytes = zipped ? await unzip(payload) : payload;
  if (!isUtf8(bytes)) throw undecodable(zipped ? "invalid gzip data" : "invalid body encoding");
  if (bytes.length > DECOMPRESSED_LIMIT) throw tooBig();
  return bytes.toString("utf8");
}

async function readWire(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    length += chunk.length;
    // What is too long is read to its end but not kept: a client that is still sending would not see the answer.
    if (length <= WIRE_LIMIT) chunks.push(chunk);
    else chunks.length = 0;
  }
  if (length > WIRE_LIMIT) throw new CaptureError(413, "length limit exceeded");
  return Buffer.concat(chunks);
}

function formData(body: Buffer): Buffer {
  const data = new URLSearchParams(body.toString("utf8")).get("data");
  if (data === null) throw undecodable("missing data field");
  return Buffer.from(data, "base64");
}

async function unzip(payload: Buffer): Promise<Buffer> {
  try {
    return await decompress(payload, { maxOutputLength: DECOMPRESSED_LIMIT });
  } catch (error) {
    const over =
      typeof error === "object" && error !== null && "code" in error && error.code === "ERR_BUFFER_TOO_LARGE";
    throw over ? tooBig() : undecodable("invalid gzip data");
  }
}

function tooBig(): CaptureError {
  return new CaptureError(400, "maximum event size exceeded");
}
