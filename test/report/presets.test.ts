import { beforeAll, expect, test } from "vitest";
import { addDecimals, decimal, negateDecimal, zero } from "../../src/core/decimal.ts";
import { withSnapshot } from "../../src/store/exports/copy-report.ts";
import { openReport } from "../../src/report/open-report.ts";
import { readTotals } from "../../src/report/totals.ts";
import { useTestDatabase } from "../support/test-database.ts";
import {
  keepAccount,
  keepMany,
  keepTransactions,
  october,
  openStream,
  parseCsv,
  readAll,
  readReport,
  requestFor,
  seesAll,
} from "./books.ts";

const database = useTestDatabase();

beforeAll(async () => {
  const account = await keepAccount(database.db, "books");
  await keepTransactions(database.db, account, [
    {
      transaction_id: "buy-1",
      status_date: "2026-10-03T10:00:00Z",
      in_amount: "100.50",
      out_amount: "0.001",
    },
    {
      transaction_id: "buy-2",
      status_date: "2026-10-03T11:00:00Z",
      in_amount: "19.5",
      out_amount: "0.000000000000000001",
      provider: "=globex",
    },
    {
      transaction_id: "open",
      status_date: "2026-10-03T11:30:00Z",
      status: "pending",
      in_amount: "7",
      out_amount: "1",
    },
    {
      transaction_id: "sell-1",
      status_date: "2026-10-04T23:30:00Z",
      transaction_type: "sell",
      source_currency: "btc",
      in_amount: "0.002",
      target_currency: "eur",
      out_amount: "50",
    },
  ]);
});

const only = { account: ["books"] };

test("xero: exact columns and order, one signed amount, day before month, one currency", async () => {
  const given = { ...october, ...only, preset: ["xero"], currency: ["EUR"], tz: ["Europe/London"] };
  expect(await readReport(database.db, requestFor("transactions", given))).toBe(
    [
      "Date,Amount,Payee,Description,Reference",
      "03/10/2026,100.5,acme,Buy 100.5 EUR → 0.001 BTC creditcard,buy-1",
      "03/10/2026,19.5,'=globex,Buy 19.5 EUR → 0.000000000000000001 BTC creditcard,buy-2",
      "05/10/2026,-50,acme,Sell 0.002 BTC → 50 EUR creditcard,sell-1",
      "",
    ].join("\n"),
  );
});

test("xero: a long file comes in numbered parts, and none of them is taken for the whole", async () => {
  const account = await keepAccount(database.db, "long");
  await keepMany(database.db, account, 2_500);
  const given = { ...october, account: ["long"], preset: ["xero"], currency: ["eur"] };
  await expect(readReport(database.db, requestFor("transactions", given))).rejects.toThrow(
    "2500 lines make 3 files of at most 1,000; ask for part=1 to part=3",
  );
  const references: string[] = [];
  for (const part of ["1", "2", "3"]) {
    const { body, fileName, rows } = await openStream(
      database.db,
      requestFor("transactions", { ...given, part: [part] }),
    );
    expect(fileName).toBe(`transactions_v1_2026-10-01_2026-10-31_UTC_all_xero_eur_${part}.csv`);
    const found = parseCsv((await readAll(body)).toString());
    expect(found).toHaveLength(rows);
    references.push(...found.map((row) => row["Reference"] ?? ""));
  }
  expect(references).toHaveLength(2_500);
  expect(new Set(references).size).toBe(2_500);
});

test("quickbooks: three columns, and the date in the form asked for", async () => {
  const given = { ...october, ...only, preset: ["quickbooks"], currency: ["eur"] };
  const us = (await readReport(database.db, requestFor("transactions", given))).split("\n");
  expect(us.slice(0, 2)).toEqual([
    "Date,Description,Amount",
    "10/03/2026,acme Buy 100.5 EUR → 0.001 BTC creditcard buy-1,100.5",
  ]);
  const eu = await readReport(database.db, requestFor("transactions", { ...given, date_format: ["dmy"] }));
  expect(eu.split("\n")[1]).toMatch(/^03\/10\/2026,/);
});

