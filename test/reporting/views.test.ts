import { beforeAll, describe, expect, test } from "vitest";
import { finalStatuses, isFinalStatus, isKnownStatus } from "../../src/core/status.ts";
import { preparePage } from "../../src/sync/page.ts";
import { useTestDatabase } from "../support/test-database.ts";
import { rawRecord, seededTransactions } from "./seeded-records.ts";
import { seedReporting } from "./seed-reporting.ts";

const database = useTestDatabase();

beforeAll(() => seedReporting(database.db));

const recordColumns =
  "account transaction_id status is_final status_date transaction_type provider provider_transaction_id payment_method country source_currency in_amount target_currency out_amount transaction_hash wallet_address api_key record_hash";

/** The contract: these columns, in this order, may be followed by others and by nothing else. */
const contract: Record<string, string> = {
  transactions: `${recordColumns} status_count first_seen_at last_changed_at`,
  transaction_statuses: `${recordColumns} hash_version extra first_seen_at is_latest`,
  sync_coverage: "account covered gaps covered_from covered_to",
  data_freshness: "account data_as_of lag_seconds last_success_at open_windows failed_windows quarantined",
  daily_summary:
    "account day provider transaction_type status source_currency target_currency transactions in_amount out_amount",
  statement_lines:
    "account provider line_id statement_id file_name file_sha256 line_no line_key occurrence version is_current in_force line_type side provider_status status provider_transaction_id our_reference payout_ref fiat_currency fiat_gross fiat_net asset network crypto_amount fee_total fee_processing fee_network fee_partner fee_currency rate net_amount net_currency transaction_hash wallet_address address_tag created_at effective_at extra raw_text imported_at class",
  statements:
    "account provider statement_id file_name file_sha256 profile generated_at period_from period_to period_basis state rows_read rows_accepted rows_restated rows_duplicate rows_rejected totals imported_at imported_by replaces_id withdrawn_at withdrawn_by withdrawn_reason",
  payouts:
    "account provider payout_id payout_ref payout_date currency line_count gross fees refunds chargebacks chargeback_reversals commissions adjustments reserves net_computed net_declared difference transaction_hash status",
  matches:
    "match_id account provider transaction_id record_hash line_id role rule keys state made_by in_expected in_actual in_difference out_expected out_actual out_difference difference_name effective_at matched_at ended_at ended_reason",
  discrepancies:
    "discrepancy_id fingerprint account provider code level subject_kind transaction_id line_id payout_id period expected actual delta currency expected_text actual_text value value_currency since first_seen_at last_changed_at age_days bucket near_period_edge state owner reason resolved_by resolved_at",
};

describe("the schema reporting", () => {
  test.each(Object.entries(contract))("%s keeps its columns", async (view, promised) => {
    const columns = await database.db.query<{ name: string }>(
      `select attname as name from pg_attribute where attrelid = $1::regclass and attnum > 0 order by attnum`,
      [`reporting.${view}`],
    );
    const names = promised.split(" ");
    expect(columns.map(({ name }) => name).slice(0, names.length)).toEqual(names);
  });

  test("holds views and nothing else, and says what it is", async () => {
    const [row] = await database.db.query(
      `select array(select distinct relkind::text from pg_class where relnamespace = n.oid) as kinds,
              (select count(*)::int from pg_proc where pronamespace = n.oid) as functions,
              obj_description(n.oid, 'pg_namespace') as comment
       from pg_namespace as n
       where nspname = 'reporting'`,
    );
    expect(row).toEqual({
      kinds: ["v"],
      functions: 0,
      comment: expect.stringContaining("contract") as string,
    });
  });

  test("rounds no amount: numeric everywhere, and nowhere with a scale", async () => {
    const rounded = await database.db.query(
      `select attrelid::regclass::text as view, attname as column, format_type(atttypid, atttypmod) as type
       from pg_attribute
       where attrelid in (select oid from pg_class where relnamespace = 'reporting'::regnamespace)
         and attname in ('in_amount', 'out_amount')
         and format_type(atttypid, atttypmod) <> 'numeric'`,
    );
    expect(rounded).toEqual([]);
    const [row] = await database.db.query(
      "select out_amount::text as out_amount from reporting.transactions where account = 'acme' and transaction_id = 'T07'",
    );
    expect(row).toEqual({ out_amount: "0.152345678901234567" });
  });
});

