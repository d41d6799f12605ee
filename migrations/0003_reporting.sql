-- The SQL surface for people: schema `reporting`, views only, a contract like an API. Columns are only ever added, at the
-- end, which is all that `create or replace view` permits. A query pays for what it selects: joins are left joins on a
-- whole key, which the planner drops when none of their columns is selected, and counts are subqueries in the select list.

create schema reporting;

comment on schema reporting is 'For questions in SQL: views only, and a contract. Names equal those of the API, columns are only ever added, and everything is in UTC. Read data_freshness first.';

-- ---------------------------------------------------------------------------------------------------------------------
-- Who sees what: readers of one person have accounts, and wallets only where they were given them
-- ---------------------------------------------------------------------------------------------------------------------

-- By session_user, which nobody can change without another login. Each view asks once a query, in a subquery of its own, and
-- not for every row. A login with the name of such a reader that is not in the table was removed, and sees nothing.
create function tieout.reads_all() returns boolean
language sql stable parallel safe security definer
set search_path = pg_catalog, pg_temp
as $$
  select coalesce((select r.account_ids is null from tieout.reader_roles as r where r.role_name = session_user),
                  session_user not like 'tieout\_reader\_%')
$$;

comment on function tieout.reads_all() is 'Whether whoever is logged in sees all accounts.';

create function tieout.readable_accounts() returns integer[]
language sql stable parallel safe security definer
set search_path = pg_catalog, pg_temp
as $$
  select coalesce((select r.account_ids from tieout.reader_roles as r where r.role_name = session_user), '{}')
$$;

comment on function tieout.readable_accounts() is 'The accounts that whoever is logged in sees, where that is not all of them.';

create function tieout.reads_wallets() returns boolean
language sql stable parallel safe security definer
set search_path = pg_catalog, pg_temp
as $$
  select coalesce((select r.wallets from tieout.reader_roles as r where r.role_name = session_user),
                  session_user not like 'tieout\_reader\_%')
$$;

comment on function tieout.reads_wallets() is 'Whether whoever is logged in sees wallet addresses, original rows and fields that nobody knows.';

create function tieout.masked_wallet(wallet text) returns text
language sql immutable parallel safe as $$
  select case when length(wallet) > 12 then left(wallet, 6) || '…' || right(wallet, 4) when wallet <> '' then '…' else wallet end
$$;

comment on function tieout.masked_wallet(text) is 'A wallet address as those see it who may not see it whole.';

-- So many letters and digits in a row are the address of a wallet, or a long number of an account, of which both ends show as well.
create function tieout.masked_text(words text) returns text
language sql immutable parallel safe as $$
  select regexp_replace(words, '([A-Za-z0-9]{6})[A-Za-z0-9]{16,}([A-Za-z0-9]{4})', '\1…\2', 'g')
$$;

comment on function tieout.masked_text(text) is 'A text of somebody else, with the wallets in it as those see them who may not see them whole.';

-- ---------------------------------------------------------------------------------------------------------------------
-- Transactions
-- ---------------------------------------------------------------------------------------------------------------------

create view reporting.transactions as
select a.name as account,
       t.transaction_id,
       t.status,
       t.is_final,
       t.status_date,
       t.transaction_type,
       t.provider,
       t.provider_transaction_id,
       t.payment_method,
       t.country,
       t.source_currency,
       t.in_amount,
       t.target_currency,
       t.out_amount,
       t.transaction_hash,
       case when (select tieout.reads_wallets()) then t.wallet_address else tieout.masked_wallet(t.wallet_address) end as wallet_address,
       t.api_key,
       encode(t.record_hash, 'hex') as record_hash,
       (select count(*)
        from tieout.transaction_statuses as s
        where s.account_id = t.account_id
          and s.transaction_id = t.transaction_id) as status_count,
       t.first_seen_at,
       t.last_changed_at,
       t.missing_since,
       t.status_rank,
       t.hash_version,
       case when (select tieout.reads_wallets()) then t.extra end as extra,
       judged.class
from tieout.transactions as t
left join tieout.accounts as a on a.id = t.account_id
left join (
  select c.account_id, c.transaction_id, min(c.class) as class
  from tieout.transaction_classes_now() as c
  group by c.account_id, c.transaction_id          -- one each: so that nobody pays for it who does not ask
) as judged on judged.account_id = t.account_id and judged.transaction_id = t.transaction_id
where (select tieout.reads_all()) or t.account_id = any ((select tieout.readable_accounts())::integer[]);

comment on view reporting.transactions is 'One row per transaction: its latest status row. A transaction that the aggregator no longer serves stays here; see missing_since.';
comment on column reporting.transactions.account is 'Account, by its name in the configuration.';
comment on column reporting.transactions.transaction_id is 'The aggregator''s id: opaque text, unique within the account.';
comment on column reporting.transactions.status is 'Latest status: new, pending, paid, canceled, failed or completed; other spellings are folded, an unknown word is kept as received.';
comment on column reporting.transactions.is_final is 'Whether this status normally no longer changes: canceled, failed and completed.';
comment on column reporting.transactions.status_date is 'The aggregator''s time of this status; not of the transaction''s creation. Indexed.';
comment on column reporting.transactions.transaction_type is 'buy (fiat to crypto) or sell (crypto to fiat).';
comment on column reporting.transactions.provider is 'The provider that carries it out: the aggregator''s onramp.';
comment on column reporting.transactions.provider_transaction_id is 'The provider''s own id; may be empty early on. Indexed.';
comment on column reporting.transactions.payment_method is 'Payment method as received; one method may have several spellings.';
comment on column reporting.transactions.country is 'Country code of the customer as received, normally lower case.';
comment on column reporting.transactions.source_currency is 'What the customer gives; the currency of in_amount.';
comment on column reporting.transactions.in_amount is 'How much the customer gives, exactly as received.';
comment on column reporting.transactions.target_currency is 'What the customer gets, asset and network joined by an underscore; the currency of out_amount.';
comment on column reporting.transactions.out_amount is 'How much the customer gets, exactly as received; before completed an estimate or 0.';
comment on column reporting.transactions.transaction_hash is 'The chain''s hash as received; empty until one exists. Several transactions may share one: payouts come in batches. Indexed.';
comment on column reporting.transactions.wallet_address is 'The customer''s address as received.';
comment on column reporting.transactions.api_key is 'Key identifier of the account as the record states it.';
comment on column reporting.transactions.record_hash is 'SHA-256 of the normalised record in hex: the identity of this content.';
comment on column reporting.transactions.status_count is 'How many distinct records of this transaction have been seen. Counted only when asked for.';
comment on column reporting.transactions.first_seen_at is 'When we first read any record of this transaction.';
comment on column reporting.transactions.last_changed_at is 'When its latest status row last changed here. Indexed: follow changes by it.';
comment on column reporting.transactions.missing_since is 'When a deep re-read first found it neither listed nor served by its id; normally null.';
comment on column reporting.transactions.status_rank is 'Decides between status rows of one status_date; 0 marks a status we do not know.';
comment on column reporting.transactions.hash_version is 'Version of the canonical form that record_hash was made of.';
comment on column reporting.transactions.extra is 'Fields of the record that the specification does not name; null when there are none.';
comment on column reporting.transactions.class is 'Of a completed transaction: matched, pending, discrepant or excluded; else null.';

