import type { ErasureKey } from "../../core/erasure.ts";
import type { Transaction } from "../../store/database.ts";
import { listAttachmentsOf, readAttachedBytes } from "../../store/books/attachments.ts";
import type { ErasureChanges } from "../../store/erasure/apply-erasure.ts";
import { openArchive } from "../workbook/unzip.ts";
import { WorkbookError } from "../workbook/workbook-error.ts";
import { sha256Of } from "./rewrite-statement.ts";

interface AttachmentRule {
  key: ErasureKey;
  accountId: number;
  transactionIds: readonly string[];
  replaceWords: (text: string) => string;
  /** New bytes are put at the end of these. */
  contents: Buffer[];
}

/**
 * What people put beside discrepancies. A file about one of the transactions is removed entirely: there is no telling which part of
 * a picture names a person. Of others, a text loses the wallet and stays; what is packed and quotes it goes as a whole.
 */
export async function eraseAttachments(
  tx: Transaction,
  { key, accountId, transactionIds, replaceWords, contents }: AttachmentRule,
) {
  const attachments: { id: number; at: number }[] = [];
  const seals: ErasureChanges["seals"][number][] = [];
  for (const { id, transactionId, kind } of await listAttachmentsOf(tx, accountId)) {
    const before = await readAttachedBytes(tx, id);
    const isAbout = transactionId !== null && transactionIds.includes(transactionId);
    if (isErased(before)) continue;
    const sha256 = sha256Of(before);
    const commitment = key.digest(accountId, "text", sha256);
    const gone = Buffer.from(`${erasedMark}${commitment}\n`);
    const after = isAbout ? gone : await withoutWords(before, kind, replaceWords, gone);
    if (after === null) continue;
    contents.push(after);
    attachments.push({ id, at: contents.length });
    seals.push({ relation: "attachments", row_key: String(id), commitment, seal: sha256Of(after) });
  }
  return { attachments, seals };
}

const erasedMark = "erased ";

function isErased(bytes: Buffer): boolean {
  return /^erased [0-9a-f]{64}\n$/.test(bytes.toString("latin1"));
}

/** `null`: the file does not contain it. */
async function withoutWords(
  bytes: Buffer,
  kind: string,
  replaceWords: (text: string) => string,
  gone: Buffer,
): Promise<Buffer | null> {
  const text = bytes.toString(kind === "text" ? "utf8" : "latin1");
  const left = replaceWords(text);
  if (left !== text) return kind === "text" ? Buffer.from(left) : gone;
  const wide = bytes.toString("utf16le");
  if (replaceWords(wide) !== wide) return gone;
  return kind === "zip" && (await isPackedIn(bytes, replaceWords)) ? gone : null;
}

async function isPackedIn(bytes: Buffer, replaceWords: (text: string) => string): Promise<boolean> {
  try {
    const archive = openArchive(bytes);
    for (const name of archive.names()) {
      const pieces: Buffer[] = [];
      for await (const piece of archive.read(name, partBytesMax)) pieces.push(piece);
      const text = Buffer.concat(pieces).toString("utf8");
      if (replaceWords(name) !== name || replaceWords(text) !== text) return true;
    }
    return false;
  } catch (error) {
    // What cannot be looked into may quote anything.
    if (error instanceof WorkbookError) return true;
    throw error;
  }
}

const partBytesMax = 64 * 1024 * 1024;
