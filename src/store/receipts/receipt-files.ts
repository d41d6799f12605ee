import { and, asc, eq, getTableColumns, gt } from "drizzle-orm";
import { accountName } from "../accounts/accounts.ts";
import { type AccountReader, anyOf, type Filters, ofAccounts, seenBy } from "../conditions.ts";
import type { Queryable, Transaction } from "../database.ts";
import type { Page, PageWanted } from "../keyset.ts";
import { actorName } from "../people/actor-name.ts";
import { receiptFiles, receiptRows } from "../schema/receipts.ts";
import { pagingBy, selectPage } from "../select-page.ts";

export type NewReceiptFile = Omit<typeof receiptFiles.$inferInsert, "id" | "state">;

/** A bank's file with the names of its account and of who imported and withdrew it. */
export type StoredReceiptFile = typeof receiptFiles.$inferSelect & {
  account: string;
  importedByName: string;
  withdrawnByName: string | null;
};

const columns = {
  ...getTableColumns(receiptFiles),
  account: accountName(receiptFiles.accountId),
  importedByName: actorName(receiptFiles.importedBy),
  withdrawnByName: actorName<string | null>(receiptFiles.withdrawnBy),
};

export async function drawReceiptFileId(tx: Queryable): Promise<number> {
  const [row] = await tx.query<{ id: string }>("select nextval('tieout.receipt_files_id_seq') as id");
  return Number(row?.id);
}

/** Written last, when everything about the file is known. */
export async function insertReceiptFile(tx: Transaction, id: number, file: NewReceiptFile): Promise<void> {
  await tx.orm
    .insert(receiptFiles)
    .overridingSystemValue()
    .values({ ...file, id });
}

/** The file with these bytes, unless it was withdrawn. */
export async function findImportedReceipts(
  tx: Queryable,
  file: { accountId: number; sha256: Buffer },
): Promise<StoredReceiptFile | null> {
  const [row] = await tx.orm
    .select(columns)
    .from(receiptFiles)
    .where(
      and(
        eq(receiptFiles.accountId, file.accountId),
        eq(receiptFiles.sha256, file.sha256),
        eq(receiptFiles.state, "imported"),
      ),
    );
  return row ?? null;
}

/** `accountIds`: only of these accounts. */
export async function findReceiptFile(
  tx: Queryable,
  id: number,
  accountIds: readonly number[] | null = null,
): Promise<StoredReceiptFile | null> {
  const [row] = await tx.orm
    .select(columns)
    .from(receiptFiles)
    .where(and(seenBy({ accountIds }, receiptFiles.accountId), eq(receiptFiles.id, id)));
  return row ?? null;
}

export const receiptFilePaging = pagingBy(receiptFiles, "descending", "id");

export async function listReceiptFiles(
  reader: AccountReader,
  filters: Filters<"account" | "format" | "state">,
  page: PageWanted,
): Promise<Page<StoredReceiptFile>> {
  const select = reader.database.orm.select(columns).from(receiptFiles).$dynamic();
  return selectPage(select, receiptFilePaging, page, [
    seenBy(reader, receiptFiles.accountId),
    ofAccounts(receiptFiles.accountId, filters.account),
    anyOf(receiptFiles.format, filters.format),
    anyOf(receiptFiles.state, filters.state),
  ]);
}

export async function listReceiptFileIds(tx: Queryable): Promise<number[]> {
  const rows = await tx.orm.select({ id: receiptFiles.id }).from(receiptFiles).orderBy(asc(receiptFiles.id));
  return rows.map(({ id }) => id);
}

export type RejectedReceipt = Awaited<ReturnType<typeof listRejectedReceipts>>[number];

/** Rows that were not taken, in the order of the file. */
export async function listRejectedReceipts(
  tx: Queryable,
  { fileId, after, limit }: { fileId: number; after: number; limit: number },
) {
  const { rowNo, lineNo, code, field, reason, originalText } = receiptRows;
  return tx.orm
    .select({ rowNo, lineNo, code, field, reason, originalText })
    .from(receiptRows)
    .where(and(eq(receiptRows.fileId, fileId), gt(rowNo, after), eq(receiptRows.outcome, "rejected")))
    .orderBy(rowNo)
    .limit(limit);
}

export interface ReusedNumber {
  number: string;
  before: string;
  now: string;
}

/** Lines of a file that would take the place of others with their number, although the money or the time is another. */
export async function findReusedNumbers(
  tx: Queryable,
  { fileId, limit }: { fileId: number; limit: number },
): Promise<ReusedNumber[]> {
  return tx.query<ReusedNumber>(
    `select l.bank_reference as number, ${saidOf("held")} as before, ${saidOf("l")} as now
     from tieout.receipt_lines as l
     join tieout.receipt_lines as held
       on (held.account_id, held.line_key, held.occurrence) = (l.account_id, l.line_key, l.occurrence)
      and held.file_id <> l.file_id
     where l.file_id = $1
       and ((held.amount, held.direction) <> (l.amount, l.direction)
         or abs(held.value_date - l.value_date) > ${restatedDaysMax})
       and not exists (
         select from tieout.receipt_retirements as r where r.line_id = held.id and r.restored_at is null
       )
     order by l.row_no
     limit $2`,
    [fileId, limit],
  );
}

const saidOf = (line: string) =>
  `concat_ws(' ', 'a', ${line}.direction, 'of', ${line}.amount, ${line}.currency, 'on', ${line}.value_date)`;

/** Banks restate the day of a booking by a weekend or a holiday, not by more. */
const restatedDaysMax = 7;

/** Takes a file back as a unit. Nothing is deleted: its lines stop counting, unless another file carries them too. */
export async function markReceiptsWithdrawn(
  tx: Transaction,
  { id, at, by, reason }: { id: number; at: string; by: string; reason: string },
): Promise<void> {
  await tx.orm
    .update(receiptFiles)
    .set({ state: "withdrawn", withdrawnAt: at, withdrawnBy: by, withdrawnReason: reason })
    .where(eq(receiptFiles.id, id));
}

/** Every row of a file; `originLineId`: the line that was made of this very row. */
export async function listReceiptRows(tx: Queryable, fileId: number) {
  return tx.query<{
    rowNo: number;
    originalText: string;
    reason: string | null;
    originLineId: number | null;
  }>(
    `select r.row_no as "rowNo", r.original_text as "originalText", r.reason, l.id::int as "originLineId"
     from tieout.receipt_rows as r
     left join tieout.receipt_lines as l on l.id = r.line_id and l.file_id = r.file_id and l.row_no = r.row_no
     where r.file_id = $1
     order by r.row_no`,
    [fileId],
  );
}