create view reporting.transaction_statuses as
select a.name as account,
       s.transaction_id,
       s.status,
       s.status in ('canceled', 'failed', 'completed') as is_final,
       s.status_date,
       s.transaction_type,
       s.provider,
       s.provider_transaction_id,
       s.payment_method,
       s.country,
       s.source_currency,
       s.in_amount,
       s.target_currency,
       s.out_amount,
       s.transaction_hash,
       case when (select tieout.reads_wallets()) then s.wallet_address else tieout.masked_wallet(s.wallet_address) end as wallet_address,
       s.api_key,
       encode(s.record_hash, 'hex') as record_hash,
       s.hash_version,
       case when (select tieout.reads_wallets()) then s.extra end as extra,
       s.first_seen_at,
       t.transaction_id is not null as is_latest,
       s.status_rank,
       s.received_status,
       s.window_id
from tieout.transaction_statuses as s
left join tieout.accounts as a on a.id = s.account_id
left join tieout.transactions as t
  on t.account_id = s.account_id
 and t.transaction_id = s.transaction_id
 and t.record_hash = s.record_hash
where (select tieout.reads_all()) or s.account_id = any ((select tieout.readable_accounts())::integer[]);

comment on view reporting.transaction_statuses is 'One row per distinct record ever seen: the history. Append-only. Sort order: status_date, status_rank, record_hash.';
comment on column reporting.transaction_statuses.account is 'Account, by its name in the configuration.';
comment on column reporting.transaction_statuses.transaction_id is 'The aggregator''s id: opaque text, unique within the account.';
comment on column reporting.transaction_statuses.status is 'Status in this record: new, pending, paid, canceled, failed or completed; other spellings are folded, an unknown word is kept as received.';
comment on column reporting.transaction_statuses.is_final is 'Whether this status normally no longer changes: canceled, failed and completed.';
comment on column reporting.transaction_statuses.status_date is 'The aggregator''s time of this status. Indexed together with the account.';
comment on column reporting.transaction_statuses.transaction_type is 'buy (fiat to crypto) or sell (crypto to fiat).';
comment on column reporting.transaction_statuses.provider is 'The provider that carries it out: the aggregator''s onramp.';
comment on column reporting.transaction_statuses.provider_transaction_id is 'The provider''s own id; may be empty early on, and may change.';
comment on column reporting.transaction_statuses.payment_method is 'Payment method as received; one method may have several spellings.';
comment on column reporting.transaction_statuses.country is 'Country code of the customer as received, normally lower case.';
comment on column reporting.transaction_statuses.source_currency is 'What the customer gives; the currency of in_amount.';
comment on column reporting.transaction_statuses.in_amount is 'How much the customer gives, exactly as received.';
comment on column reporting.transaction_statuses.target_currency is 'What the customer gets, asset and network joined by an underscore; the currency of out_amount.';
comment on column reporting.transaction_statuses.out_amount is 'How much the customer gets, exactly as received; before completed an estimate or 0.';
comment on column reporting.transaction_statuses.transaction_hash is 'The chain''s hash as received; empty until one exists.';
comment on column reporting.transaction_statuses.wallet_address is 'The customer''s address as received.';
comment on column reporting.transaction_statuses.api_key is 'Key identifier of the account as the record states it.';
comment on column reporting.transaction_statuses.record_hash is 'SHA-256 of the normalised record in hex: the identity of this row within its transaction.';
comment on column reporting.transaction_statuses.hash_version is 'Version of the canonical form that record_hash was made of.';
comment on column reporting.transaction_statuses.extra is 'Fields of the record that the specification does not name; null when there are none.';
comment on column reporting.transaction_statuses.first_seen_at is 'When we first read this record; status_date is the aggregator''s clock, this is ours.';
comment on column reporting.transaction_statuses.is_latest is 'Whether this is the row that reporting.transactions shows. Looked up only when asked for.';
comment on column reporting.transaction_statuses.status_rank is 'Decides between status rows of one status_date; 0 marks a status we do not know.';
comment on column reporting.transaction_statuses.received_status is 'The word received, where it was folded into another; otherwise null.';
comment on column reporting.transaction_statuses.window_id is 'The window that first read it; see reporting.sync_windows.';

-- Day by day, because a filter on the day of a time cannot use an index on the time: so it chooses the days, and each of
-- them is a range.
create view reporting.daily_summary as
select a.name as account,
       days.day,
       t.provider,
       t.transaction_type,
       t.status,
       t.source_currency,
       t.target_currency,
       count(*) as transactions,
       sum(t.in_amount) as in_amount,
       sum(t.out_amount) as out_amount
from (
  select day::date as day
  from (select min(status_date) as first_at, max(status_date) as last_at from tieout.transactions) as extent,
       generate_series(date_trunc('day', extent.first_at at time zone 'UTC'), extent.last_at at time zone 'UTC', interval '1 day') as day
) as days
join tieout.transactions as t
  on t.status_date >= days.day::timestamp at time zone 'UTC'
 and t.status_date < (days.day + 1)::timestamp at time zone 'UTC'
left join tieout.accounts as a on a.id = t.account_id
where (select tieout.reads_all()) or t.account_id = any ((select tieout.readable_accounts())::integer[])
group by a.name, days.day, t.provider, t.transaction_type, t.status, t.source_currency, t.target_currency;

