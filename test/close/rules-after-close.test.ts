import { expect, test } from "vitest";
import { preparePeriod } from "../../src/close/prepare.ts";
import { approvePeriod } from "../../src/close/sign.ts";
import { verifyPeriods } from "../../src/close/verify-periods.ts";
import type { Instant } from "../../src/core/instant.ts";
import type { Database } from "../../src/store/database.ts";
import { rowsOf } from "../report/claims.ts";
import { declares, importFile, owed } from "../report/statement-file.ts";
import { useTestDatabase } from "../support/test-database.ts";
import { alice, bob, monthOfBooks, openMonth } from "./a-month.ts";

const database = useTestDatabase();
const now = "2026-11-01T00:00:00.000Z" as Instant;

/** As a version found it that did not have these rules yet. */
async function forgetRules(db: Database): Promise<string[]> {
  return db.transaction(async (tx) => {
    await tx.query("set local session_replication_role = replica");
    const gone = await tx.query<{ rule: string }>("delete from tieout.rule_changes returning rule");
    return gone.map(({ rule }) => rule);
  });
}

/** As a migration does. */
async function bringRules(db: Database, rules: readonly string[]): Promise<void> {
  await db.query(
    "insert into tieout.rule_changes (rule, since) select rule, clock_timestamp() from unnest($1::text[]) as r (rule)",
    [rules],
  );
}

test("a month that was closed by an earlier rule stays as it was signed, and the next one shows what changes", async () => {
  const { db } = database;
  const rules = await forgetRules(db);
  expect(rules).toContain("conversion_as_declared");
  const books = await openMonth(db);
  await importFile(books, [
    owed("2026-03-05T10:00:00Z", "9359.68", "USD", "SX-2"),
    declares("2026-03-17T00:00:00Z", "8610.91", "EUR", "SX-2", "0.92"),
  ]);
  const accepted = ["discrepancies", "statements"].map((line) => ({ line, reason: "a test" }));
  await preparePeriod(db, await monthOfBooks(books), accepted, alice);
  await approvePeriod(db, await monthOfBooks(books), bob);
  await bringRules(db, rules);

  expect(await verifyPeriods(db, now)).toEqual([]);
  const { priorKnownAt } = await monthOfBooks(books, "2026-04");
  const april = {
    from: "2026-04-01",
    to: "2026-05-01",
    prior_known_at: priorKnownAt ?? "",
    provider: "simplex",
    currency: "EUR",
  };
  expect(await rowsOf(books, "receivable", april)).toMatchObject([
    { opening: "-0.0044", prior_period: "0.0044", closing: "0", unexplained: "0" },
  ]);
  const booked = await rowsOf(books, "journal", april);
  expect(
    booked.map(({ event, account_code, debit, credit, prior_period }) =>
      [event, account_code, debit, credit, prior_period].join(" "),
    ),
  ).toEqual(["conversion 1200 0.0044  true", "conversion 3900  0.0044 true"]);
});
