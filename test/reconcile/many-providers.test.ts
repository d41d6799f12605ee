import { EventEmitter, once } from "node:events";
import fc from "fast-check";
import { describe, expect, onTestFinished, test } from "vitest";
import { reconcileAccount } from "../../src/reconcile/reconcile.ts";
import { lockProvider } from "../../src/store/books/provider-lock.ts";
import { saveSetting, type SettingKind } from "../../src/store/statements/provider-settings.ts";
import { useTestDatabase } from "../support/test-database.ts";
import { addRecords, addStatement, type Books, codesOf, matchesOf, openBooks } from "./books.ts";
import { type RandomBooks, randomBooks } from "./random-books.ts";

const database = useTestDatabase();
/** Each is some dozen runs over a database; more of them on demand. */
const runs = Number(process.env["RECONCILE_RUNS"] ?? 3);

const providers = ["banxa", "moonpay", "ramp"];

/** Three providers that are judged by different rules, and that use the same names for what is theirs. */
const settings: [provider: string, kind: SettingKind, value: unknown][] = [
  ["banxa", "tolerance", [{ currency: "EUR", leg: "in", absolute_under: "5", absolute_over: "5" }]],
  [
    "banxa",
    "calendar",
    { period: "week", zone: "America/Havana", statement_lag_days: 2, minimum_payout: { EUR: "3", USD: "3" } },
  ],
  [
    "moonpay",
    "calendar",
    {
      period: "day",
      statement_lag_days: 1,
      payout_lag_days: 1,
      our_share: "0.01",
      statements_with_payout: true,
    },
  ],
  ["ramp", "exclusion", { before: "2026-03-10T00:00:00Z" }],
];

