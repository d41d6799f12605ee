import { createHmac } from "node:crypto";

/**
 * A value that may be used but not shown. Logging, inspecting, serialising or interpolating it prints a mask, so that a
 * configuration object can be passed around and even dumped without leaking what it holds.
 */
export interface Secret {
  reveal(): string;
  /** A mask. */
  toString(): string;
}

const mask = "[secret]";
const inspectSymbol = Symbol.for("nodejs.util.inspect.custom");

export function secret(value: string): Secret {
  // The value lives in the closure only: there is no property for a printer to find.
  return Object.freeze({
    reveal: () => value,
    toString: () => mask,
    toJSON: () => mask,
    [inspectSymbol]: () => mask,
  });
}

/**
 * Tells two pairs of key and secret apart without holding them: a hash that is keyed with the secret itself. Eight digits
 * are enough for that, and too few to find a secret out by trying.
 */
export function fingerprintOf(credentials: { apiKey: Secret; apiSecret: Secret }): string {
  return createHmac("sha256", credentials.apiSecret.reveal())
    .update(credentials.apiKey.reveal())
    .digest("hex")
    .slice(0, 8);
}

/** A connection address without its user name and password, for people: `postgres://db.example:5432/tieout`. */
export function addressWithoutSecrets(url: string): string {
  try {
    const { protocol, host, pathname } = new URL(url);
    return `${protocol}//${host}${pathname}`;
  } catch {
    return "[unreadable address]";
  }
}
