import { expect, test } from "vitest";
import { parseDayOrInstant } from "../../../src/core/period.ts";
import { importReceipts } from "../../../src/reconcile/receipts/import-receipts.ts";
import { matchReceipt } from "../../../src/reconcile/receipts/match-receipt.ts";
import { listReceiptLines, suggestPayouts } from "../../../src/store/receipts/receipt-reads.ts";
import { rowsOf } from "../../report/claims.ts";
import { useTestDatabase } from "../../support/test-database.ts";
import { type Books, openBooks } from "../books.ts";
import { declarePayouts, findings, requestFor, sourceOf, standing } from "./bank.ts";

const database = useTestDatabase();

const mt940 = `:20:X
:25:DE1
:28C:1/1
:60F:C260320EUR0,
:61:2603250325C80,NTRFPO-2026-03
:61:2603270327RC80,NTRFNONREF
:86:STORNO
:61:2603270327D5,NTRFNONREF
:86:FEE
:62F:D260327EUR5,
-
`;

test("money that the bank takes back without a name is found, and matched by hand with the payout it was", async () => {
  const books = await openBooks(database.db);
  await declarePayouts(books, [{ ref: "PO-2026-03", net: "80" }]);
  await importReceipts({ database: books.db }, sourceOf(mt940, "a.sta"), requestFor(books));
  expect(await findings(books)).toMatchObject([
    { code: "receipt_without_payout", actual: "-80", from: "2026-03-27" },
  ]);
  const reader = { database: books.db, accountIds: [books.accountId] };
  const { rows } = await listReceiptLines(reader, { matched: false }, { limit: 10, after: null });
  expect(rows).toMatchObject([{ direction: "debit", isReversal: true, amount: "80", unmatched: "-80" }]);
  // The fee is the account holder's own business.
  expect(await unmatched(books)).toEqual({
    listed: ["0", "-80", "0"],
    view: ["0", "-80", "0"],
    report: ["0", "-80", "0"],
  });
  const [lineId, payouts] = [rows[0]?.id ?? 0, await suggestPayouts(books.db, rows[0]?.id ?? 0)];
  expect(payouts).toMatchObject([{ payoutRef: "PO-2026-03", sameAmount: true }]);

  const wanted = { lineId, payoutId: payouts[0]?.payoutId ?? 0, reason: "reversed" };
  const bookedAt = parseDayOrInstant("2026-03-27") ?? undefined;
  await matchReceipt(books.db, { accountIds: null }, { ...wanted, bookedAt }, { actor: "alice" });
  expect(await unmatched(books)).toEqual({
    listed: ["0", "0", "0"],
    view: ["0", "0", "0"],
    report: ["0", "0", "0"],
  });
  expect(await standing(books, "2026-03-28")).toMatchObject([{ ref: "PO-2026-03", received: "0" }]);
  expect(await findings(books)).toMatchObject([{ code: "payout_not_received", ref: "PO-2026-03" }]);
  const journal = await rowsOf(books, "journal", { from: "2026-03-01", to: "2026-04-10" });
  const bank = journal.filter(({ account_name: name }) => String(name).includes("bank"));
  expect(bank.map(({ date, debit, credit }) => [date, debit, credit])).toEqual([
    ["2026-03-25", "80", ""],
    ["2026-03-27", "", "80"],
  ]);
});

test("a payout that came in and was taken back is missing, even if the bank's files begin after its day", async () => {
  const books = await openBooks(database.db);
  await declarePayouts(books, [{ ref: "PO-2026-03", net: "80", day: "2026-03-17" }]);
  await importReceipts({ database: books.db }, sourceOf(mt940, "b.sta"), requestFor(books));
  const reader = { database: books.db, accountIds: [books.accountId] };
  const { rows } = await listReceiptLines(reader, { matched: false }, { limit: 10, after: null });
  const [lineId, payouts] = [rows[0]?.id ?? 0, await suggestPayouts(books.db, rows[0]?.id ?? 0)];
  const wanted = { lineId, payoutId: payouts[0]?.payoutId ?? 0, reason: "reversed" };
  const bookedAt = parseDayOrInstant("2026-03-27") ?? undefined;
  await matchReceipt(books.db, { accountIds: null }, { ...wanted, bookedAt }, { actor: "alice" });
  expect(await findings(books)).toMatchObject([
    { code: "payout_not_received", ref: "PO-2026-03", from: "2026-03-27" },
  ]);
  expect(await standing(books, "2026-03-28")).toMatchObject([{ state: "overdue", received: "0" }]);
});

/** What is left of each line, as the lists, the view and the report say it. */
async function unmatched(books: Books) {
  const reader = { database: books.db, accountIds: [books.accountId] };
  const { rows } = await listReceiptLines(reader, {}, { limit: 10, after: null });
  const view = await books.db.query<{ unmatched: string }>(
    "select unmatched_amount::text as unmatched from reporting.receipts where account = $1 order by receipt_line_id",
    [books.name],
  );
  const report = await rowsOf(books, "receipts", { from: "2026-03-01", to: "2026-04-10" });
  return {
    listed: rows.toSorted((one, other) => one.id - other.id).map((line) => line.unmatched),
    view: view.map((row) => row.unmatched),
    report: report.map((row) => row["unmatched"]),
  };
}
