import {
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  sign,
  verify,
} from "node:crypto";
import { createReadStream } from "node:fs";
import { type FileHandle, open, stat } from "node:fs/promises";
import { createInterface } from "node:readline";
import { TieoutError } from "../core/errors.ts";
import type { Secret } from "../core/secret.ts";
import { type AuditHead, parseAuditHead } from "../store/people/audit-head.ts";
import type { Mismatch } from "../store/transactions/integrity.ts";
import { secretFile } from "../store/embedded/secret-files.ts";
import { readOrDraw } from "../store/embedded/whole-file.ts";

/** Where heads of the audit log go, and what they are signed with. */
export interface AuditHeadsFile {
  path: string;
  key: KeyObject;
}

interface Places {
  dataDir: string;
  auditHeadsFile: string | null;
  auditSigningKey: Secret | null;
}

/** The key that is configured, or one that is drawn once and kept in the data folder. */
export async function openAuditHeads(places: Places): Promise<AuditHeadsFile> {
  const path = pathOf(places);
  if (places.auditSigningKey !== null) return { path, key: readKey(places.auditSigningKey.reveal()) };
  const pem = await readOrDraw(secretFile(places.dataDir, "auditKey"), () =>
    String(generateKeyPairSync("ed25519").privateKey.export({ type: "pkcs8", format: "pem" })),
  );
  return { path, key: readKey(pem) };
}

function pathOf({ dataDir, auditHeadsFile }: Places): string {
  return auditHeadsFile ?? secretFile(dataDir, "auditHeads");
}

function readKey(pem: string): KeyObject {
  try {
    const key = createPrivateKey(pem);
    if (key.asymmetricKeyType === "ed25519") return key;
  } catch {
    // Said below, without quoting it.
  }
  throw new TieoutError(
    "config_invalid",
    "AUDIT_SIGNING_KEY: expected an Ed25519 private key in PEM, as openssl genpkey -algorithm ed25519 writes it",
  );
}

/** One line for each head, at the end of the file: what stands there is never written again. */
export async function appendHead(file: AuditHeadsFile, head: AuditHead, at: string): Promise<void> {
  const text = `${head.number}:${head.hash}`;
  const signature = sign(null, signedBytes(text, at), file.key).toString("base64");
  const line = `${JSON.stringify({ head: text, at, signature })}\n`;
  const handle = await open(file.path, "a+", 0o600);
  try {
    // A full disk, or a power cut, may have left a piece of a line: this head must not become a part of it.
    await handle.appendFile((await endsWithinLine(handle)) ? `\n${line}` : line);
  } finally {
    await handle.close();
  }
}

async function endsWithinLine(handle: FileHandle): Promise<boolean> {
  const { size } = await handle.stat();
  if (size === 0) return false;
  const { buffer } = await handle.read(Buffer.alloc(1), 0, 1, size - 1);
  return buffer.toString() !== "\n";
}

function signedBytes(head: string, at: string): Buffer {
  return Buffer.from(`tieout audit head\n${head}\n${at}\n`);
}

/** All heads of the file, and the lines that were not signed with the key. */
export async function readHeads({
  path,
  key,
}: AuditHeadsFile): Promise<{ heads: AuditHead[]; mismatches: Mismatch[] }> {
  const heads: AuditHead[] = [];
  const mismatches: Mismatch[] = [];
  if ((await stat(path).catch(() => null)) === null) return { heads, mismatches };
  const publicKey = createPublicKey(key);
  let lineNo = 0;
  for await (const line of createInterface({ input: createReadStream(path) })) {
    lineNo += 1;
    const head = readSigned(line, publicKey);
    if (head !== null) heads.push(head);
    else if (!isPiece(line))
      mismatches.push({
        subject: `line ${lineNo} of ${path}`,
        problem: "its signature does not fit what it says",
      });
  }
  // One line that does not fit was changed; if none does, the key is more likely to be another one.
  if (heads.length === 0 && lineNo > 1) {
    const problem = `none of its ${lineNo} signatures was made with this key: verify with the AUDIT_SIGNING_KEY that signed them`;
    return { heads, mismatches: [{ subject: path, problem }] };
  }
  return { heads, mismatches };
}

/** The start of a line that was cut off while it was written. It is no evidence of anything. */
function isPiece(line: string): boolean {
  const beginning = '{"head":"';
  return beginning.startsWith(line) || (line.startsWith(beginning) && !line.endsWith("}"));
}

function readSigned(line: string, key: KeyObject): AuditHead | null {
  try {
    const { head, at, signature } = JSON.parse(line) as Record<string, string>;
    const isSigned = verify(
      null,
      signedBytes(head ?? "", at ?? ""),
      key,
      Buffer.from(signature ?? "", "base64"),
    );
    return isSigned ? parseAuditHead(head ?? "") : null;
  } catch {
    return null;
  }
}
