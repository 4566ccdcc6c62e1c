import { createHash, randomBytes } from "node:crypto";

const BASE57 = "23456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz";

/** The same UUID for the same seed and name, so that seeded data keeps its ids from run to run. */
export function seededUuid(seed: number, name: string): string {
  const bytes = createHash("sha256")
    .update(`pulumi-posthog emulator ${seed} ${name}`)
    .digest()
    .subarray(0, 16);
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x50, 6);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  return bytes.toString("hex").replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}

/** A random token of letters and digits that are not easily mistaken for each other. */
export function randomToken(prefix: string, length = 43): string {
  let token = "";
  while (token.length < length) {
    for (const byte of randomBytes(length)) {
      // Bytes above the largest multiple of the alphabet would make its first letters more likely.
      if (byte < 228 && token.length < length) token += BASE57.charAt(byte % BASE57.length);
    }
  }
  return prefix + token;
}

export function urlSafeToken(bytes: number): string {
  return randomBytes(bytes).toString("base64url");
}
