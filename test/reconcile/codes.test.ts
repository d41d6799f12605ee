import { describe, expect, test } from "vitest";
import { reconcileAccount } from "../../src/reconcile/reconcile.ts";
import { useTestDatabase } from "../support/test-database.ts";
import {
  addRecords,
  addStatement,
  type ALine,
  type ARecord,
  type Books,
  codesOf,
  discrepanciesOf,
  hex,
  openBooks,
} from "./books.ts";

const database = useTestDatabase();

interface Case {
  about: string;
  records?: ARecord[];
  lines?: ALine[];
  expected: string[];
  /** Of the first discrepancy. */
  facts?: object;
  /** Read only up to here. */
  readTo?: string;
  generatedAt?: string;
}

const T1 = { id: "T1" };
const L1 = { of: "T1" };
const later = "2026-03-20T00:00:00.000Z";

const cases: Case[] = [
  { about: "nothing when both sides agree", records: [T1], lines: [L1], expected: [] },
  {
    about: "missing_from_statement for a completed transaction that a due statement does not name",
    records: [T1],
    lines: [],
    expected: ["missing_from_statement T1"],
    facts: { expected: "100", actual: "0", delta: "-100", currency: "EUR" },
  },
  {
    about: "nothing for an open transaction that no line names",
    records: [{ id: "T1", status: "pending", at: new Date(Date.now() - 3_600_000).toISOString() }],
    expected: [],
  },
  {
    about: "missing_from_records for a line that moved money and that no transaction answers",
    lines: [L1],
    expected: ["missing_from_records charge:T1"],
    facts: { expected: "0", actual: "100", delta: "100", currency: "EUR" },
  },
  {
    about: "nothing for an unknown line that moved no money",
    lines: [{ ...L1, status: "failed" }],
    expected: [],
  },
  {
    about: "nothing for a line of a time that has not been read yet",
    lines: [L1],
    readTo: "2026-03-10T12:00:30Z",
    expected: [],
  },
  {
    about: "in_amount_mismatch, a surplus included",
    records: [T1],
    lines: [{ ...L1, fiat_gross: "103", fiat_net: "100" }],
    expected: ["in_amount_mismatch T1"],
    facts: { expected: "100", actual: "103", delta: "3", currency: "EUR" },
  },
  {
    about: "out_amount_mismatch to the last place that is compared",
    records: [T1],
    lines: [{ ...L1, crypto_amount: "0.00199998" }],
    expected: ["out_amount_mismatch T1"],
    facts: { expected: "0.002", actual: "0.00199998", delta: "-0.00000002", currency: "btc" },
  },
  {
    about: "of a sell, the fiat that the customer got against net",
    records: [
      {
        ...T1,
        transactionType: "sell",
        sourceCurrency: "btc",
        inAmount: "0.002",
        targetCurrency: "eur",
        outAmount: "97",
      },
    ],
    lines: [{ ...L1, side: "sell" }],
    expected: [],
  },
  {
    about: "currency_mismatch, and then not the amounts of that leg",
    records: [T1],
    lines: [{ ...L1, fiat_currency: "USD", fee_currency: "USD", fiat_gross: "117", fiat_net: "114" }],
    expected: ["currency_mismatch T1"],
    facts: { expected_text: "EUR → btc", actual_text: "USD → btc" },
  },
  {
    about: "network_mismatch",
    records: [{ ...T1, targetCurrency: "usdc_base", outAmount: "97" }],
    lines: [{ ...L1, asset: "usdc", network: "polygon", crypto_amount: "97" }],
    expected: ["network_mismatch T1"],
    facts: { expected_text: "base", actual_text: "polygon" },
  },
  {
    about: "nothing when one side does not say which network",
    records: [{ ...T1, targetCurrency: "usdc", outAmount: "97" }],
    lines: [{ ...L1, asset: "usdc", network: "polygon", crypto_amount: "97" }],
    expected: [],
  },
  {
    about: "direction_mismatch",
    records: [T1],
    lines: [{ ...L1, side: "sell" }],
    expected: ["direction_mismatch T1"],
  },
  {
    about: "status_mismatch: completed here, failed there",
    records: [T1],
    lines: [{ ...L1, status: "failed" }],
    expected: ["status_mismatch T1"],
    facts: { expected_text: "completed", actual_text: "failed" },
  },
  {
    about: "status_mismatch: completed here, still captured in a newer statement",
    records: [T1],
    lines: [{ ...L1, status: "captured" }],
    expected: ["status_mismatch T1"],
  },
  {
    about: "nothing: completed here, captured in a statement that was older than our news",
    records: [T1],
    lines: [{ ...L1, status: "captured" }],
    generatedAt: "2026-03-10T11:00:00Z",
    expected: [],
  },
  {
    about: "status_mismatch: open here although a day beyond the settled line has been read",
    records: [{ ...T1, status: "paid" }],
    lines: [L1],
    expected: ["stale_open T1", "status_mismatch T1"],
  },
  {
    about: "no status_mismatch while we have not read a day beyond the line",
    records: [{ ...T1, status: "paid" }],
    lines: [L1],
    readTo: "2026-03-11T12:00:00Z",
    expected: ["stale_open T1"],
  },
  {
    about: "status_mismatch: failed here, settled there",
    records: [{ ...T1, status: "failed" }],
    lines: [L1],
    expected: ["status_mismatch T1"],
  },
  {
    about: "refunded_after_completed while nothing moves the money back",
    records: [T1],
    lines: [{ ...L1, status: "refunded" }],
    expected: ["refunded_after_completed T1"],
  },
  {
    about: "nothing when a refund line moves it back",
    records: [T1],
    lines: [
      { ...L1, status: "refunded" },
      { ...L1, type: "refund" },
    ],
    expected: [],
  },
  {
    about: "charged_back",
    records: [T1],
    lines: [{ ...L1, status: "charged_back" }],
    expected: ["charged_back T1"],
  },
  {
    about: "duplicate_settlement for the later of two lines",
    records: [T1],
    lines: [L1, { ...L1, key: "again", effective_at: later }],
    expected: ["duplicate_settlement again"],
    facts: { expected: "0", actual: "100" },
  },
  {
    about: "no duplicate for an attempt that moved no money, whenever it was",
    records: [T1],
    lines: [L1, { ...L1, key: "attempt", status: "failed", effective_at: "2026-03-10T11:00:00Z" }],
    expected: [],
  },
  {
    about: "unlinked_reversal",
    lines: [{ of: "T9", type: "refund" }],
    expected: ["unlinked_reversal refund:T9"],
    facts: { expected: "0", actual: "-1", currency: "EUR" },
  },
  {
    about: "reversal_exceeds_original",
    records: [T1],
    lines: [L1, { ...L1, type: "refund", fiat_gross: "60" }, { ...L1, type: "chargeback", fiat_gross: "60" }],
    expected: ["reversal_exceeds_original T1"],
    facts: { expected: "100", actual: "120", delta: "20", currency: "EUR" },
  },
  {
    about: "nothing when a chargeback was won back",
    records: [T1],
    lines: [
      L1,
      { ...L1, type: "refund", fiat_gross: "60" },
      { ...L1, type: "chargeback" },
      { ...L1, type: "chargeback_reversal" },
    ],
    expected: [],
  },
  {
    about: "reference_conflict; the id's match stands",
    records: [T1, { id: "T2" }],
    lines: [{ ...L1, our_reference: "T2" }, { of: "T2" }],
    expected: ["reference_conflict charge:T1"],
    facts: { expected_text: "T1", actual_text: "T2" },
  },
  {
    about: "nothing when the reference is some other text",
    records: [T1],
    lines: [{ ...L1, our_reference: "order 77" }],
    expected: [],
  },
  {
    about: "hash_mismatch",
    records: [T1],
    lines: [{ ...L1, transaction_hash: hex("other") }],
    expected: ["hash_mismatch T1"],
  },
  {
    about: "no hash_mismatch for a hash in other letters, or one that has been replaced since",
    records: [
      { ...T1, transactionHash: `0x${hex("old")}` },
      { ...T1, transactionHash: `0x${hex("new").toUpperCase()}`, at: "2026-03-11T12:00:00.000Z" },
      { id: "T2" },
    ],
    lines: [
      { ...L1, transaction_hash: hex("old") },
      { of: "T2", transaction_hash: `0x${hex("T2").toUpperCase()}` },
    ],
    expected: [],
  },
  {
    about: "address_mismatch, and no error for letters of another case in a hexadecimal address",
    records: [T1, { id: "T2", walletAddress: `0x${"aB".repeat(20)}` }],
    lines: [
      { ...L1, wallet_address: "elsewhere" },
      { of: "T2", wallet_address: `0x${"Ab".repeat(20)}` },
    ],
    expected: ["address_mismatch T1"],
  },
  {
    about: "hash_reused: one transfer counted twice; sharing a hash alone is legal",
    records: [
      { ...T1, transactionHash: "one", walletAddress: "same" },
      { id: "T2", transactionHash: "one", walletAddress: "same" },
      { id: "T3", transactionHash: "one", walletAddress: "other" },
    ],
    lines: ["T1", "T2", "T3"].map((of) => ({
      of,
      transaction_hash: "one",
      wallet_address: of === "T3" ? "other" : "same",
    })),
    expected: ["hash_reused T1", "hash_reused T2"],
    facts: { expected_text: "T1", actual_text: "T2" },
  },
  {
    about: "hash_missing after a day, when no status row and no line has one",
    records: [
      { ...T1, transactionHash: "" },
      { id: "T2", transactionHash: "" },
    ],
    lines: [{ ...L1, transaction_hash: null }, { of: "T2" }],
    expected: ["hash_missing T1"],
  },
  {
    about: "ambiguous; none is chosen",
    records: [
      { ...T1, onrampTransactionId: "shared" },
      { id: "T2", onrampTransactionId: "shared" },
    ],
    lines: [{ ...L1, provider_transaction_id: "shared" }],
    expected: ["ambiguous charge:T1", "missing_from_statement T1", "missing_from_statement T2"],
    facts: { expected_text: "T1, T2" },
  },
  {
    about: "line_arithmetic_mismatch",
    records: [T1],
    lines: [{ ...L1, fiat_net: "96" }],
    expected: ["line_arithmetic_mismatch T1"],
    facts: { expected: "97", actual: "96", delta: "-1" },
  },
  {
    about: "rate_variance",
    records: [T1],
    lines: [{ ...L1, rate: "0.0000206", rate_basis: "crypto_per_fiat" }],
    expected: [],
  },
  {
    about: "rate_variance when the rate cannot be that of the amounts",
    records: [T1],
    lines: [{ ...L1, rate: "0.0000406", rate_basis: "crypto_per_fiat" }],
    expected: ["rate_variance T1"],
  },
  {
    about: "unknown_status of a line",
    records: [T1],
    lines: [{ ...L1, status: "unknown", provider_status: "SIDEWAYS" }],
    expected: ["unknown_status T1"],
    facts: { actual_text: "SIDEWAYS" },
  },
  {
    about: "unknown_status of a record",
    records: [{ ...T1, status: "sideways" }],
    expected: ["stale_open T1", "unknown_status T1"],
  },
  {
    about: "status_regressed",
    records: [T1, { ...T1, status: "pending", at: "2026-03-12T00:00:00.000Z" }],
    expected: ["stale_open T1", "status_regressed T1"],
  },
  {
    about: "nothing when a step back was made good",
    records: [
      { ...T1, status: "paid", at: "2026-03-08T00:00:00.000Z" },
      { ...T1, status: "pending", at: "2026-03-09T00:00:00.000Z" },
      T1,
    ],
    lines: [L1],
    expected: [],
  },
  {
    about: "status_reversed",
    records: [T1, { ...T1, status: "failed", at: "2026-03-12T00:00:00.000Z" }],
    expected: ["status_reversed T1"],
  },
  {
    about: "status_recovered",
    records: [{ ...T1, status: "canceled", at: "2026-03-08T00:00:00.000Z" }, T1],
    lines: [L1],
    expected: ["status_recovered T1"],
  },
  {
    about: "record_conflict when one status date says two things",
    records: [T1, { ...T1, inAmount: "101" }],
    lines: [],
    expected: ["missing_from_statement T1", "record_conflict T1"],
  },
  {
    about: "no record_conflict when a field is empty in one of them",
    records: [T1, { ...T1, transactionHash: "" }],
    lines: [L1],
    expected: [],
  },
  {
    about: "unexplained_movement for an adjustment in a payout, unless its category is known",
    lines: [
      { key: "a", type: "adjustment", payout_ref: "P1", net_amount: "-5" },
      { key: "b", type: "adjustment", payout_ref: "P1", net_amount: "-5", category: "monthly fee" },
      { key: "p", type: "payout", payout_ref: "P1", net_amount: "-10" },
    ],
    expected: ["unexplained_movement a"],
  },
  {
    about: "payout_sum_mismatch",
    records: [T1],
    lines: [
      { ...L1, payout_ref: "P1", net_amount: "1.25" },
      { key: "p", type: "payout", payout_ref: "P1", net_amount: "1.20" },
    ],
    expected: ["payout_sum_mismatch P1"],
    facts: { expected: "1.25", actual: "1.2", delta: "-0.05", currency: "EUR" },
  },
  {
    about: "payout_declared_twice",
    records: [T1],
    lines: [
      { ...L1, payout_ref: "P1", net_amount: "1.25" },
      { key: "p", type: "payout", payout_ref: "P1", net_amount: "1.25" },
      { key: "q", type: "payout", payout_ref: "P1", net_amount: "1.5", effective_at: later },
    ],
    expected: ["payout_declared_twice P1"],
    facts: { expected: "1.25", actual: "1.5" },
  },
  {
    about: "payout_conversion_unexplained without a rate",
    records: [T1],
    lines: [
      { ...L1, payout_ref: "P1", net_amount: "1.25" },
      { key: "p", type: "payout", payout_ref: "P1", net_amount: "1.4", net_currency: "usdc" },
    ],
    expected: ["payout_conversion_unexplained P1"],
    facts: { expected_text: "1.25 EUR", actual_text: "1.4 usdc" },
  },
  {
    about: "a payout in another currency ties at the rate that the statement states",
    records: [T1],
    lines: [
      { ...L1, payout_ref: "P1", net_amount: "1.25" },
      { key: "p", type: "payout", payout_ref: "P1", net_amount: "1.4", net_currency: "usdc", rate: "1.12" },
    ],
    expected: [],
  },
  {
    about: "payout_overdue for what is owed and never declared",
    records: [T1],
    lines: [{ ...L1, net_amount: "1.25" }],
    expected: ["payout_overdue 2026-03"],
    facts: { expected: "1.25", actual: "0" },
  },
];

