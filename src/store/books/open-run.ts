import { escapeLiteral } from "pg";
import { columnsOf, inLines } from "../transactions/record-columns.ts";
import { type RecordColumn, recordColumns } from "../../core/record-fields.ts";
import { analyze, execute, isAny, make, type Run } from "./run.ts";

/**
 * Makes the relations that all statements of a run read: what is set (`run_calendar`, `run_tolerance`), what records and
 * statements cover (`run_read`, `run_coverage`), and both sides of the books: `run_transactions`, the latest row of each; `run_versions`,
 * which adds the rows that were latest once and matter still; `run_names`, what the transactions are or were known by; and
 * `run_lines`, the lines in force. A run over everything reads the tables through views; one over what was touched holds its
 * few rows.
 */
export async function openRun(run: Run): Promise<void> {
  await run.tx.query(dropAll);
  await execute(run, settings);
  await execute(run, calendar);
  await execute(run, tolerance);
  await execute(run, read);
  await execute(run, coverage);
  // Each holds a row or a few. Without statistics the planner expects hundreds, and multiplies whatever it joins by them.
  await analyze(run, "run_calendar", "run_tolerance", "run_read", "run_coverage");
  await openSides(run);
}

/** Two runs may share a database transaction: in a preview, and where a person has matched something. */
const dropAll = `
  drop view if exists pg_temp.run_versions, pg_temp.run_transactions, pg_temp.run_names, pg_temp.run_lines;
  drop table if exists ${[
    "run_settings",
    "run_calendar",
    "run_tolerance",
    "run_read",
    "run_coverage",
    "run_odd",
    "held_transactions",
    "held_names",
    "held_lines",
    "run_periods",
    "run_pairs",
    "run_several",
    "run_persons",
    "run_booked",
    "run_rest",
    "run_ambiguous",
    "run_duplicates",
    "run_hash_pairs",
    "run_held",
    "run_near",
    "run_suggestions",
    "run_open_lines",
    "unmatched_lines",
    "run_sought",
    "unmatched_transactions",
    "touched_payouts",
    "touched_payout_lines",
    "run_payout_sums",
    "run_declared",
    "run_payouts",
    "run_found",
    "run_pair",
    "run_conflicts",
    "run_loose",
    "run_history",
    "run_sharing",
    "run_unsettled",
    "run_carried",
    "run_balances",
    "run_charges",
    "run_terms",
    "run_findings",
    "run_holding",
  ]
    .map((table) => `pg_temp.${table}`)
    .join(", ")}`;

/** Of each kind the version for the account and the provider, else the one for all accounts or all providers (`*`). */
const settings = `
  create temp table run_settings on commit drop as
  select distinct on (judged.provider, v.kind) judged.provider, v.kind, v.value
  from unnest(:'providers'::text[]) as judged (provider)
  join tieout.provider_settings as v on v.provider in (judged.provider, '*')
  where v.kind in ('tolerance', 'calendar', 'exclusion')
    and v.name = ''
    and (v.account_id = :account_id or v.account_id is null)
  order by judged.provider, v.kind, v.provider = '*', v.account_id is null, v.version desc`;

/** One row for each provider, whatever is set. */
const calendar = `
  create temp table run_calendar on commit drop as
  select judged.provider,
         make_interval(days => coalesce((v.value ->> 'statement_lag_days')::int, 30)
           + coalesce((v.value ->> 'statement_grace_days')::int, 0)) as statement_patience,
         make_interval(days => coalesce((v.value ->> 'payout_lag_days')::int, 30)
           + coalesce((v.value ->> 'payout_grace_days')::int, 0)) as payout_patience,
         coalesce((v.value ->> 'payout_lag_days')::int, 30) + coalesce((v.value ->> 'payout_grace_days')::int, 0) as payout_days,
         v.value as calendar,
         v.value -> 'minimum_payout' as minimum_payout,
         coalesce((v.value ->> 'statements_with_payout')::boolean, false) as with_payout,
         (v.value ->> 'our_share')::numeric as our_share,
         make_interval(hours => coalesce((v.value ->> 'stale_card_hours')::int, 24)) as stale_card,
         make_interval(hours => coalesce((v.value ->> 'stale_bank_hours')::int, 120)) as stale_bank,
         coalesce((v.value ->> 'rate_tolerance')::numeric, 0.0005) as rate_tolerance
  from unnest(:'providers'::text[]) as judged (provider)
  left join run_settings as v on v.provider = judged.provider and v.kind = 'calendar'`;

