import { describe, expect, test } from "vitest";
import { reconcileAccount } from "../../src/reconcile/reconcile.ts";
import { summariseAccount } from "../../src/reconcile/summarise.ts";
import { saveSetting } from "../../src/store/statements/provider-settings.ts";
import { useTestDatabase } from "../support/test-database.ts";
import {
  addRecords,
  addStatement,
  type Books,
  codesOf,
  discrepanciesOf,
  hex,
  matchesOf,
  openBooks,
} from "./books.ts";

const database = useTestDatabase();
const run = (books: Books) => reconcileAccount(database.db, books.accountId);

describe("known traps of amounts", () => {
  test("sums are exact: a thousand times 0.1 and once 1e-18", async () => {
    const books = await openBooks(database.db);
    const lines = Array.from({ length: 1_000 }, (_, at) => ({
      key: `fee ${at}`,
      type: "commission" as const,
      payout_ref: "P1",
      net_amount: at === 0 ? "0.100000000000000001" : "0.1",
    }));
    await addStatement(books, { lines });
    await run(books);
    expect(await payoutsOf(books)).toEqual([{ ref: "P1", currency: "EUR", net: "100.000000000000000001" }]);
  });

  test("a payout with lines in two currencies is two payouts, and neither sum crosses over", async () => {
    const books = await openBooks(database.db);
    const line = (key: string, currency: string, amount: string) => ({
      key,
      type: "commission" as const,
      payout_ref: "P1",
      net_amount: amount,
      net_currency: currency,
    });
    await addStatement(books, {
      lines: [line("a", "EUR", "10"), line("b", "USD", "5"), line("c", "EUR", "1")],
    });
    await run(books);
    expect(await payoutsOf(books)).toEqual([
      { ref: "P1", currency: "EUR", net: "11" },
      { ref: "P1", currency: "USD", net: "5" },
    ]);
  });

  test("currencies longer than three letters, and the same number in another currency is not an agreement", async () => {
    const books = await openBooks(database.db);
    const usdc = { targetCurrency: "usdc_polygon", outAmount: "100" };
    await addRecords(books, [
      { id: "A", ...usdc },
      { id: "B", ...usdc },
    ]);
    const line = { asset: "usdc", network: "polygon", crypto_amount: "100" };
    await addStatement(books, {
      lines: [
        { of: "A", ...line },
        { of: "B", ...line, asset: "usdt" },
      ],
    });
    await run(books);
    expect(await codesOf(books)).toEqual(["currency_mismatch B"]);
  });

  test("eighteen decimals survive: a difference in the last place is kept on the match", async () => {
    const books = await openBooks(database.db);
    await addRecords(books, [{ id: "A", targetCurrency: "eth", outAmount: "0.123456789012345678" }]);
    const line = { asset: "eth", network: "ethereum", crypto_amount: "0.123456789012345677" };
    await addStatement(books, { lines: [{ of: "A", ...line }] });
    await run(books);
    const [match] = await database.db.query(
      `select out_difference::text as difference, difference_name as name
       from tieout.matches where account_id = $1 and state = 'active'`,
      [books.accountId],
    );
    expect(match).toEqual({ difference: "-0.000000000000000001", name: "rounding" });
  });
});

