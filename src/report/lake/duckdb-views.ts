import { addressOf, type Files, readText } from "../../store/files/files.ts";
import type { Manifest } from "./manifest.ts";
import { type LakeTable, lakeTables } from "./tables.ts";

const viewsName = "duckdb.sql";

/** Writes them if they are not there as they should be: a run may have ended after its manifest, or the lake was moved. */
export async function writeDuckdbViews(files: Files, manifest: Pick<Manifest, "tables">): Promise<void> {
  const views = duckdbViews(files, manifest);
  if ((await readText(files, viewsName)) !== views) await files.write(viewsName, [views]);
}

/** The views of `reporting` for DuckDB: `.read duckdb.sql`, and the sample queries run as they are. */
function duckdbViews(files: Files, { tables }: Pick<Manifest, "tables">): string {
  const views = lakeTables.flatMap((table) => {
    const held = tables[table.name];
    if (held === undefined) return [];
    const paths = held.files.filter(({ current }) => current).map(({ path }) => addressOf(files, path));
    const rows = paths.length === 0 ? noRows(held.columns) : rowsOf(paths);
    return [`create or replace view reporting.${table.name} as\nselect ${columnsOf(table)}\nfrom ${rows};\n`];
  });
  return `create schema if not exists reporting;\n\n${views.join("\n")}`;
}

function columnsOf({ told = {} }: LakeTable): string {
  return ["*", ...Object.entries(told).map(([name, sql]) => `${sql} as ${name}`)].join(",\n       ");
}

function rowsOf(paths: readonly string[]): string {
  const list = paths.map((path) => `  '${path.replaceAll("'", "''")}'`).join(",\n");
  return `read_parquet([\n${list}\n], hive_partitioning = false)`;
}

const types: Readonly<Record<string, string>> = {
  amount: "decimal(38, 18)",
  integer: "bigint",
  boolean: "boolean",
  date: "date",
  time: "timestamptz",
};

/** A query over a table in which nothing has happened yet answers with no rows, as it does in Postgres. */
function noRows(columns: readonly { name: string; type: string }[]): string {
  const cells = columns.map(({ name, type }) => `null::${types[type] ?? "varchar"} as "${name}"`);
  return `(select ${cells.join(", ")} where false)`;
}