describe("discrepancies", () => {
  test.each(cases.map((each) => [each.about, each] as const))("%s", async (_, each) => {
    const books = await booksOf(each);
    await reconcileAccount(database.db, books.accountId);
    expect(await codesOf(books)).toEqual(each.expected);
    expect((await discrepanciesOf(books))[0] ?? {}).toMatchObject(each.facts ?? {});
  });

  test("statement_overdue: one for all transactions of a provider, period and currency", async () => {
    const books = await openBooks(database.db);
    await addRecords(books, [
      T1,
      { id: "T2", inAmount: "50.5" },
      { id: "T3", sourceCurrency: "usd" },
      { id: "T4", at: "2026-04-02T00:00:00.000Z" },
    ]);
    await reconcileAccount(database.db, books.accountId);
    expect(await discrepanciesOf(books)).toMatchObject([
      { code: "statement_overdue", subject: "2026-03", expected: "150.5", actual: "0", currency: "EUR" },
      { code: "statement_overdue", subject: "2026-03", expected: "100", currency: "USD" },
      { code: "statement_overdue", subject: "2026-04", expected: "100", currency: "EUR" },
    ]);
  });

  test("an event keeps the facts of its discrepancy, whatever signs they hold, and leaves out what is empty", async () => {
    const status = 'side"ways\\ {"actual": 1}, ';
    const books = await booksOf({
      about: "",
      records: [T1],
      lines: [{ ...L1, status: "unknown", provider_status: status }],
      expected: [],
    });
    await reconcileAccount(database.db, books.accountId);
    const events = await database.db.query<{ facts: object }>(
      `select e.facts
       from tieout.discrepancy_events as e
       join tieout.discrepancies as d on d.id = e.discrepancy_id
       where d.account_id = $1 and d.code = 'unknown_status'`,
      [books.accountId],
    );
    expect(events).toEqual([
      {
        facts: {
          expected_text: "a status that is known",
          actual_text: status,
          line_id: expect.any(Number),
          since: "2026-03-10T12:01:00+00:00",
          transaction_id: "T1",
          value: "100",
          value_currency: "EUR",
        },
      },
    ]);
  });

  test("hash_reused agrees when the other transaction turns out to have no hash", async () => {
    const shared = { transactionHash: "one", walletAddress: "same" };
    const books = await openBooks(database.db);
    await addRecords(books, [
      { ...T1, ...shared },
      { id: "T2", ...shared },
    ]);
    await addStatement(books, { lines: [] });
    await reconcileAccount(database.db, books.accountId);
    expect(await codesOf(books)).toEqual(expect.arrayContaining(["hash_reused T1", "hash_reused T2"]));
    await addRecords(books, [{ id: "T2", status: "pending", at: later }]);
    await reconcileAccount(database.db, books.accountId);
    expect(await codesOf(books)).not.toContain("hash_reused T1");
  });
});

async function booksOf({ records = [], lines, readTo, generatedAt }: Case): Promise<Books> {
  const books = await openBooks(database.db, readTo === undefined ? {} : { readTo });
  // One page each: several statuses of a transaction are several records.
  if (records.length > 0) await addRecords(books, records);
  if (lines) await addStatement(books, { lines, ...(generatedAt === undefined ? {} : { generatedAt }) });
  return books;
}