const tolerance = `
  create temp table run_tolerance on commit drop as
  select v.provider, coalesce(leg.currency, '*') as currency, coalesce(leg.leg, '*') as leg, leg.absolute_under, leg.absolute_over,
         leg.relative_under, leg.relative_over
  from run_settings as v
  cross join lateral jsonb_to_recordset(case jsonb_typeof(v.value) when 'array' then v.value else '[]' end) as leg (
    currency text, leg text, absolute_under numeric, absolute_over numeric, relative_under numeric, relative_over numeric
  )
  where v.kind = 'tolerance'`;

/** One row: what was read of the aggregator. */
const read = `
  create temp table run_read on commit drop as
  select covered
  from tieout.read_at(array[:account_id::int], 'infinity')`;

/** One row for each provider: what its statements tell about, and what people have excluded. */
const coverage = `
  create temp table run_coverage on commit drop as
  select judged.provider,
         coalesce(told.told, '{}') as told,
         told.first_told,
         coalesce(e.everything, false) as all_excluded,
         e.before as excluded_before,
         coalesce(e.transaction_ids, '{}') as excluded_ids,
         e.saved_at as excluded_since
  from unnest(:'providers'::text[]) as judged (provider)
  left join tieout.coverage_at(array[:account_id::int], 'infinity') as told on told.provider = judged.provider
  left join tieout.exclusions_at(array[:account_id::int], 'infinity', 'infinity') as e on e.provider = judged.provider`;

async function openSides(run: Run): Promise<void> {
  const { tx, scope, accountId, providers } = run;
  if (scope === "touched") {
    await analyze(run, "touched_lines", "touched_transactions");
    await execute(
      run,
      `create temp table held_transactions on commit drop as ${transactions(":account_id", ":'providers'::text[]", touched)}`,
    );
    await execute(run, heldNames);
    await execute(
      run,
      `create temp table held_lines on commit drop as ${lines(":account_id", ":'providers'::text[]", touchedLines)}`,
    );
    await tx.query(
      `create index on held_transactions (transaction_id); create index on held_lines (id);
       create temp view run_transactions as select * from held_transactions;
       create temp view run_names as select * from held_names;
       create temp view run_lines as select * from held_lines`,
    );
    await analyze(run, "held_transactions", "held_names", "held_lines");
  } else {
    // A view takes no parameters; with the values in its text the planner knows how many rows to expect.
    const account = String(accountId);
    const names = `array[${providers.map(escapeLiteral).join(", ")}]`;
    await tx.query(`create temp view run_transactions as ${transactions(account, names, "")}`);
    await tx.query(
      `create temp view run_names as
       select k.name_hash, k.kind, k.key, k.transaction_id
       from tieout.transaction_keys as k
       where k.account_id = ${account}`,
    );
    await tx.query(`create temp view run_lines as ${lines(account, names, "")}`);
  }
  const hasOdd = await isAny(run, "from tieout.odd_histories where account_id = :account_id");
  await make(run, "run_odd", odd, { empty: !hasOdd });
  if (hasOdd) {
    await tx.query("create index on run_odd (transaction_id)");
    await analyze(run, "run_odd");
  }
  await tx.query(versions);
}