describe("transactions and their statuses", () => {
  const all = seededTransactions.flatMap((transaction) =>
    transaction.statuses.map((status) => ({ transaction, raw: rawRecord(transaction, status) })),
  );

  test("every record is there with its hash in hex", async () => {
    const rows = await database.db.query<{ account: string; record_hash: string }>(
      "select account, record_hash from reporting.transaction_statuses",
    );
    const expected = all.map(
      ({ transaction, raw }) => `${transaction.account} ${preparePage([raw]).records[0]?.recordHash}`,
    );
    expect(rows.map((row) => `${row.account} ${row.record_hash}`).toSorted()).toEqual(expected.toSorted());
  });

  test("each transaction has one latest status row, the one that transactions shows", async () => {
    const shown = await database.db.query(
      "select account, transaction_id, record_hash, status, is_final from reporting.transactions order by 1, 2",
    );
    const latest = await database.db.query(
      `select account, transaction_id, record_hash, status, is_final
       from reporting.transaction_statuses
       where is_latest
       order by 1, 2`,
    );
    expect(shown).toHaveLength(seededTransactions.length);
    expect(latest).toEqual(shown);
  });

  test("status_count counts the status rows", async () => {
    const rows = await database.db.query<{ account: string; transaction_id: string; status_count: string }>(
      "select account, transaction_id, status_count from reporting.transactions",
    );
    const counted = new Map(
      rows.map((row) => [`${row.account}/${row.transaction_id}`, Number(row.status_count)]),
    );
    const expected = seededTransactions.map(
      ({ account, id, statuses }) => [`${account}/${id}`, statuses.length] as const,
    );
    expect(counted).toEqual(new Map(expected));
  });

  test("final and unknown mean what they mean in the code", async () => {
    const rows = await database.db.query<{ status: string; is_final: boolean; status_rank: number }>(
      "select distinct status, is_final, status_rank from reporting.transaction_statuses",
    );
    expect(rows.map(({ status }) => status)).toEqual(
      expect.arrayContaining([...finalStatuses, "under_review"]),
    );
    for (const { status, is_final, status_rank } of rows) {
      expect({ status, is_final, unknown: status_rank === 0 }).toEqual({
        status,
        is_final: isFinalStatus(status),
        unknown: !isKnownStatus(status),
      });
    }
  });
});

describe("daily_summary", () => {
  test("adds up to the transactions, currency by currency", async () => {
    const expected = await sumByCurrency("transactions", "count(*)");
    expect(expected).toHaveLength(4);
    expect(await sumByCurrency("daily_summary", "sum(transactions)")).toEqual(expected);
  });

  test("has the same days in every time zone", async () => {
    const expected = await countByDay("UTC");
    expect(expected).toHaveLength(8);
    expect(await countByDay("Pacific/Auckland")).toEqual(expected);
  });
});

async function sumByCurrency(view: string, count: string): Promise<object[]> {
  return database.db.query(
    `select account, source_currency, ${count}::int as transactions, sum(in_amount) as in_amount
     from reporting.${view}
     group by account, source_currency
     order by account, source_currency`,
  );
}

async function countByDay(timeZone: string): Promise<object[]> {
  return database.db.transaction(async (tx) => {
    await tx.query(`set local time zone '${timeZone}'`);
    return tx.query(
      "select day::text, sum(transactions)::int as transactions from reporting.daily_summary group by day order by day",
    );
  });
}

test("matches name whoever made and ended them; the rules have no other name", async () => {
  const names = () =>
    database.db.query(
      "select distinct made_by_name, ended_by_name from reporting.matches order by made_by_name, ended_by_name",
    );
  expect(await names()).toContainEqual({ made_by_name: "rules", ended_by_name: null });
  await database.db.query(
    `update tieout.matches
     set made_by = 'cli:ada', state = 'ended', ended_at = clock_timestamp(), ended_by = 'cli:grace', ended_reason = 'a mistake'
     where id = (select min(id) from tieout.matches where state = 'active')`,
  );
  expect(await names()).toContainEqual({
    made_by_name: "ada (command line)",
    ended_by_name: "grace (command line)",
  });
});