describe("providers that are judged together", () => {
  test("are judged as each is alone, on generated books", async () => {
    const three = fc.tuple(randomBooks, randomBooks, randomBooks);
    await fc.assert(
      fc.asyncProperty(three, three, fc.constantFrom(...providers), async (first, then, early) => {
        const together = await openBooks(database.db);
        const apart = await openBooks(database.db);
        for (const books of [together, apart]) {
          await addAll(books, first, "first");
          for (const [provider, kind, value] of settings) await set(books, provider, kind, value);
        }
        await reconcileAccount(database.db, together.accountId);
        for (const provider of providers) await reconcileAccount(database.db, apart.accountId, { provider });
        expect(await outcomeOf(together)).toEqual(await outcomeOf(apart));

        // One that was judged in between has seen more than the others.
        for (const books of [together, apart]) await addAll(books, then, "then");
        await reconcileAccount(database.db, together.accountId, { provider: early });
        await reconcileAccount(database.db, together.accountId);
        for (const provider of providers.toReversed())
          await reconcileAccount(database.db, apart.accountId, { provider });
        expect(await outcomeOf(together)).toEqual(await outcomeOf(apart));

        const before = await outcomeOf(together);
        await reconcileAccount(database.db, together.accountId, { full: true });
        expect(await outcomeOf(together)).toEqual(before);
      }),
      { numRuns: runs, endOnFailure: true },
    );
  });

  test("an id, a reference or a hash of one names no transaction of another", async () => {
    const books = await openBooks(database.db);
    await addRecords(books, [
      { id: "ours", onramp: "moonpay", onrampTransactionId: "same", transactionHash: "ab".repeat(32) },
      { id: "theirs", onramp: "banxa", onrampTransactionId: "same", transactionHash: "ab".repeat(32) },
    ]);
    const line = {
      provider_transaction_id: "same",
      our_reference: "theirs",
      transaction_hash: "ab".repeat(32),
    };
    await addStatement(books, { provider: "moonpay", lines: [{ ...line, key: "one" }] });
    await addStatement(books, {
      provider: "banxa",
      lines: [
        { key: "by reference", our_reference: "ours" },
        { key: "by hash", transaction_hash: "ab".repeat(32), type: "refund" },
      ],
    });
    await reconcileAccount(database.db, books.accountId);
    const active = (await matchesOf(books)).filter(({ state }) => state === "active");
    expect(active.map(({ line: key, transaction }) => [key, transaction])).toEqual([["one", "ours"]]);
    const codes = (await codesOf(books)).map((found) => found.split(" ")[0]);
    expect(codes).toContain("missing_from_records");
    expect(codes).not.toContain("reference_conflict");
  });

  test("a payout is one provider's, whatever others call theirs", async () => {
    const books = await openBooks(database.db);
    const payout = { type: "payout" as const, key: "P1", payout_ref: "P1", net_amount: "10" };
    for (const provider of ["banxa", "moonpay"]) await addStatement(books, { provider, lines: [payout] });
    await reconcileAccount(database.db, books.accountId);
    expect(await codesOf(books)).toEqual(["payout_sum_mismatch P1", "payout_sum_mismatch P1"]);
    // Something new of both, and of one payout.
    const paid = {
      type: "adjustment" as const,
      key: "paid",
      payout_ref: "P1",
      net_amount: "10",
      category: "known",
    };
    await addStatement(books, { provider: "banxa", lines: [paid] });
    await addStatement(books, { lines: [{ type: "fee", key: "a fee", net_amount: "-1", payout_ref: "P2" }] });
    await reconcileAccount(database.db, books.accountId);
    const open = await database.db.query(
      "select provider from tieout.discrepancies where account_id = $1 and code = 'payout_sum_mismatch' and state = 'open'",
      [books.accountId],
    );
    expect(open).toEqual([{ provider: "moonpay" }]);
  });

  test("what one owes is not part of what another has to reach before it pays", async () => {
    const books = await openBooks(database.db);
    for (const provider of ["banxa", "moonpay"]) {
      await set(books, provider, "calendar", { payout_lag_days: 1, minimum_payout: { EUR: "3" } });
      await addStatement(books, { provider, lines: [{ type: "adjustment", key: "owed", net_amount: "2" }] });
    }
    await reconcileAccount(database.db, books.accountId);
    expect(await codesOf(books)).toEqual([]);
    await addStatement(books, {
      provider: "banxa",
      lines: [{ type: "adjustment", key: "more", net_amount: "2" }],
    });
    await reconcileAccount(database.db, books.accountId);
    expect(await codesOf(books)).toEqual(["payout_overdue 2026-03"]);
  });

  test("what is due when follows each one's own calendar", async () => {
    const books = await openBooks(database.db);
    await addRecords(books, [{ id: "m" }, { id: "b", onramp: "banxa" }]);
    await reconcileAccount(database.db, books.accountId);
    await set(books, "banxa", "calendar", { statement_lag_days: 3 });
    await reconcileAccount(database.db, books.accountId, { full: true });
    const due = await database.db.query(
      `select provider, (due_at - period_to)::text as after
       from tieout.due_dates
       where account_id = $1 and known_to is null
       group by 1, 2
       order by 1, 2`,
      [books.accountId],
    );
    expect(due).toEqual([
      { provider: "banxa", after: "3 days" },
      { provider: "moonpay", after: "30 days" },
    ]);
  });

  test("are counted each for itself", async () => {
    const books = await openBooks(database.db);
    await addRecords(books, [
      { id: "a", onramp: "banxa", onrampTransactionId: "a" },
      { id: "b", onramp: "banxa", onrampTransactionId: "b" },
      { id: "m" },
    ]);
    await addStatement(books, { provider: "banxa", lines: [{ of: "a" }, { of: "b", fiat_gross: "90" }] });
    await addStatement(books, { lines: [{ of: "m" }] });
    const results = await reconcileAccount(database.db, books.accountId);
    expect(
      results.map(({ provider, kind, counts }) => [provider, kind, counts.matched, counts.raised]),
    ).toEqual([
      ["banxa", "full", 2, 2],
      ["moonpay", "full", 1, 0],
    ]);
    await addStatement(books, { lines: [{ type: "fee", key: "a fee" }] });
    const again = await reconcileAccount(database.db, books.accountId);
    expect(
      again.map(({ provider, kind, counts }) => [provider, kind, counts.matched, counts.raised]),
    ).toEqual([
      ["banxa", "incremental", 0, 0],
      ["moonpay", "incremental", 0, 0],
    ]);
  });

  test("do not wait for one whose file is being imported, and keep nobody else from importing", async () => {
    const books = await openBooks(database.db);
    await addRecords(books, [{ id: "m" }, { id: "r", onramp: "ramp", onrampTransactionId: "r" }]);
    await addStatement(books, { lines: [{ of: "m" }] });
    await addStatement(books, { provider: "ramp", lines: [{ of: "r" }] });
    const { accountId } = books;
    const importing = new EventEmitter();
    onTestFinished(() => void importing.emit("end"));
    const held = database.db.transaction(async (tx) => {
      await lockProvider(tx, { accountId, provider: "moonpay" });
      importing.emit("begin");
      await once(importing, "end");
    });
    await once(importing, "begin");
    const run = reconcileAccount(database.db, accountId);
    await expect.poll(async () => (await matchesOf(books)).map(({ line }) => line)).toEqual(["charge:r"]);
    await database.db.transaction(async (tx) => {
      await tx.query("set local lock_timeout = '5s'");
      await lockProvider(tx, { accountId, provider: "ramp" });
    });
    importing.emit("end");
    await held;
    const results = await run;
    expect(results.map(({ provider, counts }) => [provider, counts.matched])).toEqual([
      ["ramp", 1],
      ["moonpay", 1],
    ]);
  });
});

