import { beforeAll, describe, expect, test } from "vitest";
import { importFeeSchedule, readFeeFile } from "../../src/reconcile/fees/fee-schedule.ts";
import { readFeeSchedule } from "../../src/store/fees/fee-schedules.ts";
import { reconcileAccount } from "../../src/reconcile/reconcile.ts";
import { readFirstRows } from "../../src/report/first-rows.ts";
import { requestFor, seesAll } from "../report/books.ts";
import { rowsOf } from "../report/claims.ts";
import { useTestDatabase } from "../support/test-database.ts";
import { addRecords, addStatement, type Books, discrepanciesOf, openBooks } from "./books.ts";

const database = useTestDatabase();
let books: Books;

const agree = async (of: Books, csv: string, from: string) => {
  await importFeeSchedule(database.db, {
    account: { id: of.accountId, name: of.name },
    provider: "moonpay",
    validFrom: from,
    terms: readFeeFile(csv, "fees.csv").terms,
    fileName: "fees.csv",
    reason: "as agreed",
    actor: "a person",
  });
  await reconcileAccount(database.db, of.accountId);
};

const line = (of: string, more: object) => ({
  of,
  fee_total: "3",
  fee_network: "1",
  fee_partner: "1",
  net_amount: "1",
  ...more,
});

/** Orders of 100 EUR with fees of 3.00, of which 1.00 is the network's and 1.00 ours. */
beforeAll(async () => {
  books = await openBooks(database.db);
  await addRecords(
    books,
    ["A", "B", "C", "D"].map((id) => ({ id })),
  );
  await addStatement(books, {
    lines: [
      line("A", {}),
      line("B", { net_amount: "0.9", fee_partner: "0.9" }),
      line("C", { net_amount: "1.2", fee_partner: "1.2" }),
      line("D", { fee_network: "0.5" }),
      {
        key: "sum",
        type: "commission_total",
        net_amount: "4.3",
        effective_at: "2026-03-01T00:00:00Z",
        fiat_gross: null,
        fiat_net: null,
        fee_total: null,
      },
    ],
  });
  await reconcileAccount(database.db, books.accountId);
});

const found = async () =>
  (await discrepanciesOf(books))
    .filter(({ code }) => code !== "payout_overdue")
    .map(({ code, subject, expected, actual }) => `${code} ${subject} ${expected} ${actual}`);

describe("fee schedules", () => {
  test("a sum for a month is held against its lines, and moves nothing", async () => {
    expect(await found()).toEqual(["commission_sum_mismatch 2026-03 4.1 4.3"]);
    const [owed] = await rowsOf(books, "receivable", { to: "2026-04-01" });
    expect(owed).toMatchObject({ earned: "4.1", closing: "4.1" });
  });

  test("without one nothing is expected; with one, each order is compared", async () => {
    await agree(
      books,
      "kind,payment_method,percent\nshare,,0.5\nshare,creditcard,1\nprocessing_fee,,2\n",
      "2026-01-01T00:00:00Z",
    );
    expect(await found()).toEqual([
      "commission_over C 1 1.2",
      "commission_short B 1 0.9",
      "commission_sum_mismatch 2026-03 4.1 4.3",
      "fee_variance D 2 2.5",
    ]);
    const rows = await rowsOf(books, "fee-variance", { from: "2026-03-01", to: "2026-04-01" });
    expect(
      rows.map((row) => `${row["transaction_id"]} ${row["kind"]} ${row["difference"]} ${row["codes"]}`),
    ).toEqual([
      "B share -0.1 commission_short",
      "C share 0.2 commission_over",
      "D processing_fee 0.5 fee_variance",
    ]);
  });

  test("what differs is added up by kind of fee: our share and the customers' fees are not the same money", async () => {
    const request = requestFor("fee-variance", { account: [books.name] });
    const { totals } = await readFirstRows(database.db, request, seesAll, {
      linesMax: 1,
      signal: new AbortController().signal,
    });
    expect(totals.rows).toBe(3);
    expect(totals.sums.filter(({ column }) => column === "order_amount" || column === "difference")).toEqual([
      { column: "order_amount", group: "processing_fee", currency: "EUR", sum: "100" },
      { column: "order_amount", group: "share", currency: "EUR", sum: "200" },
      { column: "difference", group: "processing_fee", currency: "EUR", sum: "0.5" },
      { column: "difference", group: "share", currency: "EUR", sum: "0.1" },
    ]);
  });

  test("a later version counts from its day on, and steps, least and most are kept to", async () => {
    const csv = [
      "kind,currency,over,flat,percent,minimum,maximum",
      "share,EUR,0,0,9,,",
      "share,EUR,50,0.15,0.1,0.95,",
      "share,EUR,200,0,5,,0.1",
    ];
    await agree(books, `${csv.join("\n")}\n`, "2026-03-05T00:00:00Z");
    expect((await found()).filter((each) => each.startsWith("commission_"))).toEqual([
      "commission_over A 0.95 1",
      "commission_over C 0.95 1.2",
      "commission_over D 0.95 1",
      "commission_short B 0.95 0.9",
      "commission_sum_mismatch 2026-03 4.1 4.3",
    ]);
    await agree(books, "kind,percent\nshare,9\n", "2026-04-01T00:00:00Z");
    expect((await found()).filter((each) => each.includes(" 9 "))).toEqual([]);
  });

  test("where a more specific rule begins with a higher amount, the more general one holds below it", async () => {
    const csv = ["kind,currency,over,percent", "share,EUR,101,7", "share,,0,8", "share,,5000,1"];
    await agree(books, `${csv.join("\n")}\n`, "2026-03-06T00:00:00Z");
    expect((await found()).filter((each) => each.includes(" 8 "))).toEqual([
      "commission_short A 8 1",
      "commission_short B 8 0.9",
      "commission_short C 8 1.2",
      "commission_short D 8 1",
    ]);
    await agree(books, `${csv.join("\n").replace("101", "100")}\n`, "2026-03-06T00:00:00Z");
    expect((await found()).filter((each) => each.includes(" 7 "))).toHaveLength(4);
  });

  test("TRUE is true, as spreadsheets write it", () => {
    const read = (word: string) =>
      readFeeFile(`kind,percent,capped_by_fee\nshare,1,${word}\n`, "f.csv").terms;
    expect(read("TRUE")).toMatchObject([{ capped_by_fee: true }]);
    expect(read("False")).toMatchObject([{ capped_by_fee: false }]);
    expect(read("")).toMatchObject([{ capped_by_fee: false }]);
  });

  test("what cannot be is refused with its line, and nothing is written", () => {
    const whatIsWrong = (text: string) => {
      try {
        readFeeFile(text, "f.csv");
        return "nothing";
      } catch (error) {
        return (error as Error).message;
      }
    };
    expect(whatIsWrong("kind,percent\nshare,1\nshare,2\n")).toContain(
      "line 3: is about the same orders as line 2",
    );
    expect(whatIsWrong("kind,percent\nshare,-1\n")).toContain(
      'line 2 percent: "-1" is not an amount of 0 or more, such as "0.6"',
    );
    expect(whatIsWrong("kind,minimum,maximum\nshare,2,1\n")).toContain(
      'line 2 minimum: "2" is greater than maximum',
    );
    expect(whatIsWrong("kind,percent\nshare,150\n")).toContain('line 2 percent: "150" is more than 100');
    expect(whatIsWrong("kind,percent\nshare,\n")).toContain("line 2: has no flat, percent or minimum");
    expect(whatIsWrong("kind,percent,capped_by_fee\nshare,1,yes\n")).toContain("line 2 capped_by_fee: ");
    expect(whatIsWrong("kind;percent\nshare;1\n")).toContain('separated by ";": separate them by commas');
    expect(whatIsWrong("kind,colour\nshare,red\n")).toContain("there is no column colour");
    expect(whatIsWrong("kind,percent\nshare,1,2\n")).toContain("line 2: has 3 cells");
    expect(whatIsWrong('{"terms":[{"kind":"gift"}]}')).toContain("terms.0 kind");
  });
});

