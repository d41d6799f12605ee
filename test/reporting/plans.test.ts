import { beforeAll, expect, test } from "vitest";
import { ensureAccounts } from "../../src/store/accounts.ts";
import { useTestDatabase } from "../support/test-database.ts";

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
  await database.db.query("analyze tieout.transactions, tieout.transaction_statuses, tieout.accounts");
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
  expect(plan).toContain("status_rows_by_date");
  expect(plan).not.toMatch(/Seq Scan on transaction/);
});

test.each([
  "day = date '2026-02-10'",
  "day >= date '2026-02-10' and day < date '2026-02-12' and account = 'acme'",
])("the summary with %s reads those days only", async (filter) => {
  const plan = await explain(`select * from reporting.daily_summary where ${filter}`);
  expect(plan).toContain("transactions_by_day");
  expect(plan).not.toMatch(/Seq Scan on transaction/);
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

async function explain(query: string): Promise<string> {
  const lines = await database.db.query<{ "QUERY PLAN": string }>(`explain (costs off) ${query}`);
  return lines.map((line) => line["QUERY PLAN"]).join("\n");
}
