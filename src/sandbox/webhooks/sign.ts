import { createHmac } from "node:crypto";

/**
 * Signs an event as Standard Webhooks says: HMAC-SHA256 over `id.timestamp.body`, base64, after the version `v1`.
 * https://www.standardwebhooks.com
 */
export function signEvent(
  secret: string,
  event: { readonly id: string; readonly timestamp: number; readonly body: string },
): string {
  const { id, timestamp, body } = event;
  const mac = createHmac("sha256", keyOf(secret)).update(`${id}.${timestamp}.${body}`).digest("base64");
  return `v1,${mac}`;
}

/** `whsec_` and 24 to 64 bytes in base64. */
export function isWebhookSecret(text: string): boolean {
  if (!/^whsec_[A-Za-z0-9+/]+={0,2}$/.test(text)) return false;
  const { length } = keyOf(text);
  return length >= 24 && length <= 64;
}

function keyOf(secret: string): Buffer {
  return Buffer.from(secret.slice("whsec_".length), "base64");
}
