import { createHash, createPublicKey, type KeyObject } from "node:crypto";
import { counted } from "../core/counted.ts";
import { verifyPack } from "../close/verify-pack.ts";
import { usageError } from "../core/errors.ts";
import { readGiven, sizeOfGiven } from "./given-file.ts";
import { writeOut } from "./write-out.ts";

/** Needs neither a database nor a configuration. */
export async function verifyPackCommand(file: string, flags: { key?: string; json: boolean }): Promise<void> {
  await sizeOfGiven(file);
  const key = flags.key === undefined ? null : await readPublicKey(flags.key);
  const { manifest, manifestSha256, signOff, publicKey, bytes } = await verifyPack(file, key);
  const fingerprint = createHash("sha256").update(Buffer.from(publicKey, "base64")).digest("hex");
  if (flags.json) {
    const { account, month, known_at, files } = manifest;
    const result = { sound: true, account, month, known_at, files: files.length, bytes };
    const signed = { manifest_sha256: manifestSha256, key_sha256: fingerprint, key_given: key !== null };
    writeOut(`${JSON.stringify({ ...result, ...signed, events: signOff.events })}\n`);
    return;
  }
  const lines = [
    `Sound: ${manifest.account} ${manifest.month}, ${counted(manifest.files.length, "file")}, ${counted(bytes, "byte")}, known at ${manifest.known_at}`,
    ...signOff.events.map(({ event, name, at }) => `  ${event} by ${name} at ${at}`),
    `  manifest ${manifestSha256}`,
    `  signed with the key ${fingerprint}`,
    ...(key === null
      ? ["  The key was not compared: give the service's own with --key, from its /signing-key.pem."]
      : []),
  ];
  writeOut(`${lines.join("\n")}\n`);
}

async function readPublicKey(file: string): Promise<KeyObject> {
  const pem = await readGiven(file, { option: "--key" });
  try {
    const key = createPublicKey(pem);
    if (key.asymmetricKeyType === "ed25519") return key;
  } catch {
    // Said below.
  }
  throw usageError(`--key: ${file} is not an Ed25519 public key in PEM`);
}
