import { beforeAll, expect, test } from "vitest";
import { useTestDatabase } from "../support/test-database.ts";
import { keepAccount, october, requestFor } from "./books.ts";
import { type Plan, planOfReport, rowsRead } from "./plan.ts";

const database = useTestDatabase();
const ofHistory = 20_000;
const ofMonth = 500;

/** A long history that no statement tells of, and a month that the first one does, with a line for each transaction. */
beforeAll(async () => {
  const account = await keepAccount(database.db, "acme");
  await database.db.query(
    `insert into tieout.account_providers (account_id, provider) values ($1, 'moonpay')`,
    [account],
  );
  await database.db.query(
    `insert into tieout.transactions
       (account_id, transaction_id, record_hash, hash_version, status, status_rank, status_date, transaction_type, provider,
        source_currency, in_amount, target_currency, out_amount, is_final, first_seen_at, last_changed_at)
     select $1, 'T' || n, sha256(n::text::bytea), 1, 'completed', 60,
            timestamptz '2026-10-01' + (n - $2) * interval '15 minutes', 'buy', 'moonpay', 'eur', 100, 'btc', 0.001, true,
            clock_timestamp(), clock_timestamp()
     from generate_series(1, $2::int + $3::int) as n`,
    [account, ofHistory, ofMonth],
  );
  await database.db.query(
    `with file as (
       insert into tieout.statements (account_id, provider, file_name, sha256, byte_count, profile, profile_version,
         profile_used, parser_version, encoding, delimiter, generated_at, generated_at_from, period_from, period_to,
         period_basis, imported_at, imported_by)
       values ($1, 'moonpay', 'october.csv', sha256('october'), 1, 'test', 1, '{}', 1, 'utf-8', ',', '2026-11-01', 'file',
               '2026-10-01', '2026-11-01', 'activity', clock_timestamp(), 'test')
       returning id
     ), lines as (
       insert into tieout.statement_lines (account_id, provider, line_key, occurrence, version, content_hash, statement_id,
         line_no, line_type, status, fiat_currency, fiat_gross, net_amount, net_currency, effective_at, imported_at)
       select t.account_id, 'moonpay', t.transaction_id, 1, 1, t.record_hash, file.id, 1, 'charge', 'settled', 'EUR', 100, 1, 'EUR',
              t.status_date, clock_timestamp()
       from file, tieout.transactions as t
       where t.status_date >= '2026-10-01'
       returning id, account_id, line_key, effective_at
     )
     insert into tieout.matches (account_id, provider, transaction_id, record_hash, line_id, role, rule, state, made_by,
       effective_at, matched_at)
     select account_id, 'moonpay', line_key, sha256(''), id, 'settles', 'provider_id', 'active', 'rules', effective_at,
            clock_timestamp()
     from lines`,
    [account],
  );
  await database.db.query("analyze");
});

const planOf = (report: string) => planOfReport(database.db, requestFor(report, october));

const sortsWhatIsKept = (plan: Plan): boolean =>
  (plan.Plans ?? []).some(
    (part) => (/Sort/.test(plan["Node Type"]) && part["CTE Name"] === "r") || sortsWhatIsKept(part),
  );

test("the position of a month reads nothing that no statement could tell of", async () => {
  const read = rowsRead(await planOf("position"), "transactions");
  expect(read).toBeGreaterThanOrEqual(ofMonth);
  expect(read).toBeLessThan(ofHistory / 2);
});

test("fee variance looks nothing up for lines of which no schedule expects anything", async () => {
  await database.db.query(
    `with schedule as (
       insert into tieout.fee_schedules (account_id, provider, version, valid_from, sha256, imported_by, reason)
       select id, 'moonpay', 1, '2026-11-01', sha256('fees'), 'test', 'as agreed' from tieout.accounts
       returning id
     )
     insert into tieout.fee_terms (schedule_id, kind, over, flat, percent)
     select id, 'share', 0, 0, 2 from schedule`,
  );
  const plan = await planOf("fee-variance");
  expect(rowsRead(plan, "transactions")).toBeLessThan(ofMonth / 2);
  expect(rowsRead(plan, "matches")).toBeLessThan(ofMonth / 2);
});

test.each(["transactions", "rates", "itemised", "journal"])(
  "the rows of %s are sorted while they are made, and not again when they are written",
  async (report) => {
    const plan = await planOf(report);
    expect(JSON.stringify(plan)).toContain('"CTE Name":"r"');
    expect(sortsWhatIsKept(plan)).toBe(false);
  },
);

test("what is owed is valued once, and not again for each row of the report that it is joined to", async () => {
  expect(JSON.stringify(await planOf("receivable"))).toContain('"CTE Name":"balances"');
});
