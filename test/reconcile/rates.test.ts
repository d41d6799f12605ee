import { createHash } from "node:crypto";
import { beforeAll, describe, expect, test } from "vitest";
import { reconcileAccount } from "../../src/reconcile/reconcile.ts";
import { readText } from "../../src/reconcile/read-text.ts";
import { readRates } from "../../src/reconcile/rates/read-rates.ts";
import { saveAccountSetting } from "../../src/store/accounts/account-settings.ts";
import { listRates, saveRates } from "../../src/store/fees/rates.ts";
import { databaseNow, openClaims, rowsOf, sum } from "../report/claims.ts";
import { useTestDatabase } from "../support/test-database.ts";
import { addStatement, type Books, openBooks } from "./books.ts";

const database = useTestDatabase();
let books: Books;
let beforeRates = "";

/** As the ECB publishes them: a comma at the end of every line, N/A where there is none, nothing on weekends. */
const published = [
  "Date,USD,JPY,GBP,",
  "2026-03-25,1.0800,161.50,0.8400,",
  "2026-03-20,1.1000,160.00,N/A,",
  "2026-03-10,1.2000,159.00,0.8300,",
  "",
].join("\n");

const keep = (text: string, fileName: string, acceptReason: string | null = null) =>
  saveRates(database.db, {
    rates: readRates(text, fileName),
    fileName,
    sha256: createHash("sha256").update(text).digest(),
    acceptReason,
    actor: "a person",
  });

const saveFunctionalCurrency = ({ accountId, name }: Books) =>
  database.db.transaction((tx) =>
    saveAccountSetting(tx, {
      account: { id: accountId, name },
      name: "functional_currency",
      value: "USD",
      reason: "our books are in dollars",
      actor: "a person",
      seenVersion: null,
    }),
  );

beforeAll(async () => {
  books = await openClaims(database.db);
  await saveFunctionalCurrency(books);
  beforeRates = await databaseNow(books);
  await keep(published, "eurofxref-hist.csv");
});