comment on view reporting.daily_summary is 'One row per account, UTC day of the latest status, provider, type, status and pair of currencies. A filter on day uses an index; one on a part or a function of it does not. Vanished transactions are counted too.';
comment on column reporting.daily_summary.account is 'Account, by its name in the configuration.';
comment on column reporting.daily_summary.day is 'UTC day of status_date: of the latest status, not of the transaction''s creation. Indexed.';
comment on column reporting.daily_summary.provider is 'The provider: the aggregator''s onramp.';
comment on column reporting.daily_summary.transaction_type is 'buy or sell.';
comment on column reporting.daily_summary.status is 'Latest status.';
comment on column reporting.daily_summary.source_currency is 'What customers gave; the currency of in_amount.';
comment on column reporting.daily_summary.target_currency is 'What customers got; the currency of out_amount.';
comment on column reporting.daily_summary.transactions is 'Number of transactions.';
comment on column reporting.daily_summary.in_amount is 'Sum of in_amount, exact; null when no record states one.';
comment on column reporting.daily_summary.out_amount is 'Sum of out_amount, exact; before completed it holds estimates. Null when no record states one.';

-- ---------------------------------------------------------------------------------------------------------------------
-- Sync: what has been read, how current it is, and what is in the way
-- ---------------------------------------------------------------------------------------------------------------------

create view reporting.sync_coverage as
select a.name as account,
       a.covered,
       tstzmultirange(tstzrange(a.sync_start, greatest(a.sync_start, plan.planned_to))) - a.covered as gaps,
       lower(a.covered) as covered_from,
       upper(a.covered) as covered_to,
       a.sync_start,
       plan.planned_to
from tieout.accounts as a
cross join lateral (
  select max(w.range_to) as planned_to
  from tieout.sync_windows as w
  where w.account_id = a.id
    and w.kind in ('live', 'backfill')
) as plan
where (select tieout.reads_all()) or a.id = any ((select tieout.readable_accounts())::integer[]);

comment on view reporting.sync_coverage is 'One row per account: which time has provably been read, and which has not.';
comment on column reporting.sync_coverage.account is 'Account, by its name in the configuration.';
comment on column reporting.sync_coverage.covered is 'Union of the sealed windows: every listing of this time was read to its explicit end.';
comment on column reporting.sync_coverage.gaps is 'What is missing between sync_start and planned_to. Empty means complete; unnest(gaps) gives one row a gap.';
comment on column reporting.sync_coverage.covered_from is 'Start of the earliest covered range; gaps may follow.';
comment on column reporting.sync_coverage.covered_to is 'End of the latest covered range; gaps may come before.';
comment on column reporting.sync_coverage.sync_start is 'How far back the account is read.';
comment on column reporting.sync_coverage.planned_to is 'How far the plan reaches: the greatest end of a live or backfill window; null before the first plan.';

create view reporting.data_freshness as
select a.name as account,
       complete.up_to as data_as_of,
       extract(epoch from now() - complete.up_to)::double precision as lag_seconds,
       a.last_success_at,
       (select count(*)
        from tieout.sync_windows as w
        where w.account_id = a.id
          and w.state in ('planned', 'walking')) as open_windows,
       (select count(*)
        from tieout.sync_windows as w
        where w.account_id = a.id
          and w.state = 'failed') as failed_windows,
       (select count(*)
        from tieout.quarantined_records as q
        where q.account_id = a.id) as quarantined,
       trouble.state,
       case when trouble.state = 'failing' then a.last_error else a.paused_reason end as state_reason,
       case when trouble.state = 'failing' then a.failing_since else a.paused_at end as state_since
from tieout.accounts as a
cross join lateral (             -- single requests fail every day; for two minutes not one was answered
  select case when a.state = 'active' and a.failing_since < now() - interval '2 minutes' then 'failing'
              else a.state end as state
) as trouble
cross join lateral (             -- live windows follow the clock without a gap, so what they have not read is where it ends
  select least(upper(a.covered), lower(range_agg(tstzrange(w.range_from, w.range_to)) - a.covered)) as up_to
  from tieout.sync_windows as w
  where w.account_id = a.id
    and w.kind = 'live'
    and w.state in ('planned', 'walking', 'failed')
    and not isempty(a.covered)
) as complete
where (select tieout.reads_all()) or a.id = any ((select tieout.readable_accounts())::integer[]);

comment on view reporting.data_freshness is 'One row per account: how current is the data, and is anything in the way?';
comment on column reporting.data_freshness.account is 'Account, by its name in the configuration.';
comment on column reporting.data_freshness.data_as_of is 'Everything that the aggregator listed up to this time has been read, back to where coverage begins (sync_coverage shows older gaps); null before the first window was read.';
comment on column reporting.data_freshness.lag_seconds is 'Seconds from data_as_of to now.';
comment on column reporting.data_freshness.last_success_at is 'When the aggregator last answered a request for records, to within five seconds.';
comment on column reporting.data_freshness.open_windows is 'Windows planned or being walked, of all kinds.';
comment on column reporting.data_freshness.failed_windows is 'Windows given up for now: look at their error; they are tried again later. See reporting.sync_windows.';
comment on column reporting.data_freshness.quarantined is 'Records that could not be understood; see reporting.quarantined_records.';
comment on column reporting.data_freshness.state is 'active; failing when no request for records has been answered for two minutes; refused when the aggregator refuses the account''s key or secret; paused by a person.';
comment on column reporting.data_freshness.state_reason is 'Why it is not active: the last error, or which credentials to correct, or what the person said.';
comment on column reporting.data_freshness.state_since is 'Since when it is not active.';

create view reporting.sync_windows as
select a.name as account,
       w.id as window_id,
       w.kind,
       w.range_from,
       w.range_to,
       w.state,
       w.pages,
       w.read,
       w.added,
       w.quarantined,
       w.vanished,
       w.failures,
       w.restarts,
       w.error_code,
       w.error,
       w.ended_by,
       w.planned_at,
       w.started_at,
       w.sealed_at,
       w.not_before,
       w.parent_id
from tieout.sync_windows as w
left join tieout.accounts as a on a.id = w.account_id
where (select tieout.reads_all()) or w.account_id = any ((select tieout.readable_accounts())::integer[]);

