import assert from "node:assert";
import type { BoundValue, Statement } from "../store/exports/copy-report.ts";
import { inAnyCase } from "../store/conditions.ts";
import { localDay } from "../store/zone-sql.ts";
import { decimalPrecision, decimalScale } from "./parquet/values.ts";
import { formulaSafe, inLayout, maskedWallet } from "./column-sql.ts";
import { earlier, type Moment } from "./moment.ts";
import { isText, type ReportRequest } from "./parameters.ts";
import { type Column, type FilterName, oneCurrencyOf, type Report, type Scope } from "./report.ts";

/** What a request means in this snapshot, for this reader. */
export interface Selection {
  request: ReportRequest;
  moment: Moment | null;
  accountIds: readonly number[];
  /** Whether wallet addresses are shown in full. */
  wallets: boolean;
}

export interface ReportStatement extends Statement {
  /** Columns that are added up, and those that hold their currencies, in the order of the first line. */
  amounts: readonly Column[];
  currencies: readonly string[];
  /** Columns of currencies that some files hold one of. */
  apart: readonly string[];
  /** For Parquet: amounts for which the totals say whether all fit into its decimals. */
  measured: readonly Column[];
}

export interface RowsWanted {
  sums: boolean;
  /** One row more than that stands for any larger number. */
  rowsMax: number | null;
  /** Only the first lines are written; the totals are of all rows. */
  linesMax?: number;
}

/**
 * A report in one pass: the first line holds the totals of all that follow. The rows are made once and kept by Postgres,
 * on its disk where they are many, so that a file and what is said about it cannot differ, and nothing is worked out
 * twice.
 */
export function reportStatement(selection: Selection, wanted: RowsWanted): ReportStatement {
  const { request } = selection;
  const values: BoundValue[] = [];
  const rows = request.report.select(scopeOf(selection, values));
  // One row too many is enough to see that the limit is exceeded.
  const limit = wanted.rowsMax === null ? "" : `\n    limit ${wanted.rowsMax + 1}`;
  // Another program's columns hold the same amounts under other names.
  const summed = request.layout === null ? request.columns : request.report.columns;
  const amounts = wanted.sums
    ? summed.filter(({ currency, addsUp = true }) => currency !== undefined && addsUp)
    : [];
  const measured =
    request.format === "parquet" ? request.columns.filter(({ type }) => type === "amount") : [];
  // Which currencies there are is also told where no amount was chosen: some files hold one only.
  const apart = wanted.sums ? layoutsApart(request.report) : [];
  const currencies = [...new Set([...amounts.map(({ currency }) => currency ?? ""), ...apart])];
  const text = `with r as materialized (${inOrder(rows, selection, wanted)}${limit}
  ), groups as (
    ${groupsSql(request.report, { amounts, currencies, measured })}
  ), lines as (
    ${linesSql(selection, wanted.linesMax)}
  )
  select ${firstLineSql(request)}
  from (select jsonb_agg(to_jsonb(groups))::text as totals from groups) as totals
  union all
  ${isTable(request) ? "select * from lines" : isText(request.layout) ? "select line from lines" : "select row_to_json(lines)::text from lines"}`;
  return { text, values, amounts, currencies, apart, measured };
}

function layoutsApart({ layouts = {} }: Report): string[] {
  return Object.values(layouts).flatMap((layout) => oneCurrencyOf(layout) ?? []);
}

/**
 * Texts by their bytes: the order of a language differs from one database to the next, and the same file has to come out. With
 * one account, its columns are left out: a first key that is the same in every row slows down every comparison.
 */
function sameOrder({ request, accountIds }: Selection): string {
  const { orderBy, columns } = request.report;
  const texts = new Set(columns.filter(({ type }) => type === "text").map(({ name }) => `r.${name}`));
  const same = accountIds.length === 1 ? ["r.account", "r.account_id"] : [];
  return orderBy
    .split(", ")
    .filter((key) => !same.includes(key))
    .map((key) => (texts.has(key) ? `${key} collate "C"` : key))
    .join(", ");
}

/**
 * Sorted while they are made, where all of them will be written: an index may have them in order, and several processors may sort.
 * Since version 17 Postgres knows that what it keeps is in order, and does not sort again.
 */
function inOrder(rows: string, selection: Selection, { linesMax }: RowsWanted): string {
  if (isText(selection.request.layout) || linesMax !== undefined) return rows;
  return `
    select * from (${rows}
    ) as r
    order by ${sameOrder(selection)}`;
}

/** Whether rows come as cells under a header: of CSV and workbooks, unless the layout is a text. */
export function isTable({ format, layout }: ReportRequest): boolean {
  return format !== "jsonl" && !isText(layout);
}

function linesSql(selection: Selection, linesMax: number | undefined): string {
  const { layout } = selection.request;
  if (isText(layout)) return layout.linesSql;
  const limit = linesMax === undefined ? "" : ` limit ${linesMax}`;
  // Sorted before the cells are written: a row with its sort keys behind forty texts is slow to compare.
  return `select ${cellsSql(selection).join(",\n      ")}
    from (select * from r order by ${sameOrder(selection)}${limit}) as r`;
}