test("journal: balances to zero on every date and in every currency", async () => {
  const given = {
    ...october,
    ...only,
    preset: ["journal"],
    clearing_account: ["1200"],
    customer_account: ["2100"],
  };
  const rows = parseCsv(await readReport(database.db, requestFor("transactions", given)));
  expect(rows).toHaveLength(12);
  expect(rows.slice(0, 2)).toEqual([
    {
      date: "2026-10-03",
      account_code: "1200",
      debit: "100.5",
      credit: "",
      currency: "eur",
      description: "Buy 100.5 EUR → 0.001 BTC creditcard",
      reference: "buy-1",
      tracking: "acme",
    },
    {
      date: "2026-10-03",
      account_code: "2100",
      debit: "",
      credit: "100.5",
      currency: "eur",
      description: "Buy 100.5 EUR → 0.001 BTC creditcard",
      reference: "buy-1",
      tracking: "acme",
    },
  ]);
  const balances = new Map<string, ReturnType<typeof decimal>>();
  for (const row of rows) {
    const key = `${row["date"]} ${row["currency"]}`;
    const value = row["debit"] ? decimal(row["debit"]) : negateDecimal(decimal(row["credit"] ?? ""));
    balances.set(key, addDecimals(balances.get(key) ?? zero, value));
  }
  expect(Object.fromEntries(balances)).toEqual({
    "2026-10-03 eur": "0",
    "2026-10-03 btc": "0",
    "2026-10-04 btc": "0",
    "2026-10-04 eur": "0",
  });
});

test("control totals add up per currency, exactly, and never across", async () => {
  const totals = (given: Record<string, string[]>, report = "transactions") =>
    withSnapshot(database.db, { statementTimeoutMs: 10_000 }, async (snapshot) =>
      readTotals(
        snapshot,
        await openReport(snapshot, requestFor(report, { ...october, ...only, ...given }), seesAll),
        null,
      ),
    );
  expect(await totals({})).toEqual({
    rows: 4,
    sums: [
      { column: "in_amount", currency: "btc", sum: "0.002" },
      { column: "in_amount", currency: "eur", sum: "127" },
      { column: "out_amount", currency: "btc", sum: "1.001000000000000001" },
      { column: "out_amount", currency: "eur", sum: "50" },
    ],
  });
  expect(await totals({ preset: ["xero"], currency: ["eur"] })).toEqual({
    rows: 3,
    sums: [{ column: "Amount", currency: "eur", sum: "70" }],
  });
  expect(await totals({ columns: ["transaction_id"] })).toEqual({ rows: 4, sums: [] });
  expect(await totals({ provider: ["nobody"] })).toEqual({ rows: 0, sums: [] });
  expect(await totals({}, "daily-summary")).toEqual(expect.objectContaining({ rows: 4 }));
});

test("the daily and the provider summary add up what the transactions say", async () => {
  const daily = parseCsv(
    await readReport(
      database.db,
      requestFor("daily-summary", { ...october, ...only, tz: ["Europe/London"] }),
    ),
  );
  expect(daily.find((row) => row["provider"] === "acme" && row["date"] === "2026-10-03")).toMatchObject({
    status: "completed",
    transactions: "1",
    in_amount: "100.5",
  });
  expect(daily.find((row) => row["transaction_type"] === "sell")).toMatchObject({
    date: "2026-10-05",
    out_amount: "50",
    target_currency: "eur",
  });
  const providers = parseCsv(
    await readReport(database.db, requestFor("provider-summary", { ...october, ...only })),
  );
  expect(
    providers.find((row) => row["provider"] === "acme" && row["transaction_type"] === "buy"),
  ).toMatchObject({
    transactions: "2",
    completed: "1",
    open: "1",
    completed_percent: "100.00",
    in_amount: "100.5",
    out_amount: "0.001",
    first_status_at: "2026-10-03T10:00:00.000Z",
  });
});

test("rates compare each transaction with its provider and with all of them that day", async () => {
  const account = await keepAccount(database.db, "rates");
  await keepTransactions(database.db, account, [
    { transaction_id: "r1", in_amount: "100", out_amount: "0.001" },
    { transaction_id: "r2", in_amount: "110", out_amount: "0.001" },
    { transaction_id: "r3", in_amount: "90", out_amount: "0.001", provider: "globex" },
    { transaction_id: "r4", in_amount: "90", out_amount: "0" },
  ]);
  const rows = parseCsv(
    await readReport(database.db, requestFor("rates", { ...october, account: ["rates"] })),
  );
  expect(
    rows.map((row) => [
      row["transaction_id"],
      row["rate"],
      row["provider_rate"],
      row["all_providers_rate"],
      row["difference_percent"],
    ]),
  ).toEqual([
    ["r1", "100000", "105000", "100000", "0.0000"],
    ["r2", "110000", "105000", "100000", "10.0000"],
    ["r3", "90000", "90000", "100000", "-10.0000"],
  ]);
  expect(rows[0]?.["inverse_rate"]).toBe("0.00001");
});
