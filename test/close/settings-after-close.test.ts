import { expect, test } from "vitest";
import { orderOf } from "../../src/close/sign-off.ts";
import { preparePeriod } from "../../src/close/prepare.ts";
import { approvePeriod } from "../../src/close/sign.ts";
import { verifyPeriods } from "../../src/close/verify-periods.ts";
import { withPackParts } from "../../src/close/write-pack.ts";
import type { Instant } from "../../src/core/instant.ts";
import { importFeeSchedule, readFeeFile } from "../../src/reconcile/fees/fee-schedule.ts";
import { saveSettings } from "../../src/reconcile/provider-settings.ts";
import { reconcileAccount } from "../../src/reconcile/reconcile.ts";
import { saveRates } from "../../src/store/fees/rates.ts";
import { listChanges, listPeriodEvents } from "../../src/store/periods/period-reads.ts";
import type { Books } from "../reconcile/books.ts";
import { useTestDatabase } from "../support/test-database.ts";
import { addMissingOrder, alice, bob, monthOfBooks, openMonth } from "./a-month.ts";
import { set } from "./set.ts";

const database = useTestDatabase();
const now = "2026-11-01T00:00:00.000Z" as Instant;

/** All that can be set and reaches back into the month: other fees, rates, currency, accounts, tolerances, due dates. */
async function setEverything(books: Books): Promise<void> {
  const account = { id: books.accountId, name: books.name };
  await saveSettings(books.db, {
    accountId: books.accountId,
    provider: "moonpay",
    settings: {
      calendar: { statement_lag_days: 0, statement_grace_days: 0, payout_lag_days: 0 },
      tolerances: [{ currency: "EUR", leg: "in", absolute_under: "500", absolute_over: "500" }],
      aliases: [],
    },
    seenVersion: null,
    reason: "a test",
    actor: "test",
    requestId: "test",
  });
  await importFeeSchedule(books.db, {
    account,
    provider: "moonpay",
    validFrom: "2026-03-01T00:00:00Z",
    terms: readFeeFile("kind,percent\nshare,50\n", "fees.csv").terms,
    fileName: "fees.csv",
    reason: "as agreed",
    actor: "test",
  });
  await set(books, "functional_currency", "USD");
  await set(books, "chart_of_accounts", { receivable: { code: "9999", name: "Owed by others" } });
  await saveRates(books.db, {
    rates: [{ day: "2026-03-11", base: "EUR", quote: "USD", rate: "7", source: "test" }],
    fileName: "rates.csv",
    sha256: Buffer.alloc(32),
    actor: "test",
  });
}

test("no setting that is saved later moves a figure of a closed month", async () => {
  const { db } = database;
  const books = await openMonth(db);
  await addMissingOrder(books, "lost");
  const accepted = [{ line: "discrepancies", reason: "asked the provider" }];
  const { knownAt } = await preparePeriod(db, await monthOfBooks(books), accepted, alice);
  await approvePeriod(db, await monthOfBooks(books), bob);
  const closed = await monthOfBooks(books);

  await setEverything(books);
  await reconcileAccount(db, books.accountId, { full: true });

  // They do reach into the month: were it open, it would have to be signed again, and with another pack.
  const changes = await listChanges(db, { accountId: books.accountId, to: closed.to, knownAt });
  const facts = changes.map(({ fact }) => fact);
  for (const fact of ["settings", "account_settings", "fee_schedules"]) expect(facts).toContain(fact);
  const prepared = (await listPeriodEvents(db, closed)).find(({ event }) => event === "prepared");
  if (prepared === undefined) throw new Error("the month was prepared");
  const [clock] = await db.query<{ at: string }>("select clock_timestamp()::text as at");
  const today = orderOf(closed, { ...prepared, knownAt: clock?.at ?? "" });
  const sha256 = await withPackParts(db, today, async ({ manifestSha256 }) => manifestSha256);
  expect(sha256).not.toBe(prepared.packSha256?.toString("hex"));

  // And yet every report of the closed month is, byte for byte, what two people signed.
  expect(await verifyPeriods(db, now)).toEqual([]);
});