async function set(books: Books, provider: string, kind: SettingKind, value: unknown): Promise<void> {
  const { accountId } = books;
  await database.db.transaction((tx) =>
    saveSetting(tx, {
      accountId,
      provider,
      kind,
      name: "",
      value,
      actor: "test",
    }),
  );
}

/** Transactions have names of their own; every other name may be another provider's, too. */
async function addAll(books: Books, random: readonly RandomBooks[], stage: string): Promise<void> {
  for (const [at, provider] of providers.entries()) {
    const { records, lines } = random[at] ?? { records: [], lines: [] };
    await addRecords(
      books,
      records.map((record) => ({
        ...record,
        id: `${provider} ${record.id}`,
        onramp: provider,
        ...(stage === "then" ? { at: later(record.at) } : {}),
      })),
    );
    const other = providers[(at + 1) % providers.length];
    await addStatement(books, {
      provider,
      lines: lines.map((line) => ({
        ...line,
        key: `${stage} ${line.key}`,
        ...(typeof line["our_reference"] === "string"
          ? { our_reference: `${line["our_reference"] === "F" ? other : provider} ${line["our_reference"]}` }
          : {}),
      })),
    });
  }
}

/** Some of them in a month that no statement tells of. */
function later(at: string | undefined): string {
  return new Date(Date.parse(at ?? "") + 20 * 86_400_000).toISOString();
}

/** All that a run writes, without what differs between two accounts and two runs: numbers of rows, and when it was known. */
async function outcomeOf({ accountId }: Books): Promise<Record<string, object[]>> {
  const outcome: Record<string, object[]> = {};
  for (const [name, statement] of Object.entries(written))
    outcome[name] = await database.db.query(statement, [accountId]);
  return outcome;
}

const written = {
  matches: `
    select m.provider, l.line_key, m.part_no, m.transaction_id, m.role, m.rule, m.keys, m.state, m.in_expected, m.in_actual,
           m.out_expected, m.out_actual, m.difference_name, m.effective_at
    from tieout.matches as m
    join tieout.statement_lines as l on l.id = m.line_id
    where m.account_id = $1 and m.state <> 'ended'
    order by m.provider, l.line_key, m.part_no, m.state, m.transaction_id`,
  findings: `
    select f.provider, f.code, f.level, f.subject_kind, f.transaction_id, l.line_key, f.payout_ref, f.period_from, f.period_to,
           f.expected, f.actual, f.currency, f.expected_text, f.actual_text, f.value, f.value_currency, f.owed, f.owed_currency,
           f.near_period_edge, f.holds_from,
           case when f.code = 'missing_from_statement' then f.holds_to < 'infinity' end as is_excluded,  -- from when it was saved
           case when f.code <> 'missing_from_statement' then f.holds_to end as holds_to
    from tieout.findings as f
    left join tieout.statement_lines as l on l.id = f.line_id
    where f.account_id = $1 and f.known_to is null
    order by f.provider, f.code, f.holds_from, f.transaction_id, l.line_key, f.payout_ref, f.period_from, f.currency, f.facts_hash`,
  discrepancies: `
    select d.provider, d.code, d.level, d.transaction_id, l.line_key, d.period_from, d.currency, d.expected, d.actual,
           d.expected_text, d.actual_text, d.value, d.owed, d.state, d.reason
    from tieout.discrepancies as d
    left join tieout.statement_lines as l on l.id = d.line_id
    where d.account_id = $1 and (d.state, d.reason) is distinct from ('resolved', 'agreed')
    order by d.provider, d.code, d.since, d.transaction_id, l.line_key, d.period_from, d.currency, d.facts_hash`,
  payouts: `
    select provider, payout_ref, currency, payout_date, last_line_at, line_count, gross, fees, refunds, chargebacks,
           chargeback_reversals, commissions, adjustments, reserves, net_computed, net_declared, difference, status
    from tieout.payouts
    where account_id = $1
    order by provider, payout_ref, currency`,
  due: `
    select provider, currency, period_from, period_to, due_at
    from tieout.due_dates
    where account_id = $1 and known_to is null
    order by provider, period_from, currency`,
  bounds: `
    select provider, settled_to, accused_to
    from tieout.account_providers
    where account_id = $1
    order by provider`,
};
