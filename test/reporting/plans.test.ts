import assert from "node:assert/strict";
import { beforeAll, expect, test } from "vitest";
import { type LakeColumn, partitionStatement } from "../../src/report/lake/lake-sql.ts";
import { lakeTables } from "../../src/report/lake/tables.ts";
import { ensureAccounts } from "../../src/store/accounts/accounts.ts";
import { inlineValues } from "../../src/store/exports/copy-report.ts";
import { ensureMonths } from "../../src/store/transactions/months.ts";
import { listTransactions, type TransactionFilters } from "../../src/store/transactions/transaction-reads.ts";
import { useTestDatabase } from "../support/test-database.ts";
import { wrapDatabase } from "../support/wrap-database.ts";

const database = useTestDatabase();
const transactions = 20_000;

/** Enough rows, over enough days, that reading all of them is the wrong plan for a question about one day. */
beforeAll(async () => {
  const account = { baseUrl: "http://127.0.0.1:1", syncStart: "2026-01-01T00:00:00Z" };
  await ensureAccounts(
    database.db,
    [
      { name: "acme", ...account },
      { name: "beta", ...account },
    ],
    "test",
  );
  await ensureMonths(database.db);
  await database.db.query(
    `with made as (
       select a.id as account_id, 'T' || n as transaction_id, sha256(n::text::bytea) as record_hash,
              timestamptz '2026-01-01T00:00:00Z' + n * interval '6 minutes' as status_date
       from generate_series(1, $1::int) as n
       join tieout.accounts as a on a.name = case n % 2 when 0 then 'acme' else 'beta' end
     ), kept as (
       insert into tieout.transaction_statuses
         (account_id, transaction_id, record_hash, hash_version, status, status_rank, status_date, window_id, first_seen_at)
       select account_id, transaction_id, record_hash, 1, 'completed', 60, status_date, 1, status_date
       from made
     )
     insert into tieout.transactions
       (account_id, transaction_id, record_hash, hash_version, status, status_rank, status_date, is_final, first_seen_at,
        last_changed_at)
     select account_id, transaction_id, record_hash, 1, 'completed', 60, status_date, true, status_date, status_date
     from made`,
    [transactions],
  );
  await database.db.query(
    `with file as (
       insert into tieout.statements (account_id, provider, file_name, sha256, byte_count, profile, profile_version,
         profile_used, parser_version, encoding, delimiter, generated_at, generated_at_from, period_basis, imported_at,
         imported_by)
       select id, 'moonpay', 'march.csv', sha256('march'), 1, 'test', 1, '{}', 1, 'utf-8', ',', now(), 'file', 'activity', now(),
              'test'
       from tieout.accounts
       where name = 'acme'
       returning id, account_id
     ), lines as (
       insert into tieout.statement_lines (account_id, provider, line_key, occurrence, version, content_hash, statement_id, line_no,
         line_type, status, provider_transaction_id, payout_ref, net_amount, net_currency, effective_at, imported_at)
       select file.account_id, 'moonpay', 'L' || n, 1, 1, sha256(n::text::bytea), file.id, n + 1, 'charge', 'settled', 'P' || n,
              'R' || n / 100, 1, 'EUR', timestamptz '2026-01-01T00:00:00Z' + n * interval '6 minutes', now()
       from file, generate_series(1, $1::int) as n
       returning id, account_id, provider_transaction_id, effective_at
     )
     insert into tieout.matches (account_id, provider, transaction_id, record_hash, line_id, role, rule, state, made_by,
       effective_at, matched_at)
     select account_id, 'moonpay', 'T' || substr(provider_transaction_id, 2), sha256(''), id, 'settles', 'provider_id', 'active',
            'rules', effective_at, effective_at
     from lines`,
    [transactions],
  );
  await database.db.query(
    `analyze tieout.transactions, tieout.transaction_statuses, tieout.accounts, tieout.statements, tieout.statement_lines,
       tieout.matches, tieout.discrepancies, tieout.payouts`,
  );
});

const day = "status_date >= '2026-02-10T00:00:00Z' and status_date < '2026-02-11T00:00:00Z'";

test("transactions of one account and day are found by an index", async () => {
  const plan = await explain(`select * from reporting.transactions where account = 'acme' and ${day}`);
  expect(plan).toContain("transactions_by_date");
  expect(plan).not.toMatch(/Seq Scan on transactions?\b/);
});

