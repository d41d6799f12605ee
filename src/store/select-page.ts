import { and, asc, desc, getTableColumns, type InferSelectModel, type SQL, sql } from "drizzle-orm";
import type { PgColumn, PgSelect, PgTable } from "drizzle-orm/pg-core";
import type { Keyset, Page, PageWanted, PositionKind } from "./keyset.ts";

/** How a list is ordered, and where in it a row stands. */
export interface Paging<Row> {
  keyset: Keyset<PgColumn | SQL>;
  positionOf: (row: Row) => string[];
}

/** By columns of one table, which the rows of the list carry under the same names. */
export function pagingBy<Table extends PgTable, Name extends keyof InferSelectModel<Table> & string>(
  table: Table,
  direction: "ascending" | "descending",
  ...names: Name[]
): Paging<Pick<InferSelectModel<Table>, Name>> {
  const columns: Record<string, PgColumn> = getTableColumns(table);
  const keys = names.map((name) => {
    const expression = columns[name];
    const kind = kinds[expression?.getSQLType() ?? ""];
    if (!expression?.notNull || kind === undefined) throw new TypeError(`no list goes by ${name}`);
    return { expression, kind };
  });
  return {
    keyset: { keys, descending: direction === "descending" },
    positionOf: (row) => names.map((name) => positionText(row[name])),
  };
}

const kinds: Readonly<Record<string, PositionKind>> = {
  "timestamp with time zone": "time",
  text: "text",
  smallint: "integer",
  integer: "integer",
  bigint: "integer",
  bytea: "hex",
};

function positionText(value: unknown): string {
  return Buffer.isBuffer(value) ? value.toString("hex") : String(value);
}

/** One page of a list. `where` begins with what its reader may see. */
export async function selectPage<Select extends PgSelect>(
  select: Select,
  { keyset }: Paging<never>,
  page: PageWanted,
  where: readonly (SQL | undefined)[],
): Promise<Page<Select["_"]["result"][number]>> {
  const direction = keyset.descending ? desc : asc;
  const rows: Select["_"]["result"] = await select
    .where(and(...where, page.after === null ? undefined : isBeyond(keyset, page.after)))
    .orderBy(...keyset.keys.map(({ expression }) => direction(expression)))
    .limit(page.limit + 1);
  const hasMore = rows.length > page.limit;
  if (hasMore) rows.pop();
  return { rows, hasMore };
}

function isBeyond({ keys, descending }: Keyset<PgColumn | SQL>, after: readonly string[]): SQL {
  const columns = keys.map(({ expression }) => expression);
  const bounds = keys.map(({ kind }, at) => {
    const text = after[at] ?? "";
    if (kind === "hex") return sql`${Buffer.from(text, "hex")}`;
    // A cursor may hold a greater number than the column can: that is a place in the list, and no error.
    if (kind === "decimal") return sql`${text}::numeric`;
    return kind === "integer" ? sql`${text}::bigint` : sql`${text}`;
  });
  const comma = sql`, `;
  return sql`(${sql.join(columns, comma)}) ${sql.raw(descending ? "<" : ">")} (${sql.join(bounds, comma)})`;
}
