import { readFile, writeFile } from "node:fs/promises";
import { gunzipSync, gzipSync } from "node:zlib";
import type { Database, Transaction } from "../../src/store/database.ts";
import { verify, type VerifyReport } from "../../src/sync/verify.ts";

/** What `verify` said of a database of a release, and then all its rows, a table on each line. */
export const dataOf = (version: string) => `test/fixtures/released/${version}.jsonl.gz`;

export async function saveData(db: Database, file: string): Promise<void> {
  const tables = await listTables(db);
  const lines = await Promise.all(
    tables.map(async (table) => {
      const rows = await db.query<{ row: string }>(
        `select to_jsonb(t)::text as row from tieout.${table} as t order by 1`,
      );
      return `{"table": "${table}", "rows": [${rows.map(({ row }) => row).join(", ")}]}\n`;
    }),
  );
  const verified = `${JSON.stringify(await verify(db))}\n`;
  await writeFile(file, gzipSync([verified, ...lines].join(""), { level: 9 }));
}

/**
 * Into a database that has the tables of the same release, past its rules: they held when the rows were written. Returns
 * what `verify` said of it.
 */
export async function loadData(db: Database, file: string): Promise<VerifyReport> {
  const text = gunzipSync(await readFile(file))
    .toString("utf8")
    .trimEnd();
  const [verified = "", ...lines] = text.split("\n");
  await db.transaction(async (tx) => {
    await tx.query("set local session_replication_role = replica");
    for (const line of lines) await loadTable(tx, line);
  });
  return JSON.parse(verified) as VerifyReport;
}

/** Parsed by the database alone: JavaScript would round the amounts. */
async function loadTable(tx: Transaction, line: string): Promise<void> {
  const { table } = JSON.parse(line) as { table: string };
  const columns = await tx.query<{ name: string; sequence: string | null }>(
    `select attname as name, pg_get_serial_sequence('tieout.${table}', attname) as sequence
     from pg_attribute
     where attrelid = 'tieout.${table}'::regclass
       and attnum > 0
       and not attisdropped
       and attgenerated = ''`,
  );
  const names = columns.map(({ name }) => `"${name}"`).join(", ");
  await tx.query(`delete from tieout.${table}`);
  await tx.query(
    `insert into tieout.${table} (${names}) overriding system value
     select ${names} from jsonb_populate_recordset(null::tieout.${table}, $1::jsonb -> 'rows')`,
    [line],
  );
  for (const { name, sequence } of columns)
    if (sequence !== null)
      await tx.query(
        `select setval($1, coalesce((select max("${name}") from tieout.${table}), 0) + 1, false)`,
        [sequence],
      );
}

/** All tables but the list of migrations, which a migration keeps by itself. */
export async function listTables(db: Database): Promise<string[]> {
  const tables = await db.query<{ name: string }>(
    `select relname as name
     from pg_class
     where relnamespace = 'tieout'::regnamespace
       and relkind in ('r', 'p')
       and not relispartition
       and relname <> 'migrations'
     order by relname`,
  );
  return tables.map(({ name }) => name);
}