comment on view reporting.sync_windows is 'One row per window ever planned: a time range read from the aggregator page by page.';
comment on column reporting.sync_windows.account is 'Account, by its name in the configuration.';
comment on column reporting.sync_windows.window_id is 'Number of the window.';
comment on column reporting.sync_windows.kind is 'live follows the clock, backfill goes back to the start, lookback and deep read again, refresh reads open transactions by id, event those that the aggregator has told of.';
comment on column reporting.sync_windows.range_from is 'Start of the time range, included.';
comment on column reporting.sync_windows.range_to is 'End of the time range, excluded.';
comment on column reporting.sync_windows.state is 'planned, walking (leased by a worker), sealed (read to its explicit end), split into parts, or failed (tried again later).';
comment on column reporting.sync_windows.pages is 'Pages kept.';
comment on column reporting.sync_windows.read is 'Records read, known ones included.';
comment on column reporting.sync_windows.added is 'Status rows that were new.';
comment on column reporting.sync_windows.quarantined is 'Records that could not be understood.';
comment on column reporting.sync_windows.vanished is 'Transactions that a deep re-read no longer found.';
comment on column reporting.sync_windows.failures is 'Failures in a row without a page in between.';
comment on column reporting.sync_windows.restarts is 'How often in a row the walk started over because its cursors led nowhere; parts continue their parent''s count.';
comment on column reporting.sync_windows.error_code is 'The last failure, as a code.';
comment on column reporting.sync_windows.error is 'The last failure, in words.';
comment on column reporting.sync_windows.ended_by is 'How the end of the listing was signalled: absent, empty_echo or ids.';
comment on column reporting.sync_windows.planned_at is 'When it was planned.';
comment on column reporting.sync_windows.started_at is 'When it was first leased by a worker.';
comment on column reporting.sync_windows.sealed_at is 'When it was sealed.';
comment on column reporting.sync_windows.not_before is 'Not tried again before this time.';
comment on column reporting.sync_windows.parent_id is 'The window that this one is a part of.';

create view reporting.sync_findings as
select a.name as account,
       f.transaction_id,
       f.finding,
       f.found_at,
       f.window_id
from tieout.sync_findings as f
left join tieout.accounts as a on a.id = f.account_id
where (select tieout.reads_all()) or f.account_id = any ((select tieout.readable_accounts())::integer[]);

comment on view reporting.sync_findings is 'What deep re-reads found to differ from what we had, one row per window, transaction and finding.';
comment on column reporting.sync_findings.account is 'Account, by its name in the configuration.';
comment on column reporting.sync_findings.transaction_id is 'The transaction.';
comment on column reporting.sync_findings.finding is 'appeared (was not known), changed (has a new status row), vanished (is no longer served), returned (is served again).';
comment on column reporting.sync_findings.found_at is 'When it was found.';
comment on column reporting.sync_findings.window_id is 'The window that found it; see reporting.sync_windows.';

create view reporting.quarantined_records as
select a.name as account,
       q.reason,
       q.field,
       case when (select tieout.reads_wallets()) then q.raw end as raw,
       encode(q.raw_hash, 'hex') as raw_hash,
       q.first_seen_at,
       q.last_seen_at,
       q.window_id
from tieout.quarantined_records as q
left join tieout.accounts as a on a.id = q.account_id
where (select tieout.reads_all()) or q.account_id = any ((select tieout.readable_accounts())::integer[]);

comment on view reporting.quarantined_records is 'Records that could not be understood, once per distinct text. None of them is in the other views.';
comment on column reporting.quarantined_records.account is 'Account, by its name in the configuration.';
comment on column reporting.quarantined_records.reason is 'Why it could not be understood, as a code.';
comment on column reporting.quarantined_records.field is 'The field at fault, in the aggregator''s spelling; null when it is the record as a whole.';
comment on column reporting.quarantined_records.raw is 'The record as received.';
comment on column reporting.quarantined_records.raw_hash is 'SHA-256 of raw in hex.';
comment on column reporting.quarantined_records.first_seen_at is 'When it was first seen.';
comment on column reporting.quarantined_records.last_seen_at is 'When it was last seen; updated at most once a day.';
comment on column reporting.quarantined_records.window_id is 'The window that first read it; see reporting.sync_windows.';

-- ---------------------------------------------------------------------------------------------------------------------
-- Statements
-- ---------------------------------------------------------------------------------------------------------------------

create view reporting.statements as
select a.name as account,
       s.provider,
       s.id as statement_id,
       s.file_name,
       encode(s.sha256, 'hex') as file_sha256,
       s.profile,
       s.generated_at,
       s.period_from,
       s.period_to,
       s.period_basis,
       s.state,
       s.rows_read,
       s.rows_accepted,
       s.rows_restated,
       s.rows_duplicate,
       s.rows_rejected,
       s.totals,
       s.imported_at,
       s.imported_by,
       s.replaces_id,
       s.withdrawn_at,
       s.withdrawn_by,
       s.withdrawn_reason,
       tieout.actor_name(s.imported_by) as imported_by_name,
       tieout.actor_name(s.withdrawn_by) as withdrawn_by_name
from tieout.statements as s
left join tieout.accounts as a on a.id = s.account_id
where (select tieout.reads_all()) or s.account_id = any ((select tieout.readable_accounts())::integer[]);

comment on view reporting.statements is 'The providers'' files as they were imported. Grain: one row per file, withdrawn ones too.';
comment on column reporting.statements.account is 'Name of the account.';
comment on column reporting.statements.provider is 'The provider.';
comment on column reporting.statements.statement_id is 'Our number for the file.';
comment on column reporting.statements.file_name is 'Its name.';
comment on column reporting.statements.file_sha256 is 'SHA-256 of its bytes, hexadecimal.';
comment on column reporting.statements.profile is 'How its columns were read.';
comment on column reporting.statements.generated_at is 'When the provider made it, as far as anything tells.';
comment on column reporting.statements.period_from is 'Start of the period it covers, included.';
comment on column reporting.statements.period_to is 'End of that period, excluded.';
comment on column reporting.statements.period_basis is 'activity: it lists everything completed in its period; settlement: everything settled in it; summary: it lists no orders.';
comment on column reporting.statements.state is 'imported, or withdrawn: its lines no longer count.';
comment on column reporting.statements.rows_read is 'Rows with data: accepted, duplicate and rejected together.';
comment on column reporting.statements.rows_accepted is 'Rows that became a line or a new version of one.';
comment on column reporting.statements.rows_restated is 'Of these, new versions.';
comment on column reporting.statements.rows_duplicate is 'Rows that were already known.';
comment on column reporting.statements.rows_rejected is 'Rows that were rejected, each with its reason.';
comment on column reporting.statements.totals is 'Control totals by currency and payout.';
comment on column reporting.statements.imported_at is 'When it was imported.';
comment on column reporting.statements.imported_by is 'By whom.';
comment on column reporting.statements.imported_by_name is 'Their name.';
comment on column reporting.statements.replaces_id is 'The file that it replaced.';
comment on column reporting.statements.withdrawn_at is 'When it was withdrawn.';
comment on column reporting.statements.withdrawn_by is 'By whom.';
comment on column reporting.statements.withdrawn_by_name is 'Their name.';
comment on column reporting.statements.withdrawn_reason is 'Why.';

