import { pipeline, type Readable, Transform } from "node:stream";
import type { Snapshot } from "../store/exports/copy-report.ts";
import type { RowTotals } from "./describe-report.ts";
import { encodeLines } from "./encode.ts";
import { SeveralCurrencies, SheetTooLarge } from "./errors.ts";
import type { OpenReport } from "./open-report.ts";
import { reportParquet } from "./parquet/report-parquet.ts";
import { isTable, type ReportStatement, reportStatement, type RowsWanted } from "./report-sql.ts";
import { oneCurrencyOf } from "./report.ts";
import { reportWorkbook } from "./xlsx/report-workbook.ts";
import { sheetRowsMax } from "./xlsx/sheet.ts";

export interface ReadReport {
  totals: RowTotals;
  /** Read it to its end, or destroy it. */
  body: Readable;
}

/**
 * Totals and file from one statement: resolves when the totals are known and the first row is ready.
 */
export async function readReport(
  snapshot: Snapshot,
  report: OpenReport,
  wanted: RowsWanted,
): Promise<ReadReport> {
  const { request } = report;
  const { format } = request;
  const single = oneCurrencyOf(request.layout);
  // A workbook holds its totals, whether or not anyone else asks for them; and they tell which currencies there are.
  const sums = wanted.sums || format === "xlsx" || single !== null;
  const statement = reportStatement(report, { ...wanted, sums });
  const lines = snapshot.copy(statement, isTable(request) ? "csv" : "text-lines");
  const { groups, rest } = takeTotals(lines, isTable(request));
  if (format === "xlsx") {
    const totals = totalsOf(await groups, statement);
    if (totals.rows > sheetRowsMax) {
      rest.destroy();
      throw new SheetTooLarge(sheetRowsMax);
    }
    return { totals, body: reportWorkbook(report, rest, totals) };
  }
  if (format === "parquet") {
    const found = await groups;
    return {
      totals: totalsOf(found, statement),
      body: reportParquet(report, rest, longAmounts(found, statement)),
    };
  }
  // Encoded before it is waited for, so that whatever fails on the way has someone who listens.
  const body = encodeLines(rest, request);
  const found = await groups;
  if (single !== null) refuseSeveral(currenciesIn(found, statement, single), body);
  return { totals: totalsOf(found, statement), body };
}

function refuseSeveral(currencies: readonly (string | null)[], body: Readable): void {
  if (currencies.length <= 1) return;
  body.destroy();
  throw new SeveralCurrencies(currencies.map((one) => one ?? "(none)").toSorted());
}

/** The currencies that stand in a column. */
function currenciesIn(
  groups: readonly Group[],
  statement: ReportStatement,
  column: string,
): (string | null)[] {
  const set = statement.currencies.indexOf(column);
  return groups
    .filter((group) => group[`g${set}`] === 0)
    .map((group) => group[`c${set}`] as string | null)
    .toSorted((a, b) => ((a ?? "") < (b ?? "") ? -1 : 1));
}

type Group = Record<string, string | number | boolean | null>;

const lineFeed = 0x0a;

/** Takes the line with the totals out of the stream; the header, where there is one, stays at its front. */
function takeTotals(lines: Readable, hasHeader: boolean): { groups: Promise<Group[]>; rest: Readable } {
  let found: (groups: Group[]) => void = () => undefined;
  let failed: (error: Error) => void = () => undefined;
  const groups = new Promise<Group[]>((resolve, reject) => {
    found = resolve;
    failed = reject;
  });
  let held: Buffer | null = Buffer.alloc(0);
  const rest = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      if (held === null) return done(null, chunk);
      held = Buffer.concat([held, chunk]);
      // Neither names of columns nor JSON as Postgres writes it hold a line feed.
      const start = hasHeader ? held.indexOf(lineFeed) + 1 : 0;
      const end = hasHeader && start === 0 ? -1 : held.indexOf(lineFeed, start);
      if (end === -1) return done();
      found(JSON.parse(unquoted(held.toString("utf8", start, end), hasHeader)) as Group[]);
      const after = Buffer.concat([held.subarray(0, start), held.subarray(end + 1)]);
      held = null;
      done(null, after);
    },
  });
  pipeline([lines, rest], (error) => failed(error ?? new Error("a report begins with its totals")));
  return { groups, rest };
}

/** The first cell of a line of CSV; JSON has quotes in it, so Postgres has put some around it and doubled those within. */
function unquoted(line: string, isCsv: boolean): string {
  return isCsv ? line.slice(1, line.lastIndexOf('"')).replaceAll('""', '"') : line;
}

/** Amounts that would not fit into a decimal of Parquet. */
function longAmounts(
  groups: readonly Group[],
  { currencies, measured }: ReportStatement,
): ReadonlySet<string> {
  const whole = wholeOf(groups, currencies);
  return new Set(measured.filter((_, index) => !whole?.[`f${index}`]).map(({ name }) => name));
}

/** Each group belongs to one grouping set: the one whose `grouping` is 0, or to none of them, which is the whole. */
function wholeOf(groups: readonly Group[], currencies: readonly string[]): Group | undefined {
  return groups.find((group) => currencies.every((_, index) => group[`g${index}`] === 1));
}

function sortKey({ currency, group }: RowTotals["sums"][number]): string {
  return `${currency ?? ""}\n${group ?? ""}`;
}

function totalsOf(groups: readonly Group[], statement: ReportStatement): RowTotals {
  const { amounts, currencies } = statement;
  const whole = wholeOf(groups, currencies);
  const sums = amounts.flatMap(({ name, currency }, column) => {
    const set = currencies.indexOf(currency ?? "");
    return groups
      .filter((group) => group[`g${set}`] === 0 && group[`s${column}`] !== null)
      .map((group) => ({
        column: name,
        ...(group["by"] === undefined ? {} : { group: group["by"] as string | null }),
        currency: group[`c${set}`] as string | null,
        sum: String(group[`s${column}`]),
      }))
      .toSorted((a, b) => (sortKey(a) < sortKey(b) ? -1 : 1));
  });
  const apart = statement.apart.map((column) => [column, currenciesIn(groups, statement, column)] as const);
  return {
    rows: Number(whole?.["rows"] ?? 0),
    sums,
    ...(apart.length === 0 ? {} : { apart: Object.fromEntries(apart) }),
  };
}
