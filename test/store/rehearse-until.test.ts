import { expect, test } from "vitest";
import { rehearseUntil } from "../../src/store/rehearse-until.ts";
import { useTestDatabase } from "../support/test-database.ts";

const database = useTestDatabase();

test("a rehearsal shows what would come of it, and undoes it", async () => {
  await database.db.query("create table rehearsed (id int)");
  const seen = await rehearseUntil(database.db, new AbortController().signal, async (tx) => {
    await tx.query("insert into rehearsed values (1)");
    return tx.query("select id from rehearsed");
  });
  expect(seen).toEqual([{ id: 1 }]);
  expect(await database.db.query("select from rehearsed")).toEqual([]);
});

test("ends inside a statement that would run for an hour, with the reason of the signal", async () => {
  const ending = new AbortController();
  const rehearsed = rehearseUntil(database.db, ending.signal, async (tx) => {
    await tx.query("set local statement_timeout = 0");
    const sleeping = tx.query("select pg_sleep(3600)");
    ending.abort(new Error("nobody waits any longer"));
    await sleeping;
  });
  await expect(rehearsed).rejects.toThrow("nobody waits any longer");
  const running = await database.db.query(
    "select from pg_stat_activity where query like 'select pg_sleep(3600)%' and state = 'active'",
  );
  expect(running).toEqual([]);
});