describe("rates of exchange", () => {
  test("the same file again adds nothing; a corrected rate counts from then on", async () => {
    expect(await keep(published, "again.csv")).toEqual({ read: 8, added: 0 });
    expect(await keep(published.replace("161.50", "161.60"), "fixed.csv")).toEqual({ read: 8, added: 1 });
    const [latest] = await listRates(database.db, { quote: "JPY", limit: 1 });
    expect(latest).toMatchObject({ day: "2026-03-25", base: "EUR", rate: "161.6", source: "ECB" });
  });

  test("every entry shows rate, day and source beside the original, and balances in both", async () => {
    const rows = await rowsOf(books, "journal", { to: "2026-04-01" });
    const onWeekend = rows.find(({ date, debit }) => date === "2026-03-14" && debit !== "");
    expect(onWeekend).toMatchObject({
      debit: "1.2",
      currency: "EUR",
      functional_debit: "1.44",
      functional_currency: "USD",
      rate: "1.2",
      rate_date: "2026-03-10",
      rate_source: "ECB",
      rate_missing: "false",
    });
    const dollars = rows.find(({ currency }) => currency === "USD");
    expect(dollars).toMatchObject({ rate: "1", functional_debit: dollars?.["debit"] });
    const converted = rows.filter(({ rate_missing }) => rate_missing === "false");
    expect(sum(converted.map((row) => row["functional_debit"]))).toBe(
      sum(converted.map((row) => row["functional_credit"])),
    );
  });

  test("a rate that is missing is said, and nothing is guessed", async () => {
    // The last rate before the 18th is more than a week old.
    const rows = await rowsOf(books, "journal", { from: "2026-03-18", to: "2026-03-19" });
    expect(rows[0]).toMatchObject({ currency: "EUR", rate: "", functional_debit: "", rate_missing: "true" });
    const then = await rowsOf(books, "journal", { to: "2026-03-12", known_at: beforeRates });
    expect(then.every(({ rate_missing }) => rate_missing === "true")).toBe(true);
  });

  test("the receivable is shown at the rate of its last day", async () => {
    const [banxa] = await rowsOf(books, "receivable", { to: "2026-03-26", provider: "banxa" });
    expect(banxa).toMatchObject({
      closing: "97",
      functional_closing: "104.76",
      rate: "1.08",
      rate_date: "2026-03-25",
      rate_missing: "false",
    });
  });

  test("a coin has its rate too, however the file writes it", async () => {
    const coins = await openBooks(database.db);
    await saveFunctionalCurrency(coins);
    await addStatement(coins, {
      lines: [{ key: "coin", net_amount: "7", net_currency: "usdc", effective_at: "2026-03-23T00:00:00Z" }],
    });
    await reconcileAccount(database.db, coins.accountId);
    await keep("date,base,quote,rate,source\n2026-03-24,USDC,usd,0.999,own\n", "coins.csv");
    const [owed] = await rowsOf(coins, "receivable", { to: "2026-03-25" });
    expect(owed).toMatchObject({ closing: "7", functional_closing: "6.993", rate_missing: "false" });
    expect(await listRates(database.db, { base: "usdc", limit: 9 })).toMatchObject([{ quote: "USD" }]);
  });

  test("through a third currency, and the other way round", async () => {
    const ask = async (of: string, to: string) => {
      const [row] = await database.db.query<{ rate: string; source: string }>(
        "select trim_scale(rate)::text as rate, source from tieout.exchange_rate($1, $2, '2026-03-25', 'infinity')",
        [of, to],
      );
      return row?.rate ?? null;
    };
    expect(await ask("USD", "EUR")).toBe("0.925925925926");
    expect(await ask("GBP", "USD")).toBe("1.285714285714");
    expect(await ask("GBP", "CHF")).toBeNull();
  });

  test("through a third currency of which both sides were corrected, by both corrections", async () => {
    const file = (sek: string, nok: string, dkk: string) =>
      `Date,SEK,NOK,DKK\n2025-03-25,${sek},${nok},${dkk}\n`;
    await keep(file("11", "10", "7.4"), "first.csv");
    await keep(file("11.5", "10.5", "7.5"), "corrected.csv");
    const crosses = await database.db.query(
      `select of_currency, to_currency, trim_scale(rate)::text as rate
       from (values ('SEK', 'NOK', 1), ('NOK', 'SEK', 2), ('DKK', 'NOK', 3), ('SEK', 'DKK', 4)) as pair (of_currency, to_currency, place)
       cross join lateral tieout.exchange_rate(of_currency, to_currency, '2025-03-25', 'infinity')
       order by place`,
    );
    expect(crosses.map((row) => row["rate"])).toEqual([
      "0.913043478261",
      "1.095238095238",
      "1.4",
      "0.652173913043",
    ]);
  });

  test.each([
    [
      "a rate and another",
      "date,base,quote,rate,source\n2026-02-20,USD,EUR,0.91,me\n2026-02-20,USD,EUR,0.19,me\n",
      "2026-02-20 USD in EUR: me states 0.91 and 0.19",
    ],
    [
      "a rate and itself the other way round",
      "date,base,quote,rate,source\n2026-02-20,GBP,PLN,5.0,me\n2026-02-20,PLN,GBP,5,me\n",
      "2026-02-20 PLN in GBP: me states 5, and 5 the other way round",
    ],
    ["a day twice", "Date,USD\n2026-02-20,1.1\n2026-02-20,1.2\n", "ECB states 1.1 and 1.2"],
    [
      "the euro for a euro",
      "Date,USD,EUR\n2026-02-20,1.1,1\n",
      '"EUR" is not a currency that is quoted for one EUR',
    ],
  ])("a file that states %s is refused: none is chosen", (_what, text, why) => {
    expect(() => readRates(text, "f.csv")).toThrow(why);
  });

  test("the same rate twice, a price for buying and one for selling, and capitals in the header are read", () => {
    const rows = ["2026-02-20,USD,EUR,0.91,me", "2026-02-20,USD,EUR,0.910,me", "2026-02-20,EUR,USD,1.12,me"];
    expect(readRates(["Date,Base,Quote,Rate,Source", ...rows, ""].join("\n"), "f.csv")).toHaveLength(3);
  });

  test("a bad file changes nothing and says what and where", () => {
    const whatIsWrong = (text: string) => {
      try {
        readRates(text, "f.csv");
        return "nothing";
      } catch (error) {
        return (error as Error).message;
      }
    };
    expect(whatIsWrong("Date,USD,\n2026-02-30,1.1,\n")).toContain('line 2: "2026-02-30" is not a day');
    expect(whatIsWrong("Date,USD,\n2026-02-20,0,\n")).toContain('line 2 USD: "0" is not an amount above 0');
    expect(whatIsWrong("date,base,quote,rate,source\n2026-02-20,EUR,EUR,1,me\n")).toContain("are the same");
    expect(whatIsWrong("date,base,quote,rate\n2026-02-20,EUR,USD,1\n")).toContain(
      "there is no column source",
    );
    expect(readRates("Date, USD, JPY, \n13 November 2026, 1.0548, 162.1, \n", "one-day.csv")).toMatchObject([
      { day: "2026-11-13", quote: "USD" },
      { quote: "JPY" },
    ]);
  });
});

