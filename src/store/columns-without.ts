import { getTableColumns } from "drizzle-orm";
import type { PgTable } from "drizzle-orm/pg-core";

/** What to select of a table, but for some columns: those that are for machines, large, or nobody's business. */
export function columnsWithout<Table extends PgTable, Name extends keyof Table["_"]["columns"] & string>(
  table: Table,
  ...names: Name[]
): Omit<Table["_"]["columns"], Name> {
  const left: Table["_"]["columns"] = { ...getTableColumns(table) };
  for (const name of names) delete left[name];
  return left;
}
