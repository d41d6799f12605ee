import { decimalFromUnits } from "../../core/decimal.ts";
import type { Fiat } from "../world/types.ts";
import type { StatementDeps, StatementEntry, StatementRequest } from "./entry.ts";
import { owed, type StatementLine } from "./line.ts";
import { readStatement } from "./statement.ts";

/** The statement as the provider would send it: its columns, its words, its notion of a number and a time. */
export async function* writeCsv(deps: StatementDeps, request: StatementRequest): AsyncGenerator<string> {
  for await (const { text } of rowsOf(deps, request)) yield text;
}

interface FileRow {
  readonly text: string;
  /** What it stands for; `null` for headers, blank rows and whatever is above and below the lines. */
  readonly entry: StatementEntry | null;
  readonly line: StatementLine | null;
}

/** An order that no line stands for comes as a row without text. */
async function* rowsOf(deps: StatementDeps, request: StatementRequest): AsyncGenerator<FileRow> {
  const { columns, form = { delimiter: "," } } = request.layout;
  const write = (cells: readonly string[]): FileRow => ({
    text: csvRow(cells, form.delimiter),
    entry: null,
    line: null,
  });
  const header = columns.map(([name]) => name);
  for (const cells of form.preamble?.(request) ?? []) yield write(cells);
  yield write(header);
  let written = 0;
  for await (const entry of readStatement(deps, request)) {
    if (entry.lines.length === 0) yield { text: "", entry, line: null };
    for (const line of entry.lines) {
      yield { ...write(columns.map(([, cell]) => cell(line))), entry, line };
      written += 1;
      for (const what of form.after?.(written) ?? []) yield write(what === "header" ? header : [""]);
    }
  }
  for (const cells of form.trailer?.(written) ?? []) yield write(cells);
}

/** What is wrong with the file of the same name, case by case, with the numbers of its physical lines. */
export async function* writeTruth(deps: StatementDeps, request: StatementRequest): AsyncGenerator<string> {
  const { name: layout } = request.layout;
  const about = { provider: request.provider, period: request.period.name, layout, rates: request.rates };
  yield `${JSON.stringify(about).slice(0, -1)},"cases":[`;
  let lineNumber = 0;
  let separator = "\n";
  let told: StatementEntry | null = null as StatementEntry | null;
  let numbers: number[] = [];
  const counts: Record<string, number> = {};
  const payouts = new Map<
    string,
    { payout: string; currency: string; owed: bigint; declared: bigint; fiat: Fiat }
  >();
  const tell = () => {
    if (told === null || told.truth === null) return "";
    const text = `${separator}${JSON.stringify({ lines: numbers, ...told.truth })}`;
    separator = ",\n";
    return text;
  };
  for await (const { text, entry, line } of rowsOf(deps, request)) {
    if (text !== "") lineNumber += 1;
    if (entry === null) continue;
    if (entry !== told) {
      yield tell();
      told = entry;
      numbers = [];
    }
    if (line === null) continue;
    numbers.push(lineNumber);
    counts[line.kind] = (counts[line.kind] ?? 0) + 1;
    const { payoutId, fiat } = line;
    const held = payouts.get(payoutId) ?? {
      payout: payoutId,
      currency: fiat.code,
      owed: 0n,
      declared: 0n,
      fiat,
    };
    payouts.set(payoutId, {
      ...held,
      owed: held.owed + owed(line),
      declared: held.declared + (line.payoutAmount ?? 0n),
    });
  }
  yield tell();
  const lines = Object.values(counts).reduce((sum, count) => sum + count, 0);
  const sums = [...payouts.values()].map(({ payout, currency, fiat, ...money }) => ({
    payout,
    currency,
    currency_id: fiat.id,
    owed: decimalFromUnits(money.owed, fiat.minorUnits),
    declared: decimalFromUnits(money.declared, fiat.minorUnits),
  }));
  yield `\n],"lines":${lines},"kinds":${JSON.stringify(counts)},"payouts":${JSON.stringify(sums)}}\n`;
}

function csvRow(cells: readonly string[], delimiter: string): string {
  const needsQuotes = (cell: string) => cell.includes(delimiter) || /["\r\n]/.test(cell);
  return `${cells.map((cell) => (needsQuotes(cell) ? `"${cell.replaceAll('"', '""')}"` : cell)).join(delimiter)}\n`;
}
