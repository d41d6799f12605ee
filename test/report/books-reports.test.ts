import { beforeAll, describe, expect, test } from "vitest";
import { reconcileAccount } from "../../src/reconcile/reconcile.ts";
import { writeReport } from "../../src/report/write-report.ts";
import { openReport } from "../../src/report/open-report.ts";
import { writeWholeFile } from "../../src/store/files/whole-file.ts";
import { withSnapshot } from "../../src/store/exports/copy-report.ts";
import { addRecords, addStatement, type Books, openBooks } from "../reconcile/books.ts";
import { useTestDatabase } from "../support/test-database.ts";
import { openTestFolder } from "../support/test-folder.ts";
import { parseCsv, readReport, requestFor, seesAll } from "./books.ts";

const database = useTestDatabase();
let books: Books;

/**
 * March of a provider that pays out gross less its fee of 3: A agrees, B is 10 short, C is in no statement, D is of
 * April and not due yet. The payout is one euro short of its lines.
 */
beforeAll(async () => {
  books = await openBooks(database.db);
  await addRecords(books, [
    { id: "A", walletAddress: "wallet-a-of-our-records" },
    { id: "B", inAmount: "250", at: "2026-03-12T12:00:00.000Z" },
    { id: "C", inAmount: "40", at: "2026-03-20T12:00:00.000Z", onrampTransactionId: "=C" },
    { id: "D", inAmount: "7", at: "2026-04-10T12:00:00.000Z" },
  ]);
  await addStatement(books, {
    model: "gross",
    generatedAt: "2026-04-01T00:00:00Z",
    lines: [
      { of: "A", wallet_address: "wallet-a-of-the-statement", net_amount: "97", payout_ref: "P1" },
      {
        of: "B",
        fiat_gross: "240",
        fiat_net: "237",
        net_amount: "237",
        payout_ref: "P1",
        effective_at: "2026-03-13T08:00:00Z",
      },
      {
        key: "fee",
        type: "fee",
        fiat_gross: null,
        fiat_net: null,
        net_amount: "-4",
        payout_ref: "P1",
        fee_total: null,
      },
      {
        key: "payout",
        type: "payout",
        payout_ref: "P1",
        net_amount: "329",
        net_currency: "EUR",
        effective_at: "2026-03-31T23:30:00Z",
      },
    ],
  });
  await reconcileAccount(database.db, books.accountId);
});

const endOfMay = { as_at: ["2026-05-15"] };

describe("payout-reconciliation", () => {
  test("shows each step from gross to what was declared, and the difference", async () => {
    expect(await read("payout-reconciliation", { tz: ["Europe/Berlin"] })).toEqual([
      {
        account: books.name,
        provider: "moonpay",
        payout_ref: "P1",
        payout_date: "2026-04-01",
        currency: "EUR",
        line_count: "3",
        gross: "340",
        fees: "10",
        refunds: "0",
        chargebacks: "0",
        chargeback_reversals: "0",
        commissions: "0",
        adjustments: "0",
        reserves: "0",
        net_computed: "330",
        net_declared: "329",
        difference: "-1",
        status: "not_tied",
        received_amount: "0",
        bank_fee: "0",
        received_date: "",
        received_reference: "",
        state: "declared",
        converted_from: "",
        conversion_rate: "",
        rate_line: "",
        rate_file_name: "",
        rate_line_no: "",
        written_off: "0",
      },
    ]);
  });

  test("takes a payout by the day it was paid, and by its status", async () => {
    expect(await read("payout-reconciliation", { from: ["2026-04-01"] })).toEqual([]);
    expect(await read("payout-reconciliation", { from: ["2026-03-31"], status: ["not_tied"] })).toHaveLength(
      1,
    );
    expect(await read("payout-reconciliation", { status: ["tied"] })).toEqual([]);
  });

  test("compares a payout as soon as it is declared, and knows nothing of it before its file was read", async () => {
    const [early] = await read("payout-reconciliation", { as_at: ["2026-03-31"] });
    expect(early).toMatchObject({
      gross: "340",
      net_declared: "329",
      status: "not_tied",
      payout_date: "2026-03-31",
    });
    expect(await read("payout-reconciliation", { known_at: ["2026-04-02"] })).toEqual([]);
  });
});