/** The number of rows, and the sum of every amount by its currency; where a report says so, apart by another column too. */
function groupsSql(
  { totalsBy }: Report,
  { amounts, currencies, measured }: Pick<ReportStatement, "amounts" | "currencies" | "measured">,
): string {
  const keys = currencies.map(
    (name, index) => `grouping(r.${quoted(name)}) as g${index}, r.${quoted(name)} as c${index}`,
  );
  const sums = amounts.map(({ name }, index) => `trim_scale(sum(r.${quoted(name)}))::text as s${index}`);
  const fits = measured.map(
    ({ name }, index) => `coalesce(bool_and(${fitsDecimal(`r.${quoted(name)}`)}), true) as f${index}`,
  );
  const by = totalsBy === undefined ? [] : [`r.${quoted(totalsBy)}`];
  const sets = ["()", ...currencies.map((name) => `(${[`r.${quoted(name)}`, ...by].join(", ")})`)];
  const group = by.length === 0 || currencies.length === 0 ? [] : [`${by.join()} as by`];
  return `select ${["count(*) as rows", ...keys, ...group, ...sums, ...fits].join(", ")}
    from r
    group by grouping sets (${sets.join(", ")})`;
}

/** As many digits as a decimal of Parquet has before and after its point. */
function fitsDecimal(amount: string): string {
  const whole = `1${"0".repeat(decimalPrecision - decimalScale)}`;
  return `abs(${amount}) < ${whole} and min_scale(${amount}) <= ${decimalScale}`;
}

function cellsSql({ request, wallets }: Selection): string[] {
  return request.columns.map((column) => {
    const plain = column.value ?? `r.${quoted(column.name)}`;
    const shown = wallets ? plain : withoutWallets(column, plain);
    const written = inLayout(column.type, shown, request.format);
    // A workbook says of each cell what it is, and so no text in it is ever run.
    const guarded = column.type === "text" && request.format === "csv" && !request.raw;
    return `${guarded ? formulaSafe(written) : written} as ${quoted(column.name)}`;
  });
}

/** The totals stand in the first column, whatever that is called. */
function firstLineSql(request: ReportRequest): string {
  if (!isTable(request)) return "totals.totals";
  return request.columns
    .map(({ name }, index) => `${index === 0 ? "totals.totals" : "null"} as ${quoted(name)}`)
    .join(", ");
}

function scopeOf(selection: Selection, values: BoundValue[]): Scope {
  const { request } = selection;
  const { zone, period } = request;
  const bind = (value: BoundValue, type: string) => `$${values.push(value)}::${type}`;
  return {
    bind,
    where: conditions(selection, bind).join("\n      and "),
    isValued: request.layout === null && selection.moment?.isValued === true,
    zone: () => bind(zone.name, "text"),
    day: (time) => localDay(time, zone, bind),
    accounts: () => bind(selection.accountIds.map(String), "int[]"),
    asAt: () => bind(momentOf(selection).asAt, "timestamptz"),
    knownAt: () => bind(momentOf(selection).knownAt, "timestamptz"),
    priors: () => {
      const { priors } = momentOf(selection);
      return [...new Set(priors.map(({ knownAt }) => knownAt))].map((knownAt) => {
        const alike = priors.filter((prior) => prior.knownAt === knownAt);
        return {
          accounts: bind(
            alike.map(({ accountId }) => String(accountId)),
            "int[]",
          ),
          knownAt: bind(knownAt, "timestamptz"),
        };
      });
    },
    from: () => {
      if (period.from === null) return null;
      // What begins after its own end has not begun: its opening is how things stand.
      const isRolled = request.report.moment === "period_end";
      const start = isRolled ? earlier(period.from, momentOf(selection).asAt) : period.from;
      return bind(start, "timestamptz");
    },
    to: () => (period.to === null ? null : bind(period.to, "timestamptz")),
    records: () => {
      const { asAt, knownAt } = momentOf(selection);
      const at = (instant: string) => bind(instant, "timestamptz");
      const between = `${at(period.from ?? "-infinity")}, ${at(period.to ?? "infinity")}`;
      return `tieout.records_at(${bind(selection.accountIds.map(String), "int[]")}, ${between}, ${at(asAt)}, ${at(knownAt)})`;
    },
  };
}

function momentOf({ request, moment }: Selection): Moment {
  assert(moment !== null, `the report ${request.report.name} has a moment`);
  return moment;
}

/** Kept as they came, and typed by people in either case. Currencies were folded when the request was read. */
const wordsOfRecords: ReadonlySet<string> = new Set<FilterName>([
  "provider",
  "status",
  "transaction_type",
  "payment_method",
  "country",
]);

function conditions({ request, accountIds }: Selection, bind: Scope["bind"]): string[] {
  const { report, period } = request;
  const found =
    report.account === null
      ? ["true"]
      : [`${report.account} = any (${bind(accountIds.map(String), "int[]")})`];
  const dated = report.period?.column ?? null;
  if (dated !== null && period.from !== null) found.push(`${dated} >= ${bind(period.from, "timestamptz")}`);
  if (dated !== null && period.to !== null) found.push(`${dated} < ${bind(period.to, "timestamptz")}`);
  for (const [name, wanted] of Object.entries(request.filters)) {
    const column = report.filters[name as FilterName];
    assert(column !== undefined, `the report ${report.name} has a filter ${name}`);
    const words = wordsOfRecords.has(name) ? inAnyCase(wanted) : wanted;
    found.push(`${column} = any (${bind(words, "text[]")})`);
  }
  return found;
}

function withoutWallets({ wallets, walletsWhere }: Column, expression: string): string {
  if (wallets === undefined) return expression;
  const hidden = {
    masked: maskedWallet(expression),
    inside: `tieout.masked_text(${expression})`,
    withheld: "null::text",
  }[wallets];
  return walletsWhere === undefined
    ? hidden
    : `case when ${walletsWhere} then ${hidden} else ${expression} end`;
}

/** Names are ours; quoted, because some programs insist on capitals, spaces and asterisks. */
function quoted(name: string): string {
  assert(/^\*?\w[\w ]*$/.test(name), `a plain column name: ${name}`);
  return `"${name}"`;
}