-- `class` says how far a line is tied out, `pending_code` what it still waits for; both as the itemised report has them.
-- A balance is matched when there is one before it, and discrepant when the lines in between do not explain it.
create view reporting.statement_lines as
select a.name as account,
       l.provider,
       l.id as line_id,
       coalesce(c.statement_id, l.statement_id) as statement_id,
       s.file_name,
       encode(s.sha256, 'hex') as file_sha256,
       coalesce(c.line_no, l.line_no) as line_no,
       l.line_key,
       l.occurrence,
       l.version,
       r.line_id is null as is_current,
       r.reason is distinct from 'withdrawn' as in_force,
       l.line_type,
       l.side,
       l.provider_status,
       l.status,
       l.provider_transaction_id,
       l.our_reference,
       l.payout_ref,
       l.fiat_currency,
       l.fiat_gross,
       l.fiat_net,
       l.asset,
       l.network,
       l.crypto_amount,
       l.fee_total,
       l.fee_processing,
       l.fee_network,
       l.fee_partner,
       l.fee_currency,
       l.rate,
       l.net_amount,
       l.net_currency,
       l.transaction_hash,
       case when (select tieout.reads_wallets()) then l.wallet_address else tieout.masked_wallet(l.wallet_address) end as wallet_address,
       case when (select tieout.reads_wallets()) then l.address_tag end as address_tag,
       l.created_at,
       l.effective_at,
       case when (select tieout.reads_wallets()) then l.extra end as extra,
       (select w.original_text
        from tieout.statement_rows as w
        where (select tieout.reads_wallets())
          and w.statement_id = coalesce(c.statement_id, l.statement_id)
          and w.line_no = coalesce(c.line_no, l.line_no)) as raw_text,
       l.imported_at,
       judged.class,
       judged.pending_code
from tieout.statement_lines as l
left join tieout.accounts as a on a.id = l.account_id
left join tieout.line_carriers as c on c.line_id = l.id and c.until_at is null
left join tieout.statements as s on s.id = coalesce(c.statement_id, l.statement_id)
left join tieout.line_retirements as r on r.line_id = l.id and r.restored_at is null
left join (
  select j.line_id, min(j.class) as class, min(j.pending_code) as pending_code
  from tieout.line_classes_now() as j
  group by j.line_id                 -- one each: so that nobody pays for it who does not ask
) as judged on judged.line_id = l.id
where (select tieout.reads_all()) or l.account_id = any ((select tieout.readable_accounts())::integer[]);

comment on view reporting.statement_lines is 'Every version of every line of the providers'' statements. Grain: one row per version; is_current and in_force for those that count.';
comment on column reporting.statement_lines.account is 'Name of the account.';
comment on column reporting.statement_lines.provider is 'The provider.';
comment on column reporting.statement_lines.line_id is 'Our number for this version of the line.';
comment on column reporting.statement_lines.statement_id is 'The statement that carries it: of those in force the newest.';
comment on column reporting.statement_lines.file_name is 'Name of that file.';
comment on column reporting.statement_lines.file_sha256 is 'SHA-256 of that file, hexadecimal.';
comment on column reporting.statement_lines.line_no is 'The line of that file.';
comment on column reporting.statement_lines.line_key is 'What identifies the line within account and provider.';
comment on column reporting.statement_lines.occurrence is '1, 2, 3 among identical rows of one file.';
comment on column reporting.statement_lines.version is 'Version of the line, in the order of arrival.';
comment on column reporting.statement_lines.is_current is 'Whether this version counts; the other versions of its line do not.';
comment on column reporting.statement_lines.in_force is 'Whether a statement that has this version is still imported.';
comment on column reporting.statement_lines.line_type is 'charge, refund, chargeback, chargeback_reversal, fee, commission, adjustment, reserve, payout, balance or commission_total.';
comment on column reporting.statement_lines.side is 'buy or sell.';
comment on column reporting.statement_lines.provider_status is 'The status in the provider''s own word.';
comment on column reporting.statement_lines.status is 'The same in our terms.';
comment on column reporting.statement_lines.provider_transaction_id is 'The provider''s id of the transaction.';
comment on column reporting.statement_lines.our_reference is 'Our id or the client''s, as the provider repeats it.';
comment on column reporting.statement_lines.payout_ref is 'The payout that the line belongs to.';
comment on column reporting.statement_lines.fiat_currency is 'ISO 4217, upper case.';
comment on column reporting.statement_lines.fiat_gross is 'Fiat before fees.';
comment on column reporting.statement_lines.fiat_net is 'Fiat after fees.';
comment on column reporting.statement_lines.asset is 'Code of the crypto asset, lower case.';
comment on column reporting.statement_lines.network is 'Its network.';
comment on column reporting.statement_lines.crypto_amount is 'Crypto amount in major units.';
comment on column reporting.statement_lines.fee_total is 'All fees the customer paid.';
comment on column reporting.statement_lines.fee_processing is 'Of these, the provider''s own.';
comment on column reporting.statement_lines.fee_network is 'Of these, the network''s.';
comment on column reporting.statement_lines.fee_partner is 'Our share.';
comment on column reporting.statement_lines.fee_currency is 'Currency of the fees.';
comment on column reporting.statement_lines.rate is 'The rate as printed.';
comment on column reporting.statement_lines.net_amount is 'What the line adds to what the provider owes us; of a payout line, the net it declares; of a balance, what it states: neither is to be added up with the others.';
comment on column reporting.statement_lines.net_currency is 'Currency of net_amount.';
comment on column reporting.statement_lines.transaction_hash is 'The chain''s hash as received.';
comment on column reporting.statement_lines.wallet_address is 'Destination address.';
comment on column reporting.statement_lines.address_tag is 'Tag or memo of the destination.';
comment on column reporting.statement_lines.created_at is 'When the order was placed.';
comment on column reporting.statement_lines.effective_at is 'When it took effect; of a balance, the time it is stated for.';
comment on column reporting.statement_lines.extra is 'Columns that the profile does not map.';
comment on column reporting.statement_lines.raw_text is 'The row exactly as it is in the file.';
comment on column reporting.statement_lines.imported_at is 'When this version was stored.';
comment on column reporting.statement_lines.class is 'matched, pending, discrepant or excluded; empty for versions that do not count.';
comment on column reporting.statement_lines.pending_code is 'What a line that is pending or matched still waits for: awaiting_records (its time has not been read from the aggregator yet), awaiting_payout, or in_transit_at_cutoff (its payout is dated later); else empty.';

-- ---------------------------------------------------------------------------------------------------------------------
-- Reconciliation
-- ---------------------------------------------------------------------------------------------------------------------

