import { createHash } from "node:crypto";

/** All that is kept of a token. It is random and long, so a plain hash cannot be guessed backwards. */
export function tokenHash(token: string): Buffer {
  return createHash("sha256").update(token).digest();
}