test("no step of a payout is in another currency than the payout, and the lines show their own", async () => {
  const converted = await openBooks(database.db);
  await addRecords(converted, [{ id: "E" }, { id: "F" }]);
  // 100 EUR each, of which the provider owes 105 USD; of F it does not say what the customer paid.
  const owed = { net_amount: "105", net_currency: "USD", payout_ref: "P7" };
  const usd = { net_currency: "USD", fee_total: null, fee_currency: null };
  await addStatement(converted, {
    model: "gross",
    lines: [
      { of: "E", ...owed },
      {
        of: "F",
        ...owed,
        fiat_currency: "USD",
        fiat_gross: null,
        fiat_net: null,
        fee_total: null,
        fee_currency: null,
      },
      {
        key: "fee",
        type: "fee",
        ...usd,
        fiat_gross: null,
        fiat_net: null,
        net_amount: "-4",
        payout_ref: "P7",
      },
      { key: "p", type: "payout", payout_ref: "P7", net_amount: "206", net_currency: "USD" },
    ],
  });
  await reconcileAccount(database.db, converted.accountId);
  const given = { account: [converted.name] };
  expect(await read("payout-reconciliation", given)).toMatchObject([
    { payout_ref: "P7", currency: "USD", gross: "210", fees: "4", net_computed: "206", status: "tied" },
  ]);
  expect((await read("itemised", given)).slice(0, 2)).toMatchObject([
    {
      line_gross: "105",
      line_fee: "",
      line_net: "105",
      line_currency: "USD",
      line_fiat_gross: "100",
      line_fiat_currency: "EUR",
      line_fee_total: "3",
      line_fee_currency: "EUR",
    },
    { line_gross: "105", line_net: "105", line_fiat_gross: "", line_fiat_currency: "USD" },
  ]);
});

describe("itemised", () => {
  test("puts each line beside its transaction, with the rule that says so and what differs", async () => {
    const rows = await read("itemised", {});
    expect(
      rows.map((row) => [row["line_no"], row["line_type"], row["transaction_id"], row["class"]]),
    ).toEqual([
      ["2", "charge", "A", "matched"],
      ["3", "charge", "B", "discrepant"],
      ["4", "fee", "", "matched"],
      ["5", "payout", "", "discrepant"],
    ]);
    expect(rows[1]).toMatchObject({
      payout_ref: "P1",
      provider_transaction_id: "mp-B",
      status: "completed",
      status_date: "2026-03-12",
      in_amount: "250",
      source_currency: "eur",
      line_status: "settled",
      line_gross: "240",
      line_fee: "3",
      line_net: "237",
      line_currency: "EUR",
      line_crypto_amount: "0.002",
      line_asset: "btc",
      line_date: "2026-03-13",
      in_difference: "-10",
      match_rule: "provider_id",
      match_state: "active",
      codes: "in_amount_mismatch",
    });
  });
});

