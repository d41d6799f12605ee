import type { Readable } from "node:stream";
import { plainCell } from "../core/csv-cell.ts";
import {
  decisionWords,
  discrepancySheet,
  editedColumns,
  rowColumns,
  sheetRowsMax,
} from "../core/discrepancy-sheet.ts";
import { MINUTE } from "../core/duration.ts";
import type { AccountReader } from "../store/conditions.ts";
import type { Database } from "../store/database.ts";
import { withSnapshot } from "../store/exports/copy-report.ts";
import {
  type DiscrepancyFilters,
  discrepancyPaging,
  type DiscrepancyRow,
  listDiscrepancies,
} from "../store/books/discrepancy-reads.ts";
import { SheetTooLarge } from "./errors.ts";
import { csvOf } from "./xlsx/report-workbook.ts";
import type { SheetColumn } from "./xlsx/sheet.ts";
import { workbookOf } from "./xlsx/workbook.ts";

type ColumnOf = SheetColumn & { read: (row: DiscrepancyRow) => string | null };

const text = (name: string, read: ColumnOf["read"], width?: number): ColumnOf => ({
  name,
  type: "text",
  read,
  ...(width === undefined ? {} : { width }),
});

const columns: readonly ColumnOf[] = [
  text(rowColumns.id, ({ id }) => `dis_${id}`, 16),
  { name: rowColumns.version, type: "integer", read: ({ version }) => String(version) },
  text("state", ({ state }) => state, 14),
  text(editedColumns.decision, () => null, 14),
  text(editedColumns.owner, ({ owner }) => owner),
  text(editedColumns.note, () => null, 40),
  text("code", ({ code }) => code, 28),
  text("level", ({ level }) => level, 10),
  text("account", ({ account }) => account, 14),
  text("provider", ({ provider }) => provider, 14),
  text("transaction_id", ({ transactionId }) => transactionId, 30),
  text("provider_transaction_id", ({ providerTransactionId }) => providerTransactionId, 38),
  text("payout_ref", ({ payoutRef }) => payoutRef),
  text("file_name", ({ fileName }) => fileName),
  { name: "line_no", type: "integer", read: ({ lineNo }) => lineNo?.toString() ?? null },
  { name: "expected", type: "amount", read: ({ expected }) => expected },
  { name: "actual", type: "amount", read: ({ actual }) => actual },
  { name: "delta", type: "amount", read: ({ delta }) => delta },
  text("currency", ({ currency }) => currency, 10),
  { name: "value", type: "amount", read: ({ value }) => value },
  text("value_currency", ({ valueCurrency }) => valueCurrency, 14),
  { name: "age_days", type: "integer", read: ({ ageDays }) => String(ageDays) },
];

const rowsPerPage = 1_000;

/**
 * What waits for someone, as a workbook to be filled in: a decision, an owner, a note. Everything else in it is for
 * looking at, and not read when it comes back.
 */
export async function discrepancyWorkbook(
  { database, accountIds }: AccountReader & { database: Database },
  filters: DiscrepancyFilters,
): Promise<{ body: Readable; rows: number }> {
  const { lines, rows } = await withSnapshot(database, { statementTimeoutMs: MINUTE }, (snapshot) =>
    readLines({ database: snapshot, accountIds }, filters),
  );
  const choices = { [editedColumns.decision]: decisionWords };
  return { body: workbookOf([{ name: discrepancySheet, columns, csv: lines, choices }]), rows };
}

/** From one snapshot: a row that is decided meanwhile would move to another place in the list, and be missed. */
async function readLines(
  reader: AccountReader,
  filters: DiscrepancyFilters,
): Promise<{ lines: Buffer[]; rows: number }> {
  const lines: Buffer[] = [...csvOf(columns, [])];
  const paging = discrepancyPaging(filters);
  let after: readonly string[] | null = null;
  let rows = 0;
  for (;;) {
    const page: Awaited<ReturnType<typeof listDiscrepancies>> = await listDiscrepancies(reader, filters, {
      limit: rowsPerPage,
      after,
    });
    rows += page.rows.length;
    if (rows > sheetRowsMax) throw new SheetTooLarge(sheetRowsMax);
    for (const row of page.rows)
      lines.push(Buffer.from(`${columns.map(({ read }) => plainCell(read(row))).join(",")}\n`));
    const last = page.rows.at(-1);
    if (last === undefined || !page.hasMore) return { lines, rows };
    after = paging.positionOf(last);
  }
}