test("status rows of one account and day are found by an index", async () => {
  const plan = await explain(
    `select * from reporting.transaction_statuses where account = 'acme' and ${day}`,
  );
  // The index of the month itself, whose name the database makes up; no other month is looked at.
  expect(plan).toMatch(/transaction_statuses_2026_02_pkey/);
  expect(plan).not.toMatch(/Seq Scan on transaction|2026_01|2026_03|_odd/);
});

test("the status rows of one transaction are found by an index of each month", async () => {
  const plan = await explain(
    "select * from reporting.transaction_statuses where account = 'acme' and transaction_id = 'T77'",
  );
  expect(plan).toMatch(/transaction_statuses_2026_02_account_id_transaction_id_idx/);
  expect(plan).not.toMatch(/Seq Scan on transaction_statuses_2026_0[123]/);
});

test.each([
  "day = date '2026-02-10'",
  "day >= date '2026-02-10' and day < date '2026-02-12' and account = 'acme'",
])("the summary with %s reads those days only", async (filter) => {
  const plan = await explain(`select * from reporting.daily_summary where ${filter}`);
  expect(plan).toContain("transactions_by_date");
  expect(plan).not.toMatch(/Seq Scan on transaction/);
});

test("the summary skips the days between records dated in the year 1 and in 9999", async () => {
  let ends: (string | undefined)[] = [];
  let plan: { "QUERY PLAN": string }[] = [];
  const work = database.db.transaction(async (tx) => {
    await tx.query(
      `update tieout.transactions
       set status_date = case transaction_id when 'T7' then timestamptz '0001-01-01T00:00:00Z' else timestamptz '9999-12-31T23:59:59.999Z' end
       where transaction_id in ('T7', 'T77')`,
    );
    const days = await tx.query<{ day: string }>(
      "(select day::text from reporting.daily_summary order by day limit 1) union all (select max(day)::text from reporting.daily_summary)",
    );
    ends = days.map((row) => row.day);
    plan = await tx.query("explain (analyze, costs off, timing off) select * from reporting.daily_summary");
    throw new Error("rolled back");
  });
  await expect(work).rejects.toThrow("rolled back");
  expect(ends).toEqual(["0001-01-01", "9999-12-31"]);
  const loops = plan.flatMap((line) =>
    [...line["QUERY PLAN"].matchAll(/loops=(\d+)/g)].map(([, times]) => Number(times)),
  );
  expect(Math.max(...loops)).toBeLessThan(transactions);
});

test("a change is followed by an index", async () => {
  const plan = await explain(
    "select transaction_id from reporting.transactions where last_changed_at >= '2026-03-20' order by last_changed_at limit 100",
  );
  expect(plan).toContain("transactions_by_change");
});

test("a query does not pay for columns that it does not select", async () => {
  const lean = await explain(
    `select transaction_id, status, first_seen_at from reporting.transactions where ${day}`,
  );
  expect(lean).not.toMatch(/accounts|transaction_statuses/);
  const history = await explain(
    `select transaction_id, status from reporting.transaction_statuses where ${day}`,
  );
  expect(history).not.toMatch(/accounts|on transactions/);

  const whole = await explain(`select account, status_count from reporting.transactions where ${day}`);
  expect(whole).toMatch(/accounts/);
  expect(whole).toMatch(/SubPlan[^]*transaction_statuses/);
});

test.each([
  ["provider = 'moonpay' and effective_at >= '2026-02-10' and effective_at < '2026-02-11'", "lines_by_time"],
  ["payout_ref = 'R7' and provider = 'moonpay'", "lines_by_payout"],
  ["line_id = 77", "statement_lines_pkey"],
])("lines with %s are found by an index", async (filter, index) => {
  const plan = await explain(
    `select * from reporting.statement_lines where account = 'acme' and is_current and ${filter}`,
  );
  expect(plan).toContain(index);
  expect(plan).not.toMatch(/Seq Scan on statement_lines/);
});

test("the matches of a transaction, and those of a line, are found by an index", async () => {
  const ofTransaction = await explain(
    "select * from reporting.matches where account = 'acme' and transaction_id = 'T77'",
  );
  expect(ofTransaction).toContain("transaction_is_settled_once");
  const ofLine = await explain("select * from reporting.matches where line_id = 77 and state = 'active'");
  expect(ofLine).not.toMatch(/Seq Scan on matches/);
});

test.each([
  "select * from reporting.transactions where transaction_id = 'T77'",
  "select transaction_id, class from reporting.transactions where account = 'acme' and transaction_id = 'T77'",
  "select transaction_id, status from reporting.transactions where transaction_id = 'T77'",
  "select * from reporting.transactions order by status_date desc limit 10",
])("one or a few transactions are judged without judging all: %s", async (query) => {
  expect(await explain(query)).not.toMatch(
    /Seq Scan on (transactions|matches|transaction_statuses_2026_0[123])\b/,
  );
});