describe("discrepancies", () => {
  test("name both sides, what is at stake, and how old they are", async () => {
    const rows = await read("discrepancies", endOfMay);
    expect(
      rows.map((row) => `${row["code"]} ${row["transaction_id"] || row["payout_ref"]}`).toSorted(),
    ).toEqual([
      "address_mismatch A",
      "in_amount_mismatch B",
      "missing_from_statement C",
      "payout_sum_mismatch P1",
    ]);
    expect(rows.find((row) => row["code"] === "in_amount_mismatch")).toMatchObject({
      level: "error",
      provider_transaction_id: "mp-B",
      line_no: "3",
      expected: "250",
      actual: "240",
      delta: "-10",
      currency: "EUR",
      value: "10",
      value_currency: "EUR",
      since: "2026-03-13T08:00:00.000Z",
      age_days: "63",
      bucket: "61-90",
      near_period_edge: "false",
      state: "open",
    });
  });

  test("an id that looks like a formula is text in the file", async () => {
    const rows = await read("discrepancies", { ...endOfMay, code: ["missing_from_statement"] });
    expect(rows.map((row) => row["provider_transaction_id"])).toEqual(["'=C"]);
  });

  test("show addresses to those who may see them, and their ends to others; other texts to all", async () => {
    const given = { ...endOfMay, columns: ["code,expected_text,actual_text"], account: [books.name] };
    const request = requestFor("discrepancies", { ...given, code: ["address_mismatch"] });
    expect(await readReport(database.db, request)).toContain(
      "wallet-a-of-our-records,wallet-a-of-the-statement",
    );
    const masked = await readReport(database.db, request, { ...seesAll, wallets: false });
    expect(masked).toContain("address_mismatch,wall…ords,wall…ment");
  });

  test("before its statement was made, nothing is missing; before the line, nothing differs", async () => {
    const codes = async (given: Record<string, string[]>) =>
      (await read("discrepancies", given)).map((row) => row["code"]);
    expect(await codes({ as_at: ["2026-04-01"] })).not.toContain("missing_from_statement");
    expect(await codes({ as_at: ["2026-04-02"] })).toContain("missing_from_statement");
    expect(await codes({ as_at: ["2026-03-13"] })).toEqual(["address_mismatch"]);
  });
});

test("what has come to agree stays in the list of discrepancies, with what it was about", async () => {
  const late = await openBooks(database.db);
  await addRecords(late, [{ id: "L", inAmount: "12" }]);
  await addStatement(late, { lines: [] });
  await reconcileAccount(database.db, late.accountId);
  const before = await now();
  await addStatement(late, { lines: [{ of: "L", fiat_gross: "12", fiat_net: "9" }] });
  await reconcileAccount(database.db, late.accountId);
  const given = { account: [late.name], code: ["missing_from_statement"] };
  const facts = {
    transaction_id: "L",
    expected: "12",
    actual: "0",
    delta: "-12",
    value: "12",
    value_currency: "EUR",
  };
  expect(await read("discrepancies", given)).toEqual([
    expect.objectContaining({ ...facts, state: "resolved", reason: "agreed", resolved_by: "tieout" }),
  ]);
  expect(await read("discrepancies", { ...given, known_at: [before] })).toEqual([
    expect.objectContaining({ ...facts, state: "open", reason: "", resolved_at: "" }),
  ]);
  expect(await read("ageing", { account: [late.name] })).toEqual([]);
});

test("ageing adds up what is open by code and age", async () => {
  const rows = await read("ageing", { ...endOfMay, level: ["error"] });
  expect(
    rows.map((row) => [row["code"], row["bucket"], row["count"], row["value"], row["currency"]]),
  ).toEqual([
    ["in_amount_mismatch", "61-90", "1", "10", "EUR"],
    ["missing_from_statement", "31-60", "1", "40", "EUR"],
    ["payout_sum_mismatch", "61-90", "1", "1", "EUR"],
  ]);
});