describe("rates that cannot be right", () => {
  const rates = (...rows: string[]) => ["date,base,quote,rate,source", ...rows, ""].join("\n");

  test("are refused where they are the inverse of those known of the pair, unless a person says why", async () => {
    await keep(rates("2026-06-01,CHF,EUR,0.54,bank", "2026-06-02,CHF,EUR,0.55,bank"), "a.csv");
    const swapped = rates("2026-07-01,CHF,EUR,1.82,bank", "2026-07-02,CHF,EUR,1.83,bank");
    await expect(keep(swapped, "b.csv")).rejects.toThrow(
      "b.csv: 2026-07-01 CHF in EUR: 1.82 is the inverse of 0.55 on 2026-06-02",
    );
    await expect(keep(rates("2026-06-01,CHF,EUR,1.85,bank"), "c.csv")).rejects.toThrow(
      "is the inverse of 0.54",
    );
    expect(await listRates(database.db, { base: "CHF", limit: 10 })).toHaveLength(2);
    // The other way round they are the same rates.
    expect(await keep(rates("2026-07-01,EUR,CHF,1.82,bank"), "d.csv")).toEqual({ read: 1, added: 1 });
    expect(await keep(swapped, "b.csv", "the franc has doubled")).toEqual({ read: 2, added: 2 });
  });

  test("are refused where they are far from those of the last days, in the file itself as well", async () => {
    await expect(
      keep(rates("2026-06-01,NOK,EUR,0.0852,bank", "2026-06-02,NOK,EUR,0.852,bank"), "e.csv"),
    ).rejects.toThrow("2026-06-02 NOK in EUR: 0.852 is far from 0.0852 on 2026-06-01");
    // Months later a rate may be another.
    const apart = rates("2026-01-01,DOGE,EUR,0.10,bank", "2026-03-01,DOGE,EUR,0.25,bank");
    expect(await keep(apart, "f.csv")).toEqual({ read: 2, added: 2 });
  });
});

test("a table with a byte order mark is read in the encoding that it says, and what is not text is refused", () => {
  const csv = "date,base,quote,rate,source\n2026-06-01,CHF,EUR,0.94,Zürich\n";
  const utf16 = Buffer.from(`\uFEFF${csv}`, "utf16le");
  expect(readText(utf16, "r.csv", { code: "rates_invalid" })).toBe(csv);
  expect(readText(Buffer.from(utf16).swap16(), "r.csv", { code: "rates_invalid" })).toBe(csv);
  expect(readText(Buffer.from(csv), "r.csv", { code: "rates_invalid" })).toBe(csv);
  for (const [bytes, why] of [
    [
      Buffer.from(csv, "latin1"),
      "r.csv: after byte 0 there is something that is not utf-8: save the file as UTF-8",
    ],
    [Buffer.from(csv.replace("ü", "u"), "utf16le"), "r.csv: it holds a zero byte"],
    [Buffer.from("PK\u0003\u0004 and so on"), "r.csv: this is a workbook: save it as CSV"],
  ] as const) {
    expect(() => readText(bytes, "r.csv", { code: "rates_invalid" })).toThrow(why);
  }
});