test("a month is read for the lake by an index, not by reading every month", async () => {
  const table = lakeTables.find(({ name }) => name === "transactions");
  assert(table !== undefined);
  const columns: LakeColumn[] = [{ name: "transaction_id", type: "text" }];
  const partition = { account: "acme", month: "2026-02" };
  const plan = await explain(inlineValues(partitionStatement(table, columns, partition, null)));
  expect(plan).toContain("transactions_by_date");
});

test("lines that wait for a payout do not look through all findings one by one", async () => {
  const plan = await explain(
    "select class, pending_code from tieout.line_classes(array[1], now(), 'infinity')",
  );
  expect(plan).toMatch(/on findings/);
  expect(plan).not.toMatch(/SubPlan[^]*on findings/);
});

test("the class of a line is worked out only where it is asked for", async () => {
  const lean = await explain("select line_id, net_amount from reporting.statement_lines where is_current");
  expect(lean).not.toMatch(/line_classes|matches|discrepancies|payouts|accounts|on statements/);
  const one = await explain("select net_amount from reporting.statement_lines where line_id = 77");
  expect(one).not.toMatch(/line_classes/);
  expect(await explain("select class from reporting.statement_lines")).toMatch(/line_classes_now/);
  const plain = "select transaction_id, status from reporting.transactions";
  expect(await explain(plain)).not.toMatch(/classes|accounts|matches|findings|odd_histories|_now/);
});

async function explain(query: string): Promise<string> {
  const lines = await database.db.query<{ "QUERY PLAN": string }>(`explain (costs off) ${query}`);
  return lines.map((line) => line["QUERY PLAN"]).join("\n");
}

test("what begins with a word is found among names without reading all of them", async () => {
  await database.db.query(
    `insert into tieout.transaction_keys (account_id, month, kind, key, transaction_id)
     select t.account_id, date_trunc('month', t.status_date)::date, 'provider_id', md5(t.transaction_id), t.transaction_id
     from tieout.transactions as t`,
  );
  await database.db.query("analyze tieout.transaction_keys");
  const [plan] = await plansOf({ q: { text: "not-there-at-all", wallets: true } });
  expect(plan).toMatch(/Index (Only )?Scan (using|on) transaction_keys_2026_01/);
  // As values: of millions of names, the planner then expects few between them.
  expect(plan).toMatch(/name_hash >= '-?\d+'::bigint/);
});

/** How the first page of a list is found. */
async function plansOf(filters: Partial<TransactionFilters>, limit = 25): Promise<string[]> {
  const plans: string[] = [];
  const db = wrapDatabase(database.db, async (next, text, values, name) => {
    const plan = await database.db.query<{ "QUERY PLAN": string }>(`explain ${text}`, values);
    plans.push(plan.map((row) => row["QUERY PLAN"]).join("\n"));
    return next(text, values, name);
  });
  await listTransactions(
    { database: db, accountIds: null },
    { filters: { ranges: [], ...filters }, sort: "-status_date", page: { limit, after: null } },
  );
  return plans;
}

test.each(["matched", "pending", "discrepant", "excluded"] as const)(
  "a list of %s transactions first looks at the newest that may be among them",
  async (chosen) => {
    const [likely] = await plansOf({ class: chosen });
    expect(likely).toMatch(/Index Scan Backward using transactions_by_date/);
    expect(likely).not.toMatch(/_now|Seq Scan on (transactions|matches)/);
  },
);

// Of a page on screen, and of a piece of a file.
test.each([25, 1000])("and judges no others where these fill a page of %i", async (limit) => {
  const plans = await plansOf({ class: "pending" }, limit);
  expect(plans).toHaveLength(2);
  expect(plans[1]).toContain("transaction_is_kept_once");
});

test.each(["matched", "discrepant"] as const)(
  "a list of %s transactions begins where the newest of them can be",
  async (chosen) => {
    const [likely] = await plansOf({ class: chosen });
    expect(likely).toMatch(/Index Cond: \(status_date <= /);
  },
);

test("the lines of a page are judged without reading the matches of all statements", async () => {
  const plan = await explain(
    `select class
     from tieout.line_classes(array[1], now(), 'infinity')
     where line_id = any (array[1, 2, 3]::bigint[])`,
  );
  expect(plan).toContain("line_is_matched_once");
  expect(plan).not.toContain("Seq Scan on matches");
});