describe("position and unsettled", () => {
  test("roll April forward from March", async () => {
    expect(await read("position", { from: ["2026-04-01"], to: ["2026-05-01"] })).toEqual([
      {
        account: books.name,
        provider: "moonpay",
        currency: "EUR",
        opening_unsettled: "40",
        completed: "7",
        changed: "0",
        settled: "0",
        reversed: "0",
        excluded: "0",
        written_off: "0",
        closing_unsettled: "47",
        unexplained: "0",
        named_differences: "0",
      },
    ]);
    const [march] = await read("position", { as_at: ["2026-04-01"] });
    expect(march).toMatchObject({
      opening_unsettled: "0",
      completed: "390",
      settled: "350",
      closing_unsettled: "40",
    });
  });

  test("list what has no line, pending or overdue, with the day it is due", async () => {
    const rows = await read("unsettled", endOfMay);
    expect(
      rows.map((row) => [
        row["transaction_id"],
        row["class"],
        row["pending_code"],
        row["codes"],
        row["due_at"],
      ]),
    ).toEqual([
      ["C", "discrepant", "", "missing_from_statement", "2026-05-01T00:00:00.000Z"],
      ["D", "pending", "awaiting_statement", "", "2026-05-31T00:00:00.000Z"],
    ]);
  });

  test("are refused where the records have not been read, unless a part is wanted", async () => {
    await expect(read("position", { as_at: ["2026-08-01"] })).rejects.toThrow(
      "has not been read completely yet",
    );
    expect(await read("position", { as_at: ["2026-08-01"], partial: ["true"] })).toHaveLength(1);
  });
});

describe("the moment of a report", () => {
  test.each([
    [{ known_at: ["2999-01-01"] }, "known_at: is after"],
    [{ as_at: ["yesterday"] }, 'as_at: not a day or a time: "yesterday"'],
    [{ from: ["2026-05-01"], as_at: ["2026-04-01"] }, "as_at: must lie after from"],
    [{ from: ["2999-01-01"] }, /^from: must lie before 2\d{3}-.*, where this report ends$/],
    [{ to: ["2026-05-01"], as_at: ["2026-05-01"] }, "give to or as_at"],
  ])("%j is refused with a reason", async (given, message) => {
    await expect(read("position", given)).rejects.toThrow(message);
  });

  test("is beside the file, with its totals by currency", async () => {
    const folder = await openTestFolder("tieout-books-");
    const request = requestFor("discrepancies", {
      account: [books.name],
      as_at: ["2026-05-15"],
      known_at: [await now()],
    });
    const { description } = await withSnapshot(
      database.db,
      { statementTimeoutMs: 60_000 },
      async (snapshot) =>
        writeReport(snapshot, await openReport(snapshot, request, seesAll), {
          write: (body) => writeWholeFile(`${folder}/discrepancies.csv`, body),
          onCounted: async () => undefined,
        }),
    );
    expect(description).toMatchObject({ as_at: "2026-05-15T00:00:00.000Z", rows: 4 });
    expect(description.sums).toContainEqual({ column: "value", currency: "EUR", sum: "151" });
  });

  test("reports of what is there now take none", () => {
    expect(() => requestFor("quarantine", { as_at: ["2026-05-01"] })).toThrow("there is no such parameter");
    expect(() => requestFor("ageing", { from: ["2026-05-01"] })).toThrow("there is no such parameter");
  });
});

test("the audit trail tells who did what, in order", async () => {
  await database.db.query(
    `insert into tieout.audit_log (actor, action, subject, after, reason)
     values ('key_1', 'setting.saved', 'moonpay', '{"lag_days": 3}', 'agreed by mail')`,
  );
  const rows = parseCsv(await readReport(database.db, requestFor("audit-trail", { actor: ["key_1"] })));
  expect(rows).toEqual([
    {
      at: expect.stringMatching(/Z$/) as string,
      actor: "key_1",
      actor_name: "key_1",
      action: "setting.saved",
      subject: "moonpay",
      before: "",
      after: '{"lag_days": 3}',
      reason: "agreed by mail",
    },
  ]);
});

async function read(name: string, given: Record<string, string[]>): Promise<Record<string, string>[]> {
  return parseCsv(await readReport(database.db, requestFor(name, { account: [books.name], ...given })));
}

async function now(): Promise<string> {
  const [row] = await database.db.query<{ now: string }>(
    `select to_char(clock_timestamp(), 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as now`,
  );
  return row?.now ?? "";
}
