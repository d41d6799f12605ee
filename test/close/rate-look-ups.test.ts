import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import { preparePeriod } from "../../src/close/prepare.ts";
import { approvePeriod } from "../../src/close/sign.ts";
import { readRates } from "../../src/reconcile/rates/read-rates.ts";
import { reconcileAccount } from "../../src/reconcile/reconcile.ts";
import { saveRates } from "../../src/store/fees/rates.ts";
import { addStatement } from "../reconcile/books.ts";
import { requestFor } from "../report/books.ts";
import { rowsOf } from "../report/claims.ts";
import { lookUps, planOfReport, rowsRead } from "../report/plan.ts";
import { useTestDatabase } from "../support/test-database.ts";
import { alice, bob, monthOfBooks, openMonth } from "./a-month.ts";
import { set } from "./set.ts";

const database = useTestDatabase();
const providers = Array.from({ length: 30 }, (_, n) => `provider${n}`);
const daysOf = (month: string) =>
  Array.from({ length: 28 }, (_, n) => `${month}-${String(n + 1).padStart(2, "0")}`);

test("a month after a close looks up what a currency was worth on a day once, whatever was booked on it", async () => {
  const books = await openMonth(database.db);
  await set(books, "functional_currency", "USD");
  // From euros into dollars through pounds, in which a source quotes fifty currencies, for years.
  const quoted = Array.from(
    { length: 50 },
    (_, n) => `X${String.fromCharCode(65 + (n % 26), 65 + Math.floor(n / 26))}`,
  );
  await database.db.query(
    `insert into tieout.rates (day, base, quote, rate, source, file_name, sha256, imported_by)
     select date '2026-05-01' - n, 'GBP', quote, 2, 'bank', 'years.csv', sha256(''), 'test'
     from generate_series(1, 800) as n cross join unnest($1::text[]) as quote`,
    [quoted],
  );
  const rates = [...daysOf("2026-02"), ...daysOf("2026-03"), ...daysOf("2026-04")].flatMap((day) => [
    `${day},GBP,EUR,1.2,bank`,
    `${day},GBP,USD,1.${day.slice(6, 7)}${day.slice(-1)},bank`,
  ]);
  const text = ["date,base,quote,rate,source", ...rates, ""].join("\n");
  const sha256 = createHash("sha256").update(text).digest();
  await saveRates(database.db, { rates: readRates(text, "r.csv"), fileName: "r.csv", sha256, actor: "me" });
  await database.db.query("analyze tieout.rates");
  const lines = daysOf("2026-03").map((day) => ({
    net_amount: "7",
    payout_ref: null,
    effective_at: `${day}T10:00:00Z`,
  }));
  for (const provider of providers) await addStatement(books, { provider, lines });
  await reconcileAccount(database.db, books.accountId);
  const accepted = ["discrepancies", "statements", "receipts", "payouts"].map((line) => ({
    line,
    reason: "a test",
  }));
  await preparePeriod(database.db, await monthOfBooks(books, "2026-03"), accepted, alice);
  await approvePeriod(database.db, await monthOfBooks(books, "2026-03"), bob);
  const posted = providers.length * lines.length;
  const { priorKnownAt } = await monthOfBooks(books, "2026-04");

  const april = { from: "2026-04-01", to: "2026-05-01", prior_known_at: priorKnownAt ?? "" };
  for (const report of ["receivable", "journal"]) {
    expect((await rowsOf(books, report, april)).length).toBeGreaterThanOrEqual(providers.length);
    const given = Object.entries({ ...april, account: books.name }).map(([name, value]) => [name, [value]]);
    const plan = await planOfReport(database.db, requestFor(report, Object.fromEntries(given)));
    expect(lookUps(plan, "rates")).toBeLessThan(4 * posted);
    // The journal goes through all of them once, for those that were given since.
    expect(rowsRead(plan, "rates")).toBeLessThan(6 * posted + (report === "journal" ? 50 * 800 : 0));
  }
});
