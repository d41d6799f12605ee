import {
  importReceipts,
  previewReceipts,
  type ReceiptRequest,
} from "../../../src/reconcile/receipts/import-receipts.ts";
import type { StatementSource } from "../../../src/reconcile/statement/source.ts";
import { reconcileAccount } from "../../../src/reconcile/reconcile.ts";
import { addStatement, type Books } from "../books.ts";
import { askNothing } from "./read-all.ts";

let files = 0;

/** A payout that ties with its lines and is declared for a day; 24 March 2026 unless told otherwise. */
export interface APayout {
  ref: string;
  net: string;
  currency?: string;
  day?: string;
  provider?: string;
  hash?: string;
}

export async function declarePayouts(books: Books, payouts: readonly APayout[]): Promise<void> {
  for (const provider of new Set(payouts.map((payout) => payout.provider ?? "moonpay"))) {
    const own = payouts.filter((payout) => (payout.provider ?? "moonpay") === provider);
    await addStatement(books, {
      provider,
      lines: own.flatMap(({ ref, net, currency = "EUR", day = "2026-03-24", hash }) => [
        { key: `c${ref}`, type: "commission", payout_ref: ref, net_amount: net, net_currency: currency },
        {
          key: `p${ref}`,
          type: "payout",
          payout_ref: ref,
          net_amount: net,
          net_currency: currency,
          effective_at: `${day}T00:00:00Z`,
          transaction_hash: hash ?? null,
        },
      ]),
    });
  }
  await reconcileAccount(books.db, books.accountId);
}

/** Rows of a bank's CSV: day, amount, text, currency. */
export type BankRow = readonly [
  day: string,
  amount: string,
  text: string,
  currency?: string,
  bankReference?: string,
];

export function bankCsv(rows: readonly BankRow[]): string {
  const lines = rows.map(
    ([day, amount, text, currency = "EUR", reference = ""]) =>
      `DE1,${day},${amount},${currency},${text},${reference}`,
  );
  return ["Account,Booking date,Amount,Currency,Description,Bank reference", ...lines, ""].join("\n");
}

export function sourceOf(text: string | Buffer, name = `bank-${++files}.csv`): StatementSource {
  return {
    name,
    async *bytes() {
      yield Buffer.from(text);
    },
  };
}

export function requestFor(books: Books, more: Partial<ReceiptRequest> = {}): ReceiptRequest {
  return {
    ...askNothing,
    account: { id: books.accountId, name: books.name },
    acceptReason: null,
    actor: "test",
    ...more,
  };
}

export async function receive(books: Books, rows: readonly BankRow[], more: Partial<ReceiptRequest> = {}) {
  return importReceipts({ database: books.db }, sourceOf(bankCsv(rows)), requestFor(books, more));
}

export async function preview(books: Books, rows: readonly BankRow[]) {
  return previewReceipts({ database: books.db }, sourceOf(bankCsv(rows)), requestFor(books));
}

export interface PayoutStands {
  ref: string;
  state: string;
  received: string;
  fee: string;
}

/** How the payouts stand, as at an instant, by what is known now. */
export async function standing(
  books: Books,
  asAt = "infinity",
  knownAt = "infinity",
): Promise<PayoutStands[]> {
  return books.db.query<PayoutStands>(
    `select p.payout_ref as ref, r.state, r.received::text, r.bank_fee::text as fee
     from tieout.payouts as p
     cross join lateral tieout.payout_received(p, $2::timestamptz, $3::timestamptz) as r
     where p.account_id = $1
     order by p.payout_ref, p.currency`,
    [books.accountId, asAt, knownAt],
  );
}

export interface Finding {
  code: string;
  ref: string | null;
  expected: string;
  actual: string;
  from: string;
  to: string;
}

/** What of the receipts disagrees, by what is known now, with the days from and to which it holds. */
export async function findings(books: Books): Promise<Finding[]> {
  return books.db.query<Finding>(
    `select code, payout_ref as ref, expected::text, actual::text, holds_from::date::text as from, holds_to::date::text as to
     from tieout.findings
     where account_id = $1
       and known_to is null
       and code in ('payout_short', 'payout_over', 'payout_not_received', 'receipt_without_payout')
     order by code, payout_ref, holds_from, actual`,
    [books.accountId],
  );
}