create view reporting.payouts as
select a.name as account,
       p.provider,
       p.id as payout_id,
       p.payout_ref,
       p.payout_date,
       p.currency,
       p.line_count,
       p.gross,
       p.fees,
       p.refunds,
       p.chargebacks,
       p.chargeback_reversals,
       p.commissions,
       p.adjustments,
       p.reserves,
       p.net_computed,
       p.net_declared,
       p.difference,
       p.transaction_hash,
       tieout.payout_status(p.status, p.payout_date, now()) as status,
       p.first_seen_at,
       p.last_changed_at,
       arrived.received as received_amount,
       arrived.bank_fee,
       arrived.received_at,
       arrived.received_reference,
       arrived.state
from tieout.payouts as p
left join tieout.accounts as a on a.id = p.account_id
left join tieout.payouts_received_now() as arrived on arrived.payout_id = p.id
where (select tieout.reads_all()) or p.account_id = any ((select tieout.readable_accounts())::integer[]);

comment on view reporting.payouts is 'Payouts as providers declare them, each with the sum of its lines. Grain: one row per account, provider, reference and currency.';
comment on column reporting.payouts.account is 'Name of the account.';
comment on column reporting.payouts.provider is 'The provider.';
comment on column reporting.payouts.payout_id is 'Our number for the payout.';
comment on column reporting.payouts.payout_ref is 'The reference that its lines carry.';
comment on column reporting.payouts.payout_date is 'When the provider says it paid.';
comment on column reporting.payouts.currency is 'Currency of all its amounts.';
comment on column reporting.payouts.line_count is 'How many lines it sums.';
comment on column reporting.payouts.gross is 'Charges before fees, where the provider owes us the customers'' money.';
comment on column reporting.payouts.fees is 'Fees kept by the provider.';
comment on column reporting.payouts.refunds is 'Refunds.';
comment on column reporting.payouts.chargebacks is 'Chargebacks.';
comment on column reporting.payouts.chargeback_reversals is 'Chargebacks that were won back.';
comment on column reporting.payouts.commissions is 'Our share, where the provider owes us only that.';
comment on column reporting.payouts.adjustments is 'Adjustments, with their sign.';
comment on column reporting.payouts.reserves is 'Reserves: released less withheld.';
comment on column reporting.payouts.net_computed is 'gross - fees - refunds - chargebacks + chargeback_reversals + commissions + adjustments + reserves.';
comment on column reporting.payouts.net_declared is 'What the provider says it paid.';
comment on column reporting.payouts.difference is 'net_declared - net_computed.';
comment on column reporting.payouts.transaction_hash is 'Chain hash of a payout in crypto.';
comment on column reporting.payouts.status is 'tied, expected (ties, and is dated ahead), not_tied, or undeclared (no net stated).';
comment on column reporting.payouts.first_seen_at is 'When it was first computed.';
comment on column reporting.payouts.last_changed_at is 'When any of its figures last changed.';
comment on column reporting.payouts.received_amount is 'What bank lines and transfers on chain have brought of it by now; negative where money went back.';
comment on column reporting.payouts.bank_fee is 'What the bank kept of it: booked, not missing.';
comment on column reporting.payouts.received_at is 'When the last of it arrived.';
comment on column reporting.payouts.received_reference is 'What the bank calls the bookings; of a transfer on chain, its hash.';
comment on column reporting.payouts.state is 'expected (not declared yet, or dated ahead), declared, received, short, over, or overdue (nothing arrived by its due date).';

create view reporting.matches as
select m.id as match_id,
       a.name as account,
       m.provider,
       m.transaction_id,
       encode(m.record_hash, 'hex') as record_hash,
       m.line_id,
       m.role,
       m.rule,
       m.keys,
       m.state,
       m.made_by,
       m.in_expected,
       m.in_actual,
       m.in_difference,
       m.out_expected,
       m.out_actual,
       m.out_difference,
       m.difference_name,
       m.effective_at,
       m.matched_at,
       m.ended_at,
       m.ended_reason,
       m.reason,
       m.ended_by,
       tieout.actor_name(m.made_by) as made_by_name,
       tieout.actor_name(m.ended_by) as ended_by_name,
       m.part_amount
from tieout.matches as m
left join tieout.accounts as a on a.id = m.account_id
where (select tieout.reads_all()) or m.account_id = any ((select tieout.readable_accounts())::integer[]);

comment on view reporting.matches is 'Lines of statements and the transactions they belong to, with the rule that says so. Grain: one row per match; state says whether it is active.';
comment on column reporting.matches.match_id is 'Our number for the match.';
comment on column reporting.matches.account is 'Name of the account.';
comment on column reporting.matches.provider is 'The provider.';
comment on column reporting.matches.transaction_id is 'The transaction.';
comment on column reporting.matches.record_hash is 'Its status row at the time of matching, hexadecimal.';
comment on column reporting.matches.line_id is 'The version of the line; a restated line has a match of its own.';
comment on column reporting.matches.role is 'settles (one active per transaction) or relates.';
comment on column reporting.matches.rule is 'provider_id, our_reference, hash, suggested or person.';
comment on column reporting.matches.keys is 'What agreed, by name.';
comment on column reporting.matches.state is 'active, suggested or ended.';
comment on column reporting.matches.made_by is 'rules, or who chose it.';
comment on column reporting.matches.made_by_name is 'Their name.';
comment on column reporting.matches.in_expected is 'Our in leg.';
comment on column reporting.matches.in_actual is 'The line''s side of it; empty where the leg could not be compared.';
comment on column reporting.matches.in_difference is 'in_actual - in_expected.';
comment on column reporting.matches.out_expected is 'Our out leg.';
comment on column reporting.matches.out_actual is 'The line''s side of it; empty where the leg could not be compared.';
comment on column reporting.matches.out_difference is 'out_actual - out_expected.';
comment on column reporting.matches.difference_name is 'Name of a difference inside the tolerance: rounding, fee, quote_drift or other.';
comment on column reporting.matches.effective_at is 'The later of the two sides'' times.';
comment on column reporting.matches.matched_at is 'When it was made.';
comment on column reporting.matches.ended_at is 'When it ended.';
comment on column reporting.matches.ended_reason is 'Why it ended.';
comment on column reporting.matches.reason is 'Why a person chose it.';
comment on column reporting.matches.ended_by is 'Who or what ended it.';
comment on column reporting.matches.ended_by_name is 'Their name.';
comment on column reporting.matches.part_amount is 'Where a person split the line over several transactions: the part of its fiat amount that belongs to this one. Empty when all of it does.';