test("fees of a file that states none for the network are compared, unless the network's may be inside its total", async () => {
  const own = await openBooks(database.db);
  const ids = ["only ours", "shared", "blank", "total alone", "more than its parts"];
  await addRecords(
    own,
    ids.map((id) => ({ id })),
  );
  const stated = (of: string, fees: object) => line(of, { fee_network: null, fee_partner: null, ...fees });
  await addStatement(own, {
    lines: [
      stated("only ours", { fee_processing: "3" }),
      stated("shared", { fee_processing: "2", fee_partner: "1" }),
      stated("blank", { fee_processing: "3", fee_partner: "1" }),
      stated("total alone", {}),
      stated("more than its parts", { fee_processing: "1.5", fee_partner: "1" }),
    ],
  });
  await agree(own, "kind,percent,capped_by_fee\nprocessing_fee,2,\nshare,5,true\n", "2026-01-01T00:00:00Z");
  const compared = ["blank", "only ours", "shared"];
  expect(
    (await discrepanciesOf(own))
      .filter(({ code }) => code === "fee_variance" || code === "commission_short")
      .map(({ code, subject, expected, actual }) => `${code} ${subject} ${expected} ${actual}`),
  ).toEqual([
    ...compared.map((id) => `commission_short ${id} 3 1`),
    ...compared.map((id) => `fee_variance ${id} 2 3`),
  ]);
  const rows = await rowsOf(own, "fee-variance", { from: "2026-03-01", to: "2026-04-01" });
  expect(new Set(rows.map((row) => row["transaction_id"]))).toEqual(new Set(compared));
});

test("payment methods that the aggregator does not know are named, once its catalogue was read", async () => {
  const save = () =>
    importFeeSchedule(database.db, {
      account: { id: books.accountId, name: books.name },
      provider: "simplex",
      validFrom: "2026-01-01T00:00:00Z",
      terms: readFeeFile(
        "kind,payment_method,percent\nshare,,1\nshare,creditcard,1\nshare,Credit card,2\nshare,carrier-pigeon,3\n",
        "fees.csv",
      ).terms,
      fileName: "fees.csv",
      reason: "as agreed",
      actor: "a person",
    });
  const unknown = async () =>
    (await readFeeSchedule(database.db, { accountIds: null, id: (await save()).id }))?.unknownPaymentMethods;
  expect(await unknown()).toEqual([]);
  await database.db.query(
    "insert into tieout.payment_types (account_id, id, name, last_seen_at) values ($1, 'creditcard', 'Credit card', now())",
    [books.accountId],
  );
  expect(await unknown()).toEqual(["Credit card", "carrier-pigeon"]);
});
