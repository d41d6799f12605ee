import { expect, test } from "vitest";
import { withdrawStatement } from "../../../src/reconcile/statement/withdraw-statement.ts";
import { useTestDatabase } from "../../support/test-database.ts";
import { wrapDatabase } from "../../support/wrap-database.ts";
import { aProfile, openBench } from "./import-for-test.ts";

const database = useTestDatabase();

test("a large file is taken in and withdrawn without a time limit, and what follows is planned by what it left", async () => {
  const limits: unknown[] = [];
  const watched = wrapDatabase(database.db, async (next, text, ...rest) => {
    if (/into "tieout"."statements"|temporary table standing/.test(text))
      limits.push(...(await next("show statement_timeout")));
    return next(text, ...rest);
  });
  const rows = Array.from({ length: 1_000 }, (_, n) => `T${n},done,EUR,10.00,2026-01-01T10:00:00Z`);
  const bench = await openBench(watched, "large");
  const { statement } = await bench.import(
    "large.csv",
    `${["id,status,currency,amount,time", ...rows].join("\n")}\n`,
    { profiles: [aProfile()] },
  );
  // As after a backup was restored: the table is known to be empty.
  await database.db.query("vacuum (analyze) tieout.line_retirements");
  const { linesRetired } = await withdrawStatement(
    { database: watched },
    { statementId: statement.id, reason: "wrong month", actor: "test" },
  );
  expect(linesRetired).toBe(1_000);
  expect(
    await database.db.query("select reltuples from pg_class where oid = 'tieout.line_retirements'::regclass"),
  ).toEqual([{ reltuples: 1_000 }]);
  expect(limits).toEqual([{ statement_timeout: "0" }, { statement_timeout: "0" }]);
});
