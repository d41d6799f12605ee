import type { KeyObject } from "node:crypto";
import { invalid, type ReadPart, readZip } from "./read-zip.ts";
import { canonicalText, checkSignature, publicKeyText } from "./sign-pack.ts";

export const manifestName = "manifest.json";
export const signOffName = "sign-off.json";
export const signatureName = "signature.json";

export interface Manifest {
  format: "tieout-pack/1";
  account: string;
  month: string;
  timezone: string;
  from: string;
  to: string;
  known_at: string;
  files: { name: string; bytes: number; sha256: string }[];
}

interface SignOff {
  manifest_sha256: string;
  events: { event: string; by: string; name: string; at: string }[];
}

export interface SoundPack {
  manifest: Manifest;
  /** What the sign-off names, and what the database keeps of the pack. */
  manifestSha256: string;
  signOff: SignOff;
  /** The key that signed it, base64 of its DER form. */
  publicKey: string;
  bytes: number;
}

/**
 * Checks a pack without a database: every byte of it. `key` is the service's public key from another source; without it
 * a pack that someone made anew and signed with a key of their own looks sound, so the key is told.
 */
export async function verifyPack(path: string, key: KeyObject | null): Promise<SoundPack> {
  const parts = await readZip(path, (name) => small.includes(name));
  const [manifestPart, signOffPart, signaturePart] = small.map((name) => contentOf(parts, name));
  if (!manifestPart || !signOffPart || !signaturePart) throw invalid("it has no manifest or no signature");
  const manifest = parse(manifestPart.text, manifestName) as Manifest;
  const signOff = parse(signOffPart.text, signOffName) as SignOff;
  if (manifest.format !== "tieout-pack/1") throw invalid(`it has the format ${String(manifest.format)}`);
  compareParts(parts, manifest);
  if (signOff.manifest_sha256 !== manifestPart.sha256) throw invalid(`${signOffName} is of another manifest`);
  const signed = { manifest_sha256: manifestPart.sha256, sign_off_sha256: signOffPart.sha256 };
  const signer = checkSignature(signaturePart.text, signed);
  if ("wrong" in signer) throw invalid(signer.wrong);
  if (key !== null && publicKeyText(key) !== publicKeyText(signer))
    throw invalid("it was signed with another key than the one given");
  return {
    manifest,
    manifestSha256: manifestPart.sha256,
    signOff,
    publicKey: publicKeyText(signer),
    bytes: parts.reduce((sum, { bytes }) => sum + bytes, 0),
  };
}

const small = [manifestName, signOffName, signatureName];

function contentOf(parts: readonly ReadPart[], name: string) {
  const part = parts.find((one) => one.name === name);
  return part?.content ? { sha256: part.sha256, text: part.content.toString("utf8") } : null;
}

/** Every part has its place: those of the manifest in its order, then the three that stand for themselves. */
function compareParts(parts: readonly ReadPart[], { files }: Manifest): void {
  const listed = [...files.map(({ name }) => name), ...small];
  const found = parts.map(({ name }) => name);
  if (listed.join("\n") !== found.join("\n")) throw invalid("its parts are not those of its manifest");
  for (const [index, { name, bytes, sha256 }] of files.entries()) {
    const part = parts[index];
    if (part?.sha256 !== sha256 || part.bytes !== bytes)
      throw invalid(`${name} is not the file that the manifest names`);
  }
}

/** Only the canonical form: another one would be another file with the same meaning. */
function parse(text: string, name: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    if (canonicalText(value) === text) return value;
  } catch {
    // Said below.
  }
  throw invalid(`${name} is not as tieout writes it`);
}
