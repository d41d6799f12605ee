/**
 * The form of an API key: `tieout_<8 characters id>_<30 characters secret><6 characters checksum>`, all base62. About
 * 178 bits of secret; underscores, so that a double click selects it all; the checksum refuses a typing error without
 * asking the database, and lets scanners tell a leaked key from noise.
 */
import { createHash } from "node:crypto";
import { crc32 } from "node:zlib";

const prefix = "tieout";
const idLength = 8;
const secretLength = 30;
const checksumLength = 6;
const alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const form = /^tieout_([0-9A-Za-z]{8})_([0-9A-Za-z]{30})([0-9A-Za-z]{6})$/;

export interface ApiKeyParts {
  /** Public: shown in lists, logs and the audit log. */
  id: string;
  /** What follows the last underscore: the secret and the checksum. */
  secret: string;
}

export function makeApiKey(randomBytes: (count: number) => Uint8Array): string {
  const body = `${prefix}_${randomText(randomBytes, idLength)}_${randomText(randomBytes, secretLength)}`;
  return body + checksum(body);
}

/** `null` when the text cannot be a key: not of the form, or mistyped. */
export function parseApiKey(text: string): ApiKeyParts | null {
  const found = form.exec(text);
  if (!found) return null;
  const [, id = "", secret = "", sum = ""] = found;
  if (checksum(`${prefix}_${id}_${secret}`) !== sum) return null;
  return { id, secret: secret + sum };
}

/** All that is kept of a key. The secret is random and long, so a plain hash cannot be guessed backwards. */
export function hashApiKey(key: string): Buffer {
  return createHash("sha256").update(key).digest();
}

function checksum(text: string): string {
  let left = crc32(text);
  let digits = "";
  while (digits.length < checksumLength) {
    digits = (alphabet[left % alphabet.length] ?? "") + digits;
    left = Math.floor(left / alphabet.length);
  }
  return digits;
}

/** Bytes above the last whole multiple of 62 are thrown away: taking the rest of a division would favour some letters. */
function randomText(randomBytes: (count: number) => Uint8Array, length: number): string {
  const fairBelow = 256 - (256 % alphabet.length);
  let text = "";
  while (text.length < length) {
    for (const byte of randomBytes(length)) {
      if (byte < fairBelow && text.length < length) text += alphabet[byte % alphabet.length];
    }
  }
  return text;
}
