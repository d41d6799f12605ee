import { importStatement } from "../../../src/reconcile/statement/import-statement.ts";
import { builtInProfiles } from "../../../src/reconcile/profiles/built-in.ts";
import { reconcileInside } from "../../../src/reconcile/reconcile.ts";
import { withdrawStatement } from "../../../src/reconcile/statement/withdraw-statement.ts";
import { importReceipts } from "../../../src/reconcile/receipts/import-receipts.ts";
import { listReceiptLines, type ReceiptLineRow } from "../../../src/store/receipts/receipt-reads.ts";
import type { Books } from "../books.ts";
import { textSource } from "../statement/import-for-test.ts";
import { requestFor, sourceOf } from "./bank.ts";

let files = 0;

/** A payout as a provider's file states it, with one adjustment that it sums. */
export interface DeclaredPayout {
  ref: string;
  net: string;
  /** 24 March 2026 unless told otherwise. */
  day?: string;
  /** Euros unless told otherwise. */
  currency?: string;
}

const header =
  "provider_transaction_id,line_type,status,category,fiat_currency,fiat_gross,net_amount,net_currency,payout_ref,payout_currency,payout_amount,effective_at";

/** A provider's file, taken in as the command does; gives its number. */
export async function takeStatement(books: Books, payouts: readonly DeclaredPayout[]): Promise<number> {
  const rows = payouts.flatMap(({ ref, net, day = "2026-03-24", currency = "EUR" }) => [
    `A-${ref},adjustment,settled,goodwill,EUR,,${net},${currency},${ref},,,2026-03-10T10:00:00Z`,
    `${ref},payout,settled,,,,,,${ref},${currency},${net},${day}T00:00:00Z`,
  ]);
  const { statement, rejects } = await importStatement(
    { database: books.db, profiles: builtInProfiles, afterLines: reconcileInside },
    textSource(`kappa-${++files}.csv`, [header, ...rows, ""].join("\n")),
    {
      account: { id: books.accountId, name: books.name },
      provider: "kappa",
      profileName: null,
      generatedAt: null,
      periodFrom: null,
      periodTo: null,
      replaces: null,
      acceptReason: null,
      actor: "test",
    },
  );
  if (rejects.length > 0) throw new Error(JSON.stringify(rejects));
  return statement.id;
}

export async function takeBack(books: Books, statementId: number): Promise<void> {
  const database = books.db;
  await withdrawStatement(
    { database, afterLines: reconcileInside },
    { statementId, reason: "wrong", actor: "test" },
  );
}

/** A bank's CSV with columns as named in its first row. */
export async function takeBankFile(books: Books, rows: readonly string[]): Promise<void> {
  await importReceipts({ database: books.db }, sourceOf([...rows, ""].join("\n")), requestFor(books));
}

export async function bankLines(books: Books): Promise<ReceiptLineRow[]> {
  const reader = { database: books.db, accountIds: [books.accountId] };
  const { rows } = await listReceiptLines(reader, {}, { limit: 100, after: null });
  return rows.toReversed();
}

export async function payoutNamed(books: Books, ref: string): Promise<number> {
  const [row] = await books.db.query<{ id: number }>(
    "select id::int from tieout.payouts where account_id = $1 and payout_ref = $2",
    [books.accountId, ref],
  );
  if (!row) throw new Error(`there is no payout ${ref}`);
  return row.id;
}
