import { createHash, timingSafeEqual } from "node:crypto";
import { RefusedError } from "./refusal.ts";

export interface Credentials {
  readonly apiKey: string;
  readonly apiSecret: string;
}

/** The header holds the key itself: no scheme, no prefix. */
export function requireKey(credentials: Credentials, header: string | undefined): void {
  if (header === undefined || header === "") {
    throw new RefusedError(
      "API_KEY_MISSING",
      "Send your API key in the Authorization header.",
      "Authorization",
    );
  }
  refuseWrongKey(credentials, header);
}

/** For endpoints that answer without a key: a key that is sent must still be right, or a typing error stays unseen. */
export function refuseWrongKey(credentials: Credentials, header: string | undefined): void {
  if (header === undefined || header === "" || sameText(header, credentials.apiKey)) return;
  throw new RefusedError(
    "API_KEY_INVALID",
    "The API key in the Authorization header is not known here. The header holds the key itself, without a scheme.",
    "Authorization",
  );
}

export function requireSecret(credentials: Credentials, header: string | undefined): void {
  if (header === undefined || header === "") {
    throw new RefusedError(
      "API_SECRET_MISSING",
      "Send your API secret in the x-service-secret header.",
      "x-service-secret",
    );
  }
  if (!sameText(header, credentials.apiSecret)) {
    throw new RefusedError(
      "API_SECRET_INVALID",
      "The secret in the x-service-secret header does not belong to this key.",
      "x-service-secret",
    );
  }
}

/** Digests first: they have one length, and the time of the comparison then tells nothing about the text. */
function sameText(a: string, b: string): boolean {
  return timingSafeEqual(digest(a), digest(b));
}

function digest(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}