create view reporting.discrepancies as
select d.id as discrepancy_id,
       encode(d.fingerprint, 'hex') as fingerprint,
       a.name as account,
       d.provider,
       d.code,
       d.level,
       d.subject_kind,
       d.transaction_id,
       d.line_id,
       d.payout_id,
       case when d.period_from is not null then tstzrange(d.period_from, d.period_to) end as period,
       d.expected,
       d.actual,
       d.delta,
       d.currency,
       case when d.code <> 'address_mismatch' or (select tieout.reads_wallets()) then d.expected_text
            else tieout.masked_wallet(d.expected_text) end as expected_text,
       case when d.code <> 'address_mismatch' or (select tieout.reads_wallets()) then d.actual_text
            else tieout.masked_wallet(d.actual_text) end as actual_text,
       d.value,
       d.value_currency,
       d.since,
       d.first_seen_at,
       d.last_changed_at,
       tieout.age_days(d.since, coalesce(d.resolved_at, now())) as age_days,
       tieout.age_bucket(tieout.age_days(d.since, coalesce(d.resolved_at, now()))) as bucket,
       d.near_period_edge,
       d.state,
       d.owner,
       d.reason,
       d.resolved_by,
       d.resolved_at,
       d.owed,
       d.owed_currency,
       tieout.actor_name(d.resolved_by) as resolved_by_name,
       d.receipt_line_id,
       d.period_from,
       d.period_to
from tieout.discrepancies as d
left join tieout.accounts as a on a.id = d.account_id
where (select tieout.reads_all()) or d.account_id = any ((select tieout.readable_accounts())::integer[]);

comment on view reporting.discrepancies is 'What disagrees between transactions, statements and payouts, with what was done about it. Grain: one row per discrepancy, open or closed.';
comment on column reporting.discrepancies.discrepancy_id is 'Our number for the discrepancy.';
comment on column reporting.discrepancies.fingerprint is 'What identifies it over all runs, hexadecimal.';
comment on column reporting.discrepancies.account is 'Name of the account.';
comment on column reporting.discrepancies.provider is 'The provider.';
comment on column reporting.discrepancies.code is 'What disagrees; a closed list, see docs/reconciliation.md.';
comment on column reporting.discrepancies.level is 'error changes the class of its subject, warning does not.';
comment on column reporting.discrepancies.subject_kind is 'transaction, line, payout, period or receipt.';
comment on column reporting.discrepancies.receipt_line_id is 'The bank line, where there is one.';
comment on column reporting.discrepancies.transaction_id is 'The transaction, where there is one.';
comment on column reporting.discrepancies.line_id is 'The line, where there is one.';
comment on column reporting.discrepancies.payout_id is 'The payout, where there is one.';
comment on column reporting.discrepancies.period is 'The period, half-open, where it is about one.';
comment on column reporting.discrepancies.expected is 'Our side.';
comment on column reporting.discrepancies.actual is 'Their side.';
comment on column reporting.discrepancies.delta is 'actual - expected.';
comment on column reporting.discrepancies.currency is 'Currency of these amounts.';
comment on column reporting.discrepancies.expected_text is 'Our side, where it is not an amount.';
comment on column reporting.discrepancies.actual_text is 'Their side, where it is not an amount.';
comment on column reporting.discrepancies.value is 'What is at stake, never negative.';
comment on column reporting.discrepancies.value_currency is 'Currency of value; never add values of two currencies.';
comment on column reporting.discrepancies.since is 'When the difference began by the facts, never the day of import.';
comment on column reporting.discrepancies.first_seen_at is 'When it was raised.';
comment on column reporting.discrepancies.last_changed_at is 'When anything about it last changed.';
comment on column reporting.discrepancies.age_days is 'Whole UTC days from since to now, or to the day it was closed.';
comment on column reporting.discrepancies.bucket is 'The same as a range: 0-1, 2-3, 4-7, 8-30, 31-60, 61-90, 91+.';
comment on column reporting.discrepancies.near_period_edge is 'Within 24 hours of an edge of the provider''s settlement period: perhaps a question of date only.';
comment on column reporting.discrepancies.state is 'open, investigating, resolved or written_off.';
comment on column reporting.discrepancies.owner is 'Who is working on it.';
comment on column reporting.discrepancies.reason is 'Why it was closed; agreed when the facts came to agree.';
comment on column reporting.discrepancies.resolved_by is 'Who closed it.';
comment on column reporting.discrepancies.resolved_by_name is 'Their name.';
comment on column reporting.discrepancies.resolved_at is 'When it was closed.';
comment on column reporting.discrepancies.owed is 'Of value, what is ours; null where nobody has said what our share is.';
comment on column reporting.discrepancies.owed_currency is 'Currency of owed.';
comment on column reporting.discrepancies.period_from is 'Start of the period, included; where it is about one.';
comment on column reporting.discrepancies.period_to is 'End of the period, excluded.';

-- ---------------------------------------------------------------------------------------------------------------------
-- The role tieout_reader
-- ---------------------------------------------------------------------------------------------------------------------

-- An advisory lock belongs to whoever takes it first, and everybody may: somebody who only reads could keep the service
-- waiting. Where an administrator runs this, only the owner and those whom it lets in may take one. Others leave it as it is.
create function tieout.close_advisory_locks() returns void
language plpgsql as $$
declare
  routine regprocedure;
  owner name := (select pg_get_userbyid(nspowner) from pg_namespace where nspname = 'reporting');
begin
  if not (select rolsuper from pg_roles where rolname = current_user) then
    return;
  end if;
  for routine in
    select oid::regprocedure from pg_proc where pronamespace = 'pg_catalog'::regnamespace and proname like 'pg\_%advisory%'
  loop
    execute format('revoke execute on function %s from public', routine);
    execute format('grant execute on function %s to %I', routine, owner);
    if exists (select from pg_roles where rolname = 'tieout_service') then
      execute format('grant execute on function %s to tieout_service', routine);
    end if;
  end loop;
end
$$;

comment on function tieout.close_advisory_locks() is 'Keeps advisory locks for the owner of the tables. Does something only when a superuser runs it, because the functions are the server''s.';

-- Roles belong to the whole server, and several databases of one server may be migrated at the same moment. Advisory
-- locks do not reach across databases, so this looks first and tolerates a role that another one has just made. No
-- password here: the operator lets people in with `alter role tieout_reader login password '…'`. The settings apply to
-- whoever logs in as this role; members of it bring their own.
create function tieout.admit_reader() returns void
language plpgsql as $$
declare
  setting record;
  owner name := (select pg_get_userbyid(nspowner) from pg_namespace where nspname = 'reporting');
