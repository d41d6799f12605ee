import { addDecimals, decimal, type Decimal, zero } from "../core/decimal.ts";
import { type ClassSum, classes } from "../store/books/summary.ts";
import { money } from "./money-text.ts";

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

/** How many are in which class: numbers can be added up over currencies, money cannot. */
export function countClasses(sums: readonly ClassSum[]): string {
  const counts = classes.map((name) => {
    const count = sums.reduce((sum, each) => sum + (each.class === name ? each.transactions : 0), 0);
    return `${count.toLocaleString("en")} ${name}`;
  });
  return counts.join(", ");
}

/** For a terminal: the money of each class per currency, and how many transactions that is. */
export function classTable(
  sums: readonly ClassSum[],
  { currenciesMax = Infinity }: { currenciesMax?: number } = {},
): string {
  const rows = byCurrency(sums);
  if (rows.length === 0) return "  nothing completed yet";
  const shown = rows.length <= currenciesMax ? rows : largest(rows, currenciesMax);
  const cells = shown.map(({ currency, classes: held }) => [
    currency === "" ? "?" : currency,
    ...classes.map((name) => `${money(held[name].amount, currency)} (${held[name].transactions})`),
  ]);
  const table = [["", ...classes], ...cells];
  const widths = table[0]?.map((_, at) => Math.max(...table.map((row) => (row[at] ?? "").length))) ?? [];
  const lines = table
    .map((row) =>
      row
        .map((cell, at) => (at === 0 ? cell.padEnd(widths[at] ?? 0) : cell.padStart(widths[at] ?? 0)))
        .join("  "),
    )
    .map((line) => `  ${line}`.trimEnd());
  const left = rows.length - shown.length;
  return [...lines, ...(left > 0 ? [`  and ${left} more: tieout reconcile shows all of them`] : [])].join(
    "\n",
  );
}

function largest(rows: readonly CurrencyClasses[], count: number): CurrencyClasses[] {
  const size = ({ classes: held }: CurrencyClasses) =>
    classes.reduce((sum, name) => sum + held[name].transactions, 0);
  return rows.toSorted((a, b) => size(b) - size(a)).slice(0, count);
}

function emptyClasses(): CurrencyClasses["classes"] {
  const empty = { transactions: 0, amount: zero };
  return { matched: empty, pending: empty, discrepant: empty, excluded: empty };
}
