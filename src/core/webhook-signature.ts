import { createHash, createHmac, timingSafeEqual } from "node:crypto";

/** Standard Webhooks (https://www.standardwebhooks.com): how events are signed, ours and the aggregator's. */
export interface SignedEvent {
  readonly id: string;
  /** Unix seconds of the attempt. */
  readonly timestamp: number;
  readonly body: string;
}

/** HMAC-SHA256 over `id.timestamp.body`, base64, after the version `v1`. */
export function signWebhook(secret: string, { id, timestamp, body }: SignedEvent): string {
  const mac = createHmac("sha256", keyOf(secret)).update(`${id}.${timestamp}.${body}`).digest("base64");
  return `v1,${mac}`;
}

/** The header may hold several signatures, one for each secret that is good; any of them is enough. */
export function isSignedWith(secret: string, event: SignedEvent, header: string): boolean {
  const wanted = Buffer.from(signWebhook(secret, event));
  return header
    .split(" ")
    .map((one) => Buffer.from(one))
    .some((given) => given.length === wanted.length && timingSafeEqual(given, wanted));
}

/** `whsec_` and 24 to 64 bytes in base64. */
export function isWebhookSecret(text: string): boolean {
  if (!/^whsec_[A-Za-z0-9+/]+={0,2}$/.test(text)) return false;
  const { length } = keyOf(text);
  return length >= 24 && length <= 64;
}

/**
 * An endpoint's secret is made of a signing key that lies outside the database: a copy of the database signs nothing, and a
 * rotation is a number that goes up.
 */
export function endpointSecret(signingKey: string, endpoint: { id: string; version: number }): string {
  const bytes = createHmac("sha256", signingKey).update(`webhook ${endpoint.id} ${endpoint.version}`);
  return `whsec_${bytes.digest("base64")}`;
}

/** Tells two signing keys apart; too short to find one out by trying. */
export function signingKeyFingerprint(signingKey: string): string {
  return createHash("sha256").update(`tieout webhook key\n${signingKey}`).digest("hex").slice(0, 8);
}

function keyOf(secret: string): Buffer {
  return Buffer.from(secret.slice("whsec_".length), "base64");
}