describe("known traps of matching", () => {
  test("any number of candidates is ambiguous; none is chosen, and the run goes on", async () => {
    const books = await openBooks(database.db);
    const many = Array.from({ length: 150 }, (_, at) => ({ id: `M${at}`, onrampTransactionId: "shared" }));
    await addRecords(books, [...many, { id: "Z" }]);
    await addStatement(books, { lines: [{ key: "one", provider_transaction_id: "shared" }, { of: "Z" }] });
    await run(books);
    expect(await matchesOf(books)).toMatchObject([{ line: "charge:Z", transaction: "Z" }]);
    expect((await codesOf(books)).filter((code) => code.startsWith("ambiguous"))).toEqual(["ambiguous one"]);
  });

  test("a transaction is settled once, also when the table is written past the rules", async () => {
    const books = await openBooks(database.db);
    await addRecords(books, [{ id: "A" }]);
    await addStatement(books, {
      lines: [{ of: "A" }, { of: "A", key: "again", effective_at: "2026-03-11T00:00:00Z" }],
    });
    await run(books);
    expect(await matchesOf(books)).toMatchObject([{ line: "charge:A", role: "settles" }]);
    expect(await codesOf(books)).toEqual(["duplicate_settlement again"]);
    const second = database.db.query(
      `insert into tieout.matches (account_id, provider, transaction_id, record_hash, line_id, role, rule, state, made_by,
         effective_at, matched_at)
       select m.account_id, m.provider, m.transaction_id, m.record_hash, l.id, 'settles', m.rule, 'active', 'test',
              m.effective_at, m.matched_at
       from tieout.matches as m
       join tieout.statement_lines as l on l.account_id = m.account_id and l.line_key = 'again'
       where m.account_id = $1`,
      [books.accountId],
    );
    await expect(second).rejects.toThrow(/transaction_is_settled_once/);
  });

  test("lines that happen to add up to a payout are not swept into it", async () => {
    const books = await openBooks(database.db);
    const line = { type: "commission" as const, net_amount: "10" };
    await addStatement(books, {
      lines: [
        { ...line, key: "a", payout_ref: "P1" },
        { key: "paid", type: "payout", payout_ref: "P1", net_amount: "20" },
      ],
    });
    await addStatement(books, { lines: [{ ...line, key: "b" }] });
    await run(books);
    expect((await payoutsOf(books)).find(({ ref }) => ref === "P1")).toMatchObject({ net: "10" });
    expect(await codesOf(books)).toContain("payout_sum_mismatch P1");
  });

  test("the id outweighs the amount", async () => {
    const books = await openBooks(database.db);
    await addRecords(books, [
      { id: "A", inAmount: "70" },
      { id: "B", inAmount: "100" },
    ]);
    await addStatement(books, { lines: [{ of: "A", our_reference: null, fiat_gross: "100" }] });
    await run(books);
    expect(await matchesOf(books)).toMatchObject([
      { transaction: "A", rule: "provider_id", state: "active" },
    ]);
    expect(await codesOf(books)).toEqual(["in_amount_mismatch A", "missing_from_statement B"]);
  });

  test("one new line re-evaluates what it touches, and no other row", async () => {
    const books = await openBooks(database.db);
    const ids = Array.from({ length: 40 }, (_, at) => `T${at}`);
    await addRecords(
      books,
      ids.map((id) => ({ id })),
    );
    await addStatement(books, { lines: ids.slice(1).map((of) => ({ of })) });
    await run(books);
    const before = await matchVersions(books);
    await addStatement(books, { lines: [{ of: "T0" }] });
    const [result] = await run(books);
    expect(result).toMatchObject({ kind: "incremental", counts: { matched: 1, unmatched: 0, agreed: 1 } });
    expect((await matchVersions(books)).filter((version) => !before.includes(version))).toHaveLength(1);
  });

  test("saving a setting matches nothing by itself; the next run follows it", async () => {
    const books = await openBooks(database.db);
    await addRecords(books, [{ id: "A" }]);
    await addStatement(books, { lines: [{ of: "A", fiat_gross: "103", fiat_net: "100" }] });
    await run(books);
    expect(await codesOf(books)).toEqual(["in_amount_mismatch A"]);
    const tolerance = [{ currency: "EUR", leg: "in", absolute_under: "5", absolute_over: "5" }];
    const { accountId } = books;
    await database.db.transaction((tx) =>
      saveSetting(tx, {
        accountId,
        provider: "moonpay",
        kind: "tolerance",
        name: "",
        value: tolerance,
        actor: "test",
      }),
    );
    expect(await codesOf(books)).toEqual(["in_amount_mismatch A"]);
    await run(books);
    expect(await codesOf(books)).toEqual([]);
    expect(await matchesOf(books)).toMatchObject([{ transaction: "A", name: "fee" }]);
  });
});

