import { beforeAll, describe, expect, test } from "vitest";
import { addStatement, type Books, openBooks } from "../reconcile/books.ts";
import { reconcileAccount } from "../../src/reconcile/reconcile.ts";
import { negateDecimal, subtractDecimals } from "../../src/core/decimal.ts";
import { readJournalBalance } from "../../src/store/books/journal-balance.ts";
import { hasHledger, hledger } from "../support/hledger.ts";
import { liftLimits } from "../support/people.ts";
import { useTestDatabase } from "../support/test-database.ts";
import { parseCsv } from "./books.ts";
import { databaseNow, openClaims, payout, report, rowsOf, sum, writeOff } from "./claims.ts";

const database = useTestDatabase();
const months = [
  { from: "2026-03-01", to: "2026-04-01" },
  { from: "2026-04-01", to: "2026-05-01" },
];
const whole = { to: "2026-05-01" };
let books: Books;
let marchClosed = "";

beforeAll(async () => {
  await liftLimits(database.db);
  books = await openClaims(database.db);
  marchClosed = await databaseNow(books);
  await writeOff(books, "payout_sum_mismatch", "2026-04-15T00:00:00Z");
  // A line of March that comes after March was closed, and its payout in April.
  await addStatement(books, {
    from: "2026-04-01T00:00:00Z",
    to: "2026-05-01T00:00:00Z",
    lines: [
      { key: "late", net_amount: "0.75", payout_ref: "P3", effective_at: "2026-03-30T00:00:00Z" },
      payout("P3", "0.75", "EUR", "2026-04-20T00:00:00Z"),
    ],
  });
  await reconcileAccount(database.db, books.accountId);
});

function byKey(rows: readonly Record<string, string>[], key: (row: Record<string, string>) => string) {
  const found = new Map<string, Record<string, string>[]>();
  for (const row of rows) found.set(key(row), [...(found.get(key(row)) ?? []), row]);
  return found;
}

const signed = (rows: readonly Record<string, string>[]) =>
  subtractDecimals(sum(rows.map(({ debit }) => debit)), sum(rows.map(({ credit }) => credit)));

