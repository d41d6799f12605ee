import { type ErasedSubjects, erasedWallet, isErasedWallet } from "../../core/erasure.ts";
import type { Field } from "../statement/profile.ts";
import type { OpenedStatement } from "../statement/open-statement.ts";
import { encodeText } from "./encode-text.ts";
import { eraseRows } from "./erase-rows.ts";
import { once, sha256Of, textOf } from "./rewrite-statement.ts";

export interface ErasedOnArrival {
  readonly subjects: ErasedSubjects;
  /** Hex, of what is kept of the file where that is not all of it; its own hash is still that of the file that came. */
  readonly keptSha256: string | null;
}

/** A file that has come, without the personal data of those who were erased before. */
export async function eraseSource(
  opened: OpenedStatement,
  subjects: ErasedSubjects,
  accountId: number,
): Promise<OpenedStatement & ErasedOnArrival> {
  const { key } = subjects;
  const untouched = { ...opened, subjects, keptSha256: null };
  if (key === null || !subjects.any(accountId)) return untouched;
  const pieces: Buffer[] = [];
  for await (const piece of opened.source.bytes()) pieces.push(piece);
  const before = Buffer.concat(pieces);
  const { indexes, unmapped } = opened.layout.columns;
  const at = (...fields: Field[]) => fields.flatMap((field) => indexes.get(field) ?? []);
  // A profile need not know in which column a wallet stands.
  const walletColumns = [...at("wallet_address"), ...unmapped.map(({ index }) => index)];
  const nameColumns = at("provider_transaction_id", "our_reference");
  const isWallet = (cell: string) => subjects.has(accountId, "wallet", cell);
  const { text, lineNos } = eraseRows(await textOf(before, opened.encoding, opened.layout), opened.layout, {
    key,
    accountId,
    isErased: ({ cells }) => {
      const value = (index: number) => (cells[index] ?? "").trim();
      return (
        walletColumns.some((index) => isLong(value(index)) && isWallet(value(index))) ||
        nameColumns.some((index) => value(index) !== "" && subjects.has(accountId, "name", value(index)))
      );
    },
    // Rows that cannot be split into cells.
    replaceWords: (line) =>
      line.replaceAll(/[\w.:@+-]{8,}/g, (word) =>
        isWallet(word) ? erasedWallet(key, accountId, word) : word,
      ),
  });
  if (lineNos.length === 0) return untouched;
  const after = encodeText(text, opened.encoding, before);
  const source = { name: opened.source.name, bytes: () => once(after) };
  return { ...opened, source, subjects, keptSha256: sha256Of(after) };
}

function isLong(cell: string): boolean {
  return cell.length >= 8 && !isErasedWallet(cell);
}
