import assert from "node:assert";
import type { BoundValue, Statement } from "../store/exports/copy-report.ts";
import { localDay } from "../store/zone-sql.ts";
import { formulaSafe, inLayout, maskedWallet } from "./column-sql.ts";
import type { Moment } from "./moment.ts";
import type { ReportRequest } from "./parameters.ts";
import { shapeOf } from "./parameters.ts";
import type { Column, FilterName, Scope } from "./report.ts";

/** What a request means in this snapshot, for this reader. */
export interface Selection {
  request: ReportRequest;
  moment: Moment | null;
  accountIds: readonly number[];
  /** Whether wallet addresses are shown in full. */
  wallets: boolean;
}

/** A run of rows out of all of them, for presets that limit the length of a file. */
export interface RowRange {
  limit: number;
  offset: number;
}

/** The statement whose rows are the lines of the file. */
export function linesStatement(selection: Selection, range: RowRange | null): Statement {
  const { request, wallets } = selection;
  const values: BoundValue[] = [];
  const { orderBy } = shapeOf(request.report, request.preset);
  const cells = request.columns.map((column) => {
    const plain = `r.${quoted(column.name)}`;
    const shown = wallets ? plain : withoutWallets(column, plain);
    const written = inLayout(column.type, shown, request.format);
    const guarded = column.type === "text" && request.format === "csv" && !request.raw;
    return `${guarded ? formulaSafe(written) : written} as ${quoted(column.name)}`;
  });
  const lines = `select ${cells.join(",\n  ")}
    from (${rowsSql(selection, range, values)}
    ) as r
    order by ${orderBy}`;
  const text = request.format === "csv" ? lines : `select row_to_json(line) from (${lines}) as line`;
  return { text, values };
}

/** Number of rows, and the sum of every amount column by currency, in one pass. */
export function totalsStatement(selection: Selection, range: RowRange | null): TotalsStatement {
  const values: BoundValue[] = [];
  const amounts = selection.request.columns.filter(({ currency }) => currency !== undefined);
  const currencies = [...new Set(amounts.map(({ currency }) => currency ?? ""))];
  const keys = currencies.map(
    (name, index) => `grouping(r.${quoted(name)}) as g${index}, r.${quoted(name)} as c${index}`,
  );
  const sums = amounts.map(({ name }, index) => `trim_scale(sum(r.${quoted(name)}))::text as s${index}`);
  const sets = ["()", ...currencies.map((name) => `(r.${quoted(name)})`)];
  const text = `select ${["count(*)::text as rows", ...keys, ...sums].join(", ")}
    from (${rowsSql(selection, range, values)}
    ) as r
    group by grouping sets (${sets.join(", ")})`;
  return { text, values, amounts, currencies };
}

export interface TotalsStatement extends Statement {
  amounts: readonly Column[];
  currencies: readonly string[];
}

/** Counts no further than is needed to know that there are more. */
export function countStatement(selection: Selection, rowsMax: number): Statement {
  const values: BoundValue[] = [];
  const rows = rowsSql(selection, null, values);
  values.push(rowsMax + 1);
  return {
    text: `select count(*)::int as rows from (select from (${rows}) as r limit $${values.length}::bigint) as counted`,
    values,
  };
}

function rowsSql(selection: Selection, range: RowRange | null, values: BoundValue[]): string {
  const { request } = selection;
  const shape = shapeOf(request.report, request.preset);
  const rows = shape.select(scopeOf(selection, values));
  if (range === null) return rows;
  values.push(range.limit, range.offset);
  return `select r.*
    from (${rows}
    ) as r
    order by ${shape.orderBy}
    limit $${values.length - 1}::int offset $${values.length}::int`;
}

function scopeOf(selection: Selection, values: BoundValue[]): Scope {
  const { request } = selection;
  const { zone, period } = request;
  const bind = (value: BoundValue, type: string) => `$${values.push(value)}::${type}`;
  return {
    bind,
    where: conditions(selection, bind).join("\n      and "),
    zone: () => bind(zone.name, "text"),
    day: (time) => localDay(time, zone, bind),
    preset: request.presetValues,
    accounts: () => bind(selection.accountIds.map(String), "int[]"),
    asAt: () => bind(momentOf(selection).asAt, "timestamptz"),
    knownAt: () => bind(momentOf(selection).knownAt, "timestamptz"),
    from: () => (period.from === null ? null : bind(period.from, "timestamptz")),
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
    found.push(`${column} = any (${bind(wanted, "text[]")})`);
  }
  return found;
}

function withoutWallets({ wallets, walletsWhere }: Column, expression: string): string {
  if (wallets === undefined) return expression;
  const hidden = wallets === "masked" ? maskedWallet(expression) : "null::text";
  return walletsWhere === undefined
    ? hidden
    : `case when ${walletsWhere} then ${hidden} else ${expression} end`;
}

/** Names are ours; quoted, because some programs insist on capitals. */
function quoted(name: string): string {
  assert(/^\w+$/.test(name), `a plain column name: ${name}`);
  return `"${name}"`;
}
