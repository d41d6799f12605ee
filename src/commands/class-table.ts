import { addDecimals, decimal, type Decimal, zero } from "../core/decimal.ts";
import { type ClassSum, classes } from "../store/reconcile/summary.ts";

export interface CurrencyClasses {
  currency: string;
  classes: Record<(typeof classes)[number], { transactions: number; amount: Decimal }>;
}

/** Sums over providers, one row a currency: amounts of two currencies are never added. */
export function byCurrency(sums: readonly ClassSum[]): CurrencyClasses[] {
  const rows = new Map<string, CurrencyClasses>();
  for (const { currency, class: name, transactions, amount } of sums) {
    const row = rows.get(currency) ?? { currency, classes: emptyClasses() };
    const held = row.classes[name];
    row.classes[name] = {
      transactions: held.transactions + transactions,
      amount: addDecimals(held.amount, decimal(amount)),
    };
    rows.set(currency, row);
  }
  return [...rows.values()].toSorted((a, b) => (a.currency < b.currency ? -1 : 1));
}

/** For a terminal: the money of each class per currency, and how many transactions that is. */
export function classTable(sums: readonly ClassSum[]): string {
  const rows = byCurrency(sums);
  if (rows.length === 0) return "  nothing completed yet";
  const cells = rows.map(({ currency, classes: held }) => [
    currency === "" ? "?" : currency,
    ...classes.map((name) => `${held[name].amount} (${held[name].transactions})`),
  ]);
  const table = [["", ...classes], ...cells];
  const widths = table[0]?.map((_, at) => Math.max(...table.map((row) => (row[at] ?? "").length))) ?? [];
  return table
    .map((row) =>
      row
        .map((cell, at) => (at === 0 ? cell.padEnd(widths[at] ?? 0) : cell.padStart(widths[at] ?? 0)))
        .join("  "),
    )
    .map((line) => `  ${line}`.trimEnd())
    .join("\n");
}

function emptyClasses(): CurrencyClasses["classes"] {
  const empty = { transactions: 0, amount: zero };
  return { matched: empty, pending: empty, discrepant: empty, excluded: empty };
}
