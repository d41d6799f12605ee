import { counted } from "../core/counted.ts";
import { decimal } from "../core/decimal.ts";
import { shorten } from "../core/quote.ts";
import { nameOfSum, type RowTotals } from "../report/describe-report.ts";
import { money } from "./money-text.ts";

/** With the lines around them, what fits on a terminal of 24 lines. */
const linesMax = 15;
const columnsMax = 3;

type Sums = RowTotals["sums"];

/**
 * Control totals for a terminal. A few are shown one by one; more become a table with a row for each currency, of the
 * columns that a person looks at first. What is left out is counted, and `rest` says where all of it is.
 */
export function totalsText(
  sums: Sums,
  { first, rest }: { first: readonly string[] | undefined; rest: string },
): string[] {
  if (sums.length <= linesMax)
    return sums.map((each) => `${nameOfSum(each)} ${each.sum} ${currencyName(each.currency ?? "")}`);
  const columns = [...new Set(sums.map(({ column }) => column))];
  const shown = (first ?? columns).slice(0, columnsMax);
  const rows = rowsByCurrency(sums, shown);
  const fitting = rows.slice(0, linesMax - 2);
  const left = [
    ...(rows.length > fitting.length
      ? [counted(rows.length - fitting.length, "currency", "currencies")]
      : []),
    ...(columns.length > shown.length ? [counted(columns.length - shown.length, "column")] : []),
  ];
  return [
    ...table([["", ...shown], ...fitting]),
    left.length === 0 ? rest : `and ${left.join(" and ")} more: ${rest}`,
  ];
}

/** Currencies by name; those in which something is not explained come first, so that none of them is left out. */
function rowsByCurrency(sums: Sums, shown: readonly string[]): string[][] {
  const held = new Map<string, { currency: string; name: string; row: Map<string, string> }>();
  for (const { column, group, currency: given, sum } of sums) {
    if (!shown.includes(column)) continue;
    const currency = given ?? "";
    const name = group === undefined ? currencyName(currency) : `${currencyName(currency)} ${group}`;
    const key = JSON.stringify([currency, group]);
    const one = held.get(key) ?? { currency, name, row: new Map<string, string>() };
    one.row.set(column, sum);
    held.set(key, one);
  }
  const rank = (row: Map<string, string>) => ((row.get("unexplained") ?? "0") === "0" ? "1" : "0");
  return [...held.values()]
    .map((one) => ({ ...one, key: rank(one.row) + one.name }))
    .toSorted((a, b) => (a.key < b.key ? -1 : 1))
    .map(({ currency, name, row }) => [
      name,
      ...shown.map((column) => {
        const sum = row.get(column);
        return sum === undefined ? "" : money(decimal(sum), currency);
      }),
    ]);
}

/** Records may hold anything in place of a currency: what is longer than a code is cut. */
function currencyName(currency: string): string {
  return currency === "" ? "(no currency)" : shorten(currency);
}

function table(rows: readonly (readonly string[])[]): string[] {
  const widths = rows[0]?.map((_, at) => Math.max(...rows.map((row) => (row[at] ?? "").length))) ?? [];
  return rows.map((row) =>
    row
      .map((cell, at) => (at === 0 ? cell.padEnd(widths[at] ?? 0) : cell.padStart(widths[at] ?? 0)))
      .join("  ")
      .trimEnd(),
  );
}
