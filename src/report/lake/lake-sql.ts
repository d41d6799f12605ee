import { type Day, firstOfMonth } from "../../core/period.ts";
import type { Snapshot, Statement } from "../../store/exports/copy-report.ts";
import { inLayout } from "../column-sql.ts";
import { decimalPrecision, decimalScale } from "../parquet/values.ts";
import type { ColumnType } from "../report.ts";
import type { LakeTable } from "./tables.ts";

export interface LakeColumn {
  name: string;
  type: ColumnType;
}

/** Amounts that do not fit into a decimal of Parquet, as JSON; nearly always nothing. */
export const longAmounts = "amounts_as_text";

/** Rows of an account and a month. */
export interface Partition {
  account: string;
  month: string;
  rows: number;
  /** The same for the same rows, in whatever order. */
  digest: string;
}

/** The month of rows that have none. */
const undated = "undated";

/** What is read of an append-only table: rows that were added in this half-open time. */
export interface Added {
  from: string | null;
  to: string;
}

const types: Readonly<Record<string, ColumnType>> = {
  numeric: "amount",
  bigint: "integer",
  integer: "integer",
  smallint: "integer",
  boolean: "boolean",
  date: "date",
  "timestamp with time zone": "time",
};

/** Erasures since the one that the lake knows of: the newest, and the accounts of which something went. */
export async function readErased(
  snapshot: Snapshot,
  known: number,
): Promise<{ newest: number; accounts: ReadonlySet<string> }> {
  const rows = await snapshot.query<{ newest: number; account: string }>(
    `select max(e.id)::double precision as newest, a.name as account
     from tieout.erasures as e
     join tieout.accounts as a on a.id = e.account_id
     where e.id > $1
     group by a.name`,
    [known],
  );
  return {
    newest: Math.max(known, ...rows.map(({ newest }) => newest)),
    accounts: new Set(rows.map(({ account }) => account)),
  };
}

export async function readColumns(snapshot: Snapshot, table: LakeTable): Promise<LakeColumn[]> {
  const rows = await snapshot.query<{ name: string; type: string }>(
    `select column_name as name, data_type as type
     from information_schema.columns
     where table_schema = 'reporting' and table_name = $1
     order by ordinal_position`,
    [table.name],
  );
  const columns = rows
    .filter(({ name }) => table.told?.[name] === undefined)
    .map(({ name, type }): LakeColumn => ({ name, type: types[type] ?? "text" }));
  const hasAmounts = columns.some(({ type }) => type === "amount");
  return hasAmounts ? [...columns, { name: longAmounts, type: "text" }] : columns;
}

export function readPartitions(
  snapshot: Snapshot,
  table: LakeTable,
  columns: readonly LakeColumn[],
  added: Added | null,
): Promise<Partition[]> {
  const values: (string | null)[] = [];
  const bind = (value: string) => `$${values.push(value)}`;
  const names = columns.filter(({ name }) => name !== longAmounts).map(({ name }) => `"${name}"`);
  return snapshot.query<Partition>(
    `select coalesce(account, '') as account, ${monthOf(table)} as month, count(*)::int as rows,
            sum(hashtextextended(row(${names.join(", ")})::text, 0)::numeric)::text as digest
     from reporting.${table.name}
     where ${addedWithin(table, added, bind)}
     group by 1, 2
     order by 1, 2`,
    values,
  );
}

/** The rows of a partition as CSV. */
export function partitionStatement(
  table: LakeTable,
  columns: readonly LakeColumn[],
  { account, month }: Pick<Partition, "account" | "month">,
  added: Added | null,
): Statement {
  const values: string[] = [];
  const bind = (value: string) => `$${values.push(value)}`;
  const amounts = columns.filter(({ type }) => type === "amount");
  const cells = columns.map(({ name, type }) => {
    if (name === longAmounts) return `${longAmountsSql(amounts)} as "${name}"`;
    const shown = type === "amount" ? `case when ${fits(`"${name}"`)} then "${name}" end` : `"${name}"`;
    return `${type === "text" ? `${shown}::text` : inLayout(type, shown, "csv")} as "${name}"`;
  });
  const text = `select ${cells.join(",\n  ")}
  from (select * from reporting.${table.name}
        where coalesce(account, '') = ${bind(account)} and ${isInMonth(table, month, bind)}
          and ${addedWithin(table, added, bind)}
        order by ${table.orderBy}) as r`;
  return { text, values };
}

function addedWithin({ addedAt }: LakeTable, added: Added | null, bind: (value: string) => string): string {
  if (addedAt === undefined || added === null) return "true";
  const from = added.from === null ? "true" : `${addedAt} >= ${bind(added.from)}::timestamptz`;
  return `${from} and ${addedAt} < ${bind(added.to)}::timestamptz`;
}

function monthOf({ month }: LakeTable): string {
  return `coalesce(to_char(${month}, 'YYYY-MM'), '${undated}')`;
}

/** As a range of time, so that indexes and monthly tables can be used. */
function isInMonth(table: LakeTable, month: string, bind: (value: string) => string): string {
  if (month === undated) return `${monthOf(table)} = ${bind(undated)}`;
  const first = `${month}-01` as Day;
  return `${table.month} >= ${bind(first)} and ${table.month} < ${bind(firstOfMonth(first, 1))}`;
}

function fits(amount: string): string {
  return `abs(${amount}) < 1${"0".repeat(decimalPrecision - decimalScale)} and min_scale(${amount}) <= ${decimalScale}`;
}

function longAmountsSql(amounts: readonly LakeColumn[]): string {
  const pairs = amounts.map(
    ({ name }) => `'${name}', case when not (${fits(`"${name}"`)}) then "${name}"::text end`,
  );
  return `nullif(jsonb_strip_nulls(jsonb_build_object(${pairs.join(", ")}))::text, '{}')`;
}
