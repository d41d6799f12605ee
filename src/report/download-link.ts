import { createHmac, timingSafeEqual } from "node:crypto";

export interface SignedFile {
  exportId: string;
  /** Place in the list of files, from 1. */
  file: number;
  expiresMs: number;
}

/** A link that works without a key, for this file and until then. */
export function signDownload(secret: Buffer, link: SignedFile): string {
  return createHmac("sha256", secret)
    .update(`${link.exportId}/${link.file}/${link.expiresMs}`)
    .digest("base64url");
}

export function isSignedDownload(
  secret: Buffer,
  link: SignedFile,
  signature: string,
  nowMs: number,
): boolean {
  // An expired export has given up its secret; nothing signed with none is good.
  if (secret.length === 0 || link.expiresMs <= nowMs) return false;
  const wanted = Buffer.from(signDownload(secret, link));
  const given = Buffer.from(signature);
  return wanted.length === given.length && timingSafeEqual(wanted, given);
}
