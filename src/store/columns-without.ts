import { getTableColumns } from "drizzle-orm";
import type { PgTable } from "drizzle-orm/pg-core";

/** All columns of a table except some: internal, large or private ones. */
export function columnsWithout<Table extends PgTable, Name extends keyof Table["_"]["columns"] & string>(
  table: Table,
  ...names: Name[]
): Omit<Table["_"]["columns"], Name> {
  const left: Table["_"]["columns"] = { ...getTableColumns(table) };
  for (const name of names) delete left[name];
  return left;
}
