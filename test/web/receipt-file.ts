import { importReceipts } from "../../src/reconcile/receipts/import-receipts.ts";
import type { Database } from "../../src/store/database.ts";
import { type BankRow, bankCsv, sourceOf } from "../reconcile/receipts/bank.ts";
import { askNothing } from "../reconcile/receipts/read-all.ts";

/** One line that names a payout of the seed's statement, and one that names nothing, of the first account. */
export const bankRows: readonly BankRow[] = [
  ["2026-03-24", "20", "no name at all"],
  ["2026-03-25", "100", "PO-2026-11"],
];

export async function takeReceipts(db: Database, rows: readonly BankRow[] = bankRows): Promise<void> {
  await importReceipts({ database: db }, sourceOf(bankCsv(rows), "bank-2026-11.csv"), {
    ...askNothing,
    account: { id: 1, name: "acme-eu" },
    acceptReason: null,
    actor: "test",
  });
}
