import { createPublicKey, type KeyObject, sign, verify } from "node:crypto";
import { canonicaliseJson } from "../core/canonical-json.ts";

/** The last part of a pack: says by whose key its manifest and its sign-off were signed. */
export function signatureText(key: KeyObject, signed: SignedHashes): string {
  return canonicalText({
    algorithm: "Ed25519",
    ...signed,
    public_key: publicKeyText(createPublicKey(key)),
    signature: sign(null, signedBytes(signed), key).toString("base64"),
  });
}

export interface SignedHashes {
  manifest_sha256: string;
  sign_off_sha256: string;
}

/**
 * The key that a signature names, or what is wrong with it. The text must be the very one that `signatureText` writes: a
 * base64 text has bits that decoding ignores, and a changed byte there must be found too.
 */
export function checkSignature(text: string, signed: SignedHashes): KeyObject | { wrong: string } {
  let given: Record<string, string>;
  try {
    given = JSON.parse(text) as Record<string, string>;
  } catch {
    return { wrong: "the signature is not JSON" };
  }
  let key: KeyObject;
  try {
    const der = Buffer.from(given["public_key"] ?? "", "base64");
    key = createPublicKey({ key: der, format: "der", type: "spki" });
  } catch {
    return { wrong: "the signature names no key" };
  }
  const signature = Buffer.from(given["signature"] ?? "", "base64");
  const expected = canonicalText({
    algorithm: "Ed25519",
    ...signed,
    public_key: publicKeyText(key),
    signature: signature.toString("base64"),
  });
  if (text !== expected) return { wrong: "the signature is of another manifest or sign-off" };
  if (key.asymmetricKeyType !== "ed25519" || !verify(null, signedBytes(signed), key, signature))
    return { wrong: "the signature does not fit what it signs" };
  return key;
}

export function publicKeyText(key: KeyObject): string {
  return key.export({ type: "spki", format: "der" }).toString("base64");
}

function signedBytes({ manifest_sha256, sign_off_sha256 }: SignedHashes): Buffer {
  return Buffer.from(`tieout pack\n${manifest_sha256}\n${sign_off_sha256}\n`);
}

/** One text for the same value, in any program: keys sorted, numbers as decimals, a line feed at the end. */
export function canonicalText(value: unknown): string {
  const text = canonicaliseJson(JSON.stringify(value));
  if (text === null) throw new TypeError("only what JSON can hold is written into a pack");
  return `${text}\n`;
}
