import type { Queryable } from "../../src/store/database.ts";

/** How far the database has written its log. */
export async function walPosition(db: Queryable): Promise<string> {
  const [row] = await db.query<{ at: string }>("select pg_current_wal_insert_lsn()::text as at");
  return row?.at ?? "";
}

/** Bytes of log since then. */
export async function walSince(db: Queryable, before: string): Promise<number> {
  const [row] = await db.query<{ bytes: string }>(
    "select pg_wal_lsn_diff(pg_current_wal_insert_lsn(), $1)::text as bytes",
    [before],
  );
  return Number(row?.bytes);
}