begin
  if not exists (select from pg_roles where rolname = 'tieout_reader') then
    begin
      create role tieout_reader nologin;
      comment on role tieout_reader is 'Reads the schema reporting of tieout, and nothing else. Needs login and a password from the operator.';
    exception
      when duplicate_object or unique_violation then
        null;
      when insufficient_privilege then
        raise notice 'the role tieout_reader was not made, because % may not make roles', current_user
          using hint = 'Let an administrator run: create role tieout_reader; select tieout.admit_reader();';
        return;
    end;
  end if;

  for setting in
    select wanted.name, wanted.value
    from (values ('default_transaction_read_only', 'on'),
                 ('statement_timeout', '60s'),
                 ('idle_in_transaction_session_timeout', '60s')) as wanted (name, value)
    where not exists (           -- one that the operator has set stays as it is
      select
      from pg_db_role_setting as held
      join pg_roles as reader on reader.oid = held.setrole
      cross join unnest(held.setconfig) as entry
      where reader.rolname = 'tieout_reader'
        and held.setdatabase = 0
        and entry like wanted.name || '=%'
    )
  loop
    begin
      execute format('alter role tieout_reader set %I = %L', setting.name, setting.value);
    exception
      when unique_violation then
        null;
      when insufficient_privilege then
        raise notice 'tieout_reader has no % of its own, because % may not change the role', setting.name, current_user
          using hint = 'Let an administrator run: select tieout.admit_reader();';
    end;
  end loop;

  -- A reader that was let in by the operator with another limit keeps it.
  if (select rolconnlimit from pg_roles where rolname = 'tieout_reader') = -1 then
    begin
      alter role tieout_reader connection limit 10;
    exception
      when unique_violation then
        null;
      when insufficient_privilege then
        raise notice 'tieout_reader has no connection limit, because % may not change the role', current_user
          using hint = 'Let an administrator run: select tieout.admit_reader();';
    end;
  end if;
  perform tieout.close_advisory_locks();

  grant usage on schema reporting to tieout_reader;
  grant select on all tables in schema reporting to tieout_reader;
  execute format('alter default privileges for role %I in schema reporting grant select on tables to tieout_reader', owner);
end
$$;

comment on function tieout.admit_reader() is 'Creates the role tieout_reader, where that is allowed, and lets it read the schema reporting and nothing else. Can be run again at any time.';

-- ---------------------------------------------------------------------------------------------------------------------
-- The role tieout_service
-- ---------------------------------------------------------------------------------------------------------------------

-- What the running service may do: everything but change what is kept for ever. It owns nothing, so it cannot switch off a
-- trigger either. Only the owner migrates. Run again after every migration; the queue's tables are the queue's business.
create function tieout.admit_service() returns void
language plpgsql as $$
declare
  relation record;
  allowed text;
  maintain text := case when current_setting('server_version_num')::int >= 170000 then ', maintain' else '' end;
  -- What the triggers refuse to everybody is not granted either.
  append_only name[] := array(select c.relname from pg_trigger as t join pg_class as c on c.oid = t.tgrelid
    where t.tgname = 'refuse_change' and c.relnamespace = 'tieout'::regnamespace);
  never_deleted name[] := array(select c.relname from pg_trigger as t join pg_class as c on c.oid = t.tgrelid
    where t.tgname = 'refuse_delete' and c.relnamespace = 'tieout'::regnamespace);
  -- Written by functions and triggers of the owner alone; a period is what its events make of it.
  read_only name[] := array['migrations', 'periods', 'erasures', 'erased_subjects', 'erasure_seals', 'forgotten_files', 'reader_roles'];
begin
  -- Two commands may start at once, and Postgres refuses two that grant at the same moment.
  perform pg_advisory_xact_lock(hashtextextended('tieout.admit_service', 0));
  if not exists (select from pg_roles where rolname = 'tieout_service') then
    begin
      create role tieout_service nologin;
      comment on role tieout_service is 'What the running tieout connects as. Needs login and a password from the operator.';
    exception
      when duplicate_object or unique_violation then
        null;
      when insufficient_privilege then
        raise notice 'the role tieout_service was not made, because % may not make roles', current_user
          using hint = 'Let an administrator run: create role tieout_service; and run tieout migrate again.';
        return;
    end;
  end if;

  for relation in
    select c.relname as name, c.relkind as kind, coalesce(whole.relname, c.relname) as of_table
    from pg_class as c
    left join pg_inherits as i on i.inhrelid = c.oid
    left join pg_class as whole on whole.oid = i.inhparent
    where c.relnamespace = 'tieout'::regnamespace and c.relkind in ('r', 'p', 'v')
  loop
    allowed := case
      when relation.kind = 'v' or relation.name = any(read_only) then 'select'
      when relation.of_table = any(append_only) then 'select, insert' || maintain
      when relation.of_table = any(never_deleted) then 'select, insert, update' || maintain
      else 'select, insert, update, delete' || maintain
    end;
    execute format('revoke all on tieout.%I from tieout_service', relation.name);
    execute format('grant %s on tieout.%I to tieout_service', allowed, relation.name);
  end loop;
  grant usage on schema tieout, reporting to tieout_service;
  grant usage, select on all sequences in schema tieout to tieout_service;
  grant select on all tables in schema reporting to tieout_service;
  if to_regprocedure('tieout.erase(jsonb, jsonb, bytea[])') is not null then
    grant execute on function tieout.erase(jsonb, jsonb, bytea[]), tieout.hold_for_erasure(),
      tieout.forget_statement_files(interval, integer) to tieout_service;
  end if;
  -- For the months that are made later, which belong to the owner as well.
  execute format('alter default privileges for role %I in schema tieout grant select, insert%s on tables to tieout_service',
    (select pg_get_userbyid(nspowner) from pg_namespace where nspname = 'tieout'), maintain);

  if exists (select from pg_namespace where nspname = 'queue') then
    -- It makes a sequence for each queue when it first uses it.
    grant usage, create on schema queue to tieout_service;
    grant select, insert, update, delete on all tables in schema queue to tieout_service;
    grant usage, select, update on all sequences in schema queue to tieout_service;
    grant execute on all functions in schema queue to tieout_service;
    execute format('alter default privileges for role %I in schema queue grant select, insert, update, delete on tables to tieout_service',
      (select pg_get_userbyid(nspowner) from pg_namespace where nspname = 'queue'));
  end if;
end
$$;

comment on function tieout.admit_service() is 'Creates the role tieout_service, where that is allowed, and lets it do what the running service does: everything but change or delete what is append-only. Can be run again at any time.';

-- After the views, so that they may read all of them.
select tieout.admit_reader();
select tieout.admit_service();
