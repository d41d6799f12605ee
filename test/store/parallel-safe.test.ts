import { expect, test } from "vitest";
import { useTestDatabase } from "../support/test-database.ts";

const database = useTestDatabase();

/**
 * Postgres decides whether a query may run on more than one processor before it looks into the functions that it calls: one that does
 * not say so keeps all of the query on one. Those with rights or settings of their own are not looked into.
 */
test("whatever a query looks into may be read on more than one processor", async () => {
  const found = await database.db.query<{ name: string; safe: boolean }>(
    `select p.oid::regprocedure::text as name, p.proparallel = 's' as safe
     from pg_proc as p
     join pg_language as l on l.oid = p.prolang
     where p.pronamespace = 'tieout'::regnamespace
       and l.lanname = 'sql'
       and p.provolatile in ('s', 'i')
       and p.proretset
       and not p.prosecdef
       and p.proconfig is null`,
  );
  expect(found.length).toBeGreaterThan(15);
  expect(found.filter(({ safe }) => !safe)).toEqual([]);
});
