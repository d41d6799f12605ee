import { expect, test } from "vitest";
import { freshenStatistics } from "../../src/store/statistics.ts";
import { useTestDatabase } from "../support/test-database.ts";

const database = useTestDatabase();

async function rowsKnown(table: string): Promise<number> {
  const [row] = await database.db.query<{ rows: number }>(
    "select reltuples::int as rows from pg_class where oid = $1::regclass",
    [table],
  );
  return row?.rows ?? 0;
}

test("a table is looked at when it has grown fourfold, and not before", async () => {
  await database.db.query("create table public.growing (word text) with (autovacuum_enabled = off)");
  const grow = (rows: number) =>
    database.db.query("insert into growing select repeat('x', 1000) from generate_series(1, $1::int)", [
      rows,
    ]);
  await grow(10);
  await freshenStatistics(database.db, ["public.growing"]);
  expect(await rowsKnown("growing")).toBe(-1);
  await grow(90);
  await freshenStatistics(database.db, ["public.growing"]);
  expect(await rowsKnown("growing")).toBe(100);
  await grow(200);
  await freshenStatistics(database.db, ["public.growing"]);
  expect(await rowsKnown("growing")).toBe(100);
  await grow(200);
  await freshenStatistics(database.db, ["public.growing"]);
  expect(await rowsKnown("growing")).toBe(500);
});

test("while somebody looks at a table, nobody else waits to do it again", async () => {
  await database.db.query(
    `create table public.looked_at (word text) with (autovacuum_enabled = off);
     insert into looked_at select repeat('x', 1000) from generate_series(1, 100)`,
  );
  await database.db.transaction(async (other) => {
    await other.query("lock table looked_at in share update exclusive mode");
    await freshenStatistics(database.db, ["public.looked_at"]);
  });
  expect(await rowsKnown("looked_at")).toBe(-1);
});