describe("journal", () => {
  test("books every event on its day, with the ids behind it", async () => {
    const rows = await rowsOf(books, "journal", { ...whole, known_at: marchClosed });
    const shown = rows.map(
      ({ date, event, account_name, currency, debit, credit }) =>
        `${date} ${event} ${account_name} ${debit ? `${debit} ${currency}` : `-${credit} ${currency}`}`,
    );
    expect(shown).toEqual([
      "2026-03-10 share_earned assets:receivable:moonpay 3 EUR",
      "2026-03-10 share_earned income:commission:moonpay -3 EUR",
      "2026-03-11 share_earned assets:receivable:moonpay 2.005 EUR",
      "2026-03-11 share_earned income:commission:moonpay -2.005 EUR",
      "2026-03-12 sale assets:receivable:banxa 97 EUR",
      "2026-03-12 sale expenses:provider fees:banxa 3 EUR",
      "2026-03-12 sale income:customer payments:banxa -100 EUR",
      "2026-03-14 refund expenses:refunds:moonpay 1.2 EUR",
      "2026-03-14 refund assets:receivable:moonpay -1.2 EUR",
      "2026-03-15 chargeback expenses:chargebacks:moonpay 0.5 EUR",
      "2026-03-15 chargeback assets:receivable:moonpay -0.5 EUR",
      "2026-03-16 chargeback_reversal assets:receivable:moonpay 0.5 EUR",
      "2026-03-16 chargeback_reversal expenses:chargebacks:moonpay -0.5 EUR",
      "2026-03-17 provider_fee expenses:provider fees:moonpay 0.1 EUR",
      "2026-03-17 provider_fee assets:receivable:moonpay -0.1 EUR",
      "2026-03-18 adjustment assets:receivable:moonpay 0.25 EUR",
      "2026-03-18 adjustment expenses:adjustments:moonpay -0.25 EUR",
      "2026-03-19 reserve assets:reserves held:moonpay 0.4 EUR",
      "2026-03-19 reserve assets:receivable:moonpay -0.4 EUR",
      "2026-03-25 payout_declared assets:payouts in transit:moonpay 1 EUR",
      "2026-03-25 payout_declared assets:receivable:moonpay -1 EUR",
      "2026-03-26 conversion assets:receivable:moonpay -2.005 EUR",
      "2026-03-26 conversion assets:receivable:moonpay 2.2055 USD",
      "2026-03-26 conversion equity:currency exchange 2.005 EUR",
      "2026-03-26 conversion equity:currency exchange -2.2055 USD",
      "2026-03-26 payout_declared assets:payouts in transit:moonpay 2.2055 USD",
      "2026-03-26 payout_declared assets:receivable:moonpay -2.2055 USD",
    ]);
    expect(rows[0]).toMatchObject({
      transaction_id: "A",
      payout_ref: "P1",
      line_no: "2",
      account_code: "1200",
    });
    expect(rows.every(({ line }) => /^lin_\d+$/.test(line ?? ""))).toBe(true);
  });

  test("balances per entry and currency, and ties to the receivable of every month", async () => {
    for (const month of months) {
      const rows = await rowsOf(books, "journal", month);
      for (const [, entry] of byKey(rows, ({ entry: id, currency }) => `${id} ${currency}`))
        expect(signed(entry)).toBe("0");
      const claims = byKey(
        rows.filter(({ account_code }) => account_code === "1200"),
        ({ provider, currency }) => `${provider} ${currency}`,
      );
      for (const row of await rowsOf(books, "receivable", month)) {
        const moved = subtractDecimals(sum([row["closing"]]), sum([row["opening"]]));
        expect(signed(claims.get(`${row["provider"]} ${row["currency"]}`) ?? [])).toBe(moved);
        expect(row["unexplained"]).toBe("0");
      }
    }
  });

  test("a write-off takes the difference out of the claim on the day it is booked", async () => {
    const rows = await rowsOf(books, "journal", { from: "2026-04-01", to: "2026-05-01", event: "write_off" });
    expect(rows).toMatchObject([
      { date: "2026-04-15", account_name: "expenses:write-offs:moonpay", debit: "0.55", payout_ref: "P1" },
      { date: "2026-04-15", account_name: "assets:receivable:moonpay", credit: "0.55" },
    ]);
    expect(rows[0]?.["discrepancy"]).toMatch(/^dis_\d+$/);
  });

  test("what has become known of a closed month is booked on the first day of the next", async () => {
    const april = { from: "2026-04-01", to: "2026-05-01", prior_known_at: marchClosed };
    const prior = (await rowsOf(books, "journal", april)).filter(
      ({ prior_period }) => prior_period === "true",
    );
    expect(prior).toMatchObject([
      { date: "2026-04-01", event: "share_earned", account_name: "assets:receivable:moonpay", debit: "0.75" },
      {
        date: "2026-04-01",
        event: "share_earned",
        account_name: "income:commission:moonpay",
        credit: "0.75",
      },
    ]);
    const [eur] = await rowsOf(books, "receivable", { ...april, provider: "moonpay", currency: "EUR" });
    const [closed] = await rowsOf(books, "receivable", {
      ...months[0],
      known_at: marchClosed,
      provider: "moonpay",
      currency: "EUR",
    });
    expect(eur).toMatchObject({ opening: closed?.["closing"], prior_period: "0.75", unexplained: "0" });
  });

  test("the quick check says the same as the rows", async () => {
    const sums = await readJournalBalance(database.db, {
      accountIds: [books.accountId],
      from: null,
      to: "2026-05-01T00:00:00Z",
      knownAt: null,
    });
    const rows = await rowsOf(books, "journal", whole);
    const currencies = byKey(rows, ({ currency }) => currency ?? "");
    expect(sums.map(({ currency }) => currency)).toEqual([...currencies.keys()].toSorted());
    for (const { currency, balanced, tied, debit, credit, receivablePosted } of sums) {
      const ofIt = currencies.get(currency) ?? [];
      expect([balanced, tied]).toEqual([true, true]);
      expect([debit, credit]).toEqual([sum(ofIt.map((row) => row["debit"])), debit]);
      expect(receivablePosted).toBe(signed(ofIt.filter(({ account_code }) => account_code === "1200")));
    }
  });

  test.runIf(hasHledger())("hledger accepts its text, and its balance is our receivable", async () => {
    for (const to of ["2026-03-20", "2026-04-01", "2026-05-01"]) {
      const text = await report(books, "journal", { to, layout: "hledger" });
      hledger(text, "check", "--strict");
      const balances = parseCsv(
        hledger(text, "balance", "--flat", "--layout=bare", "-O", "csv", "assets:receivable"),
      );
      const told = balances
        .filter(({ account }) => account !== "total")
        .map(({ account, commodity, balance }) => [`${account} ${commodity}`, sum([balance])] as const);
      const owed = (await rowsOf(books, "receivable", { to }))
        .filter(({ closing }) => closing !== "0")
        .map(
          ({ provider, currency, closing }) =>
            [`assets:receivable:${provider} ${currency}`, sum([closing])] as const,
        );
      expect(owed.length).toBeGreaterThan(0);
      expect(Object.fromEntries(told)).toEqual(Object.fromEntries(owed));
    }
  });

  test("is written as Xero, QuickBooks and NetSuite import it", async () => {
    const first = async (layout: string) => {
      const text = await report(books, "journal", { ...whole, event: "refund", layout });
      return text.split("\n").slice(0, 2);
    };
    expect((await first("xero")).join("\n")).toMatch(
      /^\*Narration,\*Date,Description,\*AccountCode,\*TaxRate,\*Amount,TrackingName1,TrackingOption1,TrackingName2,TrackingOption2\nL\d+ moonpay refund,14\/03\/2026,moonpay refund EUR A P1 lin_\d+,5100,Tax Exempt,1\.2,Provider,moonpay,Currency,EUR$/,
    );
    expect((await first("quickbooks")).join("\n")).toMatch(
      /^\*JournalNo,\*JournalDate,\*AccountName,\*Debits,\*Credits,Description,Name,Currency\nL\d+,03\/14\/2026,expenses:refunds:moonpay,1\.2,,moonpay refund EUR A P1 lin_\d+,moonpay,EUR$/,
    );
    expect((await first("netsuite")).join("\n")).toMatch(
      /^External ID,Date,Currency,Memo,Account,Debit,Credit,Line Memo\nL\d+,03\/14\/2026,EUR,moonpay refund,5100,1\.2,,moonpay refund EUR A P1 lin_\d+$/,
    );
    expect(
      negateDecimal(
        sum([
          parseCsv(await report(books, "journal", { ...whole, event: "refund", layout: "xero" }))[1]?.[
            "*Amount"
          ],
        ]),
      ),
    ).toBe("1.2");
  });

  test("is refused for Xero in several currencies, and written in each of them", async () => {
    await expect(report(books, "journal", { ...whole, layout: "xero" })).rejects.toThrow(
      /^currency: .* there are EUR, USD: .* currency=EUR .*--currency/,
    );
    for (const currency of ["EUR", "USD"]) {
      const rows = parseCsv(await report(books, "journal", { ...whole, layout: "xero", currency }));
      expect(new Set(rows.map((row) => row["TrackingOption2"]))).toEqual(new Set([currency]));
      expect(sum(rows.map((row) => row["*Amount"]))).toBe("0");
    }
    // Another program reads the currency of each row.
    expect(await report(books, "journal", { ...whole, layout: "quickbooks" })).toContain("USD");
  });

  test("is found by currency in any case, coins included", async () => {
    const owned = await openBooks(database.db);
    await addStatement(owned, {
      lines: [{ key: "coin", net_amount: "7", net_currency: "usdc", effective_at: "2026-03-05T00:00:00Z" }],
    });
    await reconcileAccount(database.db, owned.accountId);
    for (const name of ["journal", "receivable"]) {
      const found = await rowsOf(owned, name, { ...whole, currency: "usdc" });
      expect(found.map(({ currency }) => currency)).toContain("usdc");
    }
  });
});
