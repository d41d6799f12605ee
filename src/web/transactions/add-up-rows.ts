import { addDecimals, decimal, type Decimal } from "../../core/decimal.ts";
import type { TransactionRow } from "../../store/transactions/transaction-reads.ts";
import type { CurrencyTotal, TransactionTotals } from "../../store/transactions/transaction-totals.ts";

/** The totals of transactions that are all at hand. */
export function addUpRows(rows: readonly TransactionRow[]): TransactionTotals {
  return {
    transactions: rows.length,
    given: addUp(rows.map(({ source_currency: currency, in_amount: amount }) => ({ currency, amount }))),
    got: addUp(rows.map(({ target_currency: currency, out_amount: amount }) => ({ currency, amount }))),
  };
}

function addUp(legs: readonly { currency: string | null; amount: string | null }[]): CurrencyTotal[] {
  const totals = new Map<string | null, { transactions: number; amount: Decimal | null }>();
  for (const { currency, amount } of legs) {
    const before = totals.get(currency) ?? { transactions: 0, amount: null };
    const added = amount === null ? before.amount : plus(before.amount, decimal(amount));
    totals.set(currency, { transactions: before.transactions + 1, amount: added });
  }
  return [...totals]
    .map(([currency, total]) => ({ currency, ...total }))
    .toSorted(
      (a, b) => b.transactions - a.transactions || ((a.currency ?? "") < (b.currency ?? "") ? -1 : 1),
    );
}

function plus(before: Decimal | null, amount: Decimal): Decimal {
  return before === null ? amount : addDecimals(before, amount);
}