describe("known traps of results", () => {
  test("both sides are reported missing, each with its pair's keys", async () => {
    const books = await openBooks(database.db);
    await addRecords(books, [{ id: "A" }]);
    await addStatement(books, { lines: [{ of: "B", fiat_gross: "55", fiat_net: "52" }] });
    await run(books);
    expect(await discrepanciesOf(books)).toMatchObject([
      { code: "missing_from_records", subject: "charge:B", expected: "0", actual: "55", currency: "EUR" },
      { code: "missing_from_statement", subject: "A", expected: "100", actual: "0", currency: "EUR" },
    ]);
  });

  test("a different amount or status is a pair that disagrees, never two that are unmatched", async () => {
    const books = await openBooks(database.db);
    await addRecords(books, [{ id: "A" }, { id: "B" }]);
    await addStatement(books, {
      lines: [
        { of: "A", fiat_gross: "90", fiat_net: "87" },
        { of: "B", status: "failed" },
      ],
    });
    await run(books);
    expect(await codesOf(books)).toEqual(["in_amount_mismatch A", "status_mismatch B"]);
    const named = await database.db.query<{ paired: boolean }>(
      "select line_id is not null and transaction_id is not null as paired from tieout.discrepancies where account_id = $1",
      [books.accountId],
    );
    expect(named).toEqual([{ paired: true }, { paired: true }]);
  });

  test("pending is not an error", async () => {
    const books = await openBooks(database.db);
    await addRecords(books, [{ id: "A" }, { id: "B", at: new Date(Date.now() - 3_600_000).toISOString() }]);
    await addStatement(books, { lines: [{ of: "A" }] });
    await run(books);
    expect(await codesOf(books)).toEqual([]);
    const sums = await summariseAccount(database.db, books.accountId, { provider: null });
    expect(sums.map((sum) => [sum.class, sum.amount])).toEqual([
      ["matched", "100"],
      ["pending", "100"],
    ]);
  });

  test("a run never raises the same item anew, also after it was settled and came back", async () => {
    const books = await openBooks(database.db);
    await addRecords(books, [{ id: "A" }]);
    await addStatement(books, { lines: [] });
    for (let runs = 0; runs < 3; runs++) await run(books);
    const rows = await database.db.query<{ events: number }>(
      `select count(e.id)::int as events
       from tieout.discrepancies as d
       join tieout.discrepancy_events as e on e.discrepancy_id = d.id
       where d.account_id = $1
       group by d.id`,
      [books.accountId],
    );
    expect(rows).toEqual([{ events: 1 }]);
  });

  test("one hash for many orders is legal, and matches none of them by itself", async () => {
    const books = await openBooks(database.db);
    const batch = { transactionHash: hex("batch") };
    await addRecords(books, [
      { id: "A", ...batch },
      { id: "B", ...batch },
    ]);
    await addStatement(books, {
      lines: ["A", "B"].map((of) => ({ of, transaction_hash: hex("batch") })),
    });
    await run(books);
    expect(await matchesOf(books)).toMatchObject([{ rule: "provider_id" }, { rule: "provider_id" }]);
    expect(await codesOf(books)).toEqual([]);
  });
});

async function payoutsOf({ accountId }: Books): Promise<{ ref: string; currency: string; net: string }[]> {
  return database.db.query(
    `select payout_ref as ref, currency, trim_scale(net_computed)::text as net
     from tieout.payouts
     where account_id = $1
       and line_count > 0
     order by 1, 2`,
    [accountId],
  );
}

async function matchVersions({ accountId }: Books): Promise<string[]> {
  const rows = await database.db.query<{ version: string }>(
    "select concat(ctid, ' ', xmin, ' ', xmax) as version from tieout.matches where account_id = $1",
    [accountId],
  );
  return rows.map(({ version }) => version);
}