/** Every name of these few is known by now: the table of names, with all its months, need not be read again. */
const heldNames = `
  create temp table held_names on commit drop as
  select tieout.name_hash(:account_id, kind, key) as name_hash, kind, key, transaction_id
  from touched_names`;

const touched = "join pg_temp.touched_transactions using (transaction_id)";
const touchedLines = "join pg_temp.touched_lines as touched on touched.line_id = l.id";

/** The provider is spelled in one way here, and nothing about the books asks for the others. */
const leftOut = new Set<RecordColumn>(["provider", "hash_version", "country", "api_key"]);
const kept = recordColumns.filter((column) => !leftOut.has(column));
const recordColumnsOf = (table: string) => inLines(9, columnsOf(table, ["account_id", ...kept]));

/** With their legs told apart: which one is fiat is decided by the currency, never by the place. */
const legs = `source.is_fiat as in_is_fiat,
         coalesce(source.code, t.source_currency) as in_code,
         source.network as in_network,
         source.places as in_places,
         target.is_fiat as out_is_fiat,
         coalesce(target.code, t.target_currency) as out_code,
         target.network as out_network,
         target.places as out_places,
         case when source.is_fiat then source.code when target.is_fiat then target.code end as fiat_currency,
         case when source.is_fiat then t.in_amount when target.is_fiat then t.out_amount end as fiat_amount,
         case when source.is_fiat then coalesce(target.code, t.target_currency) else coalesce(source.code, t.source_currency) end as asset,
         case when source.is_fiat then t.out_amount else t.in_amount end as crypto_amount,
         case when source.is_fiat then target.places else source.places end as crypto_places`;

const words = `
  left join tieout.currency_words as source on source.word = t.source_currency
  left join tieout.currency_words as target on target.word = t.target_currency`;

const transactions = (account: string, providers: string, narrowed: string) => `
  select ${recordColumnsOf("t")},
         t.is_final,
         lower(coalesce(t.provider, '')) as provider,
         ${legs}
  from tieout.transactions as t
  ${narrowed}${words}
  where t.account_id = ${account}
    and lower(coalesce(t.provider, '')) = any (${providers})`;

/** A charge on the in leg compares with gross, on the out leg with net: `fiat_amount` is the one that its side means. */
const lines = (account: string, providers: string, narrowed: string) => `
  select l.*,
         tieout.moved_money(l.status) as moved_money,
         tieout.comparable_id(l.provider_transaction_id) as id_key,
         tieout.comparable_id(l.our_reference) as reference_key,
         tieout.comparable_hash(l.transaction_hash) as hash_key,
         coalesce(l.net_currency, l.fiat_currency) as currency,
         tieout.line_amount(l.side, l.fiat_gross, l.fiat_net) as fiat_amount,
         abs(l.net_amount) as owed
  from tieout.lines_at(array[${account}::int], 'infinity') as l
  ${narrowed}
  where l.provider = any (${providers})`;

/** The rows that were latest once, of transactions whose history is odd: each until the next came. */
const odd = `
  select ${recordColumnsOf("t")},
         t.status in ('completed', 'failed', 'canceled') as is_final,
         lower(coalesce(t.provider, '')) as provider,
         ${legs},
         t.status_date as holds_from,
         t.until as holds_to
  from (
    select s.*, lead(s.status_date) over (
             partition by s.transaction_id order by s.status_date, s.status_rank, s.record_hash
           ) as until
    from tieout.odd_histories as o
    join run_transactions as latest on latest.transaction_id = o.transaction_id
    join tieout.transaction_statuses as s on s.account_id = o.account_id and s.transaction_id = o.transaction_id
    where o.account_id = :account_id
  ) as t${words}
  where t.until > t.status_date`;

const versions = `
  create temp view run_versions as
  select t.*, t.status_date as holds_from, 'infinity'::timestamptz as holds_to, true as is_latest
  from run_transactions as t
  union all
  select o.*, false
  from run_odd as o`;
