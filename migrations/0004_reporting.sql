-- The SQL surface for people: views only, a contract like an API. Columns are only ever added, at the end, which is all
-- that `create or replace view` permits. A query pays for what it selects: joins are left joins on a whole key, which
-- the planner drops when nothing of them is asked for, and counts are subqueries in the select list.

create schema reporting;
--> statement-breakpoint
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
       t.wallet_address,
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
       t.extra
from tieout.transactions as t
left join tieout.accounts as a on a.id = t.account_id;
--> statement-breakpoint
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
       s.wallet_address,
       s.api_key,
       encode(s.record_hash, 'hex') as record_hash,
       s.hash_version,
       s.extra,
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
 and t.record_hash = s.record_hash;
--> statement-breakpoint
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
) as plan;
--> statement-breakpoint
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
       a.state,
       a.paused_reason,
       a.paused_at
from tieout.accounts as a
cross join lateral (             -- live windows follow the clock without a gap, so what they have not read is where it ends
  select least(upper(a.covered), lower(range_agg(tstzrange(w.range_from, w.range_to)) - a.covered)) as up_to
  from tieout.sync_windows as w
  where w.account_id = a.id
    and w.kind = 'live'
    and w.state in ('planned', 'walking', 'failed')
    and not isempty(a.covered)
) as complete;
--> statement-breakpoint
-- Without it a question about one day reads the whole table. It holds few distinct values and so stays small (7 % of the
-- index by time) and cheap (67 bytes of WAL a record, 4 % of all). It also tells the planner how many days there are.
create index transactions_by_day on tieout.transactions (((status_date at time zone 'UTC')::date));
--> statement-breakpoint
create view reporting.daily_summary as
select a.name as account,
       (t.status_date at time zone 'UTC')::date as day,
       t.provider,
       t.transaction_type,
       t.status,
       t.source_currency,
       t.target_currency,
       count(*) as transactions,
       sum(t.in_amount) as in_amount,
       sum(t.out_amount) as out_amount
from tieout.transactions as t
left join tieout.accounts as a on a.id = t.account_id
group by a.name, (t.status_date at time zone 'UTC')::date, t.provider, t.transaction_type, t.status, t.source_currency,
         t.target_currency;
--> statement-breakpoint
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
left join tieout.accounts as a on a.id = w.account_id;
--> statement-breakpoint
create view reporting.sync_findings as
select a.name as account,
       f.transaction_id,
       f.finding,
       f.found_at,
       f.window_id
from tieout.sync_findings as f
left join tieout.accounts as a on a.id = f.account_id;
--> statement-breakpoint
create view reporting.quarantined_records as
select a.name as account,
       q.reason,
       q.field,
       q.raw,
       encode(q.raw_hash, 'hex') as raw_hash,
       q.first_seen_at,
       q.last_seen_at,
       q.window_id
from tieout.quarantined_records as q
left join tieout.accounts as a on a.id = q.account_id;
--> statement-breakpoint
-- Roles belong to the whole server, and several databases of one server may be migrated at the same moment; advisory
-- locks do not reach across databases, so this looks first and forgives whoever was quicker. A password is none of a
-- migration's business: the operator lets people in with `alter role tieout_reader login password '…'`. The settings
-- hold for whoever logs in as this role; members of it bring their own.
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

  grant usage on schema reporting to tieout_reader;
  grant select on all tables in schema reporting to tieout_reader;
  execute format('alter default privileges for role %I in schema reporting grant select on tables to tieout_reader', owner);
end
$$;
--> statement-breakpoint
select tieout.admit_reader();
--> statement-breakpoint
comment on schema reporting is 'For questions in SQL: views only, and a contract. Names equal those of the API, columns are only ever added, and everything is in UTC. Read data_freshness first.';
--> statement-breakpoint
comment on function tieout.admit_reader() is 'Makes the role tieout_reader, where that is allowed, and lets it read the schema reporting and nothing else. Can be run again at any time.';
--> statement-breakpoint
comment on table tieout.migrations is 'The migrations that made this database, in order.';
--> statement-breakpoint
comment on column tieout.migrations.number is 'Place in the order, from 1.';
--> statement-breakpoint
comment on column tieout.migrations.name is 'Name of the file.';
--> statement-breakpoint
comment on column tieout.migrations.sha256 is 'SHA-256 of the file in hex: one that was edited afterwards is refused.';
--> statement-breakpoint
comment on column tieout.migrations.applied_at is 'When it was applied.';
--> statement-breakpoint
comment on view reporting.transactions is 'One row per transaction: its latest status row. A transaction that the aggregator does not serve any more stays here; see missing_since.';
--> statement-breakpoint
comment on column reporting.transactions.account is 'Account, by its name in the configuration.';
--> statement-breakpoint
comment on column reporting.transactions.transaction_id is 'The aggregator''s id: opaque text, unique within the account.';
--> statement-breakpoint
comment on column reporting.transactions.status is 'Latest status: new, pending, paid, canceled, failed or completed; other spellings are folded, an unknown word is kept as received.';
--> statement-breakpoint
comment on column reporting.transactions.is_final is 'Whether this status normally changes no more: canceled, failed and completed.';
--> statement-breakpoint
comment on column reporting.transactions.status_date is 'The aggregator''s time of this status; not of the transaction''s creation. Indexed.';
--> statement-breakpoint
comment on column reporting.transactions.transaction_type is 'buy (fiat to crypto) or sell (crypto to fiat).';
--> statement-breakpoint
comment on column reporting.transactions.provider is 'The provider that carries it out: the aggregator''s onramp.';
--> statement-breakpoint
comment on column reporting.transactions.provider_transaction_id is 'The provider''s own id; may be empty early on. Indexed.';
--> statement-breakpoint
comment on column reporting.transactions.payment_method is 'Payment method as received; one method may have several spellings.';
--> statement-breakpoint
comment on column reporting.transactions.country is 'Country code of the customer as received, normally lower case.';
--> statement-breakpoint
comment on column reporting.transactions.source_currency is 'What the customer gives; the currency of in_amount.';
--> statement-breakpoint
comment on column reporting.transactions.in_amount is 'How much the customer gives, exactly as received.';
--> statement-breakpoint
comment on column reporting.transactions.target_currency is 'What the customer gets, asset and network joined by an underscore; the currency of out_amount.';
--> statement-breakpoint
comment on column reporting.transactions.out_amount is 'How much the customer gets, exactly as received; before completed an estimate or 0.';
--> statement-breakpoint
comment on column reporting.transactions.transaction_hash is 'The chain''s hash as received; empty until one exists. Several transactions may share one: payouts come in batches. Indexed.';
--> statement-breakpoint
comment on column reporting.transactions.wallet_address is 'The customer''s address as received.';
--> statement-breakpoint
comment on column reporting.transactions.api_key is 'Key identifier of the account as the record states it.';
--> statement-breakpoint
comment on column reporting.transactions.record_hash is 'SHA-256 of the normalised record in hex: the identity of this content.';
--> statement-breakpoint
comment on column reporting.transactions.status_count is 'How many distinct records of this transaction have been seen. Counted only when asked for.';
--> statement-breakpoint
comment on column reporting.transactions.first_seen_at is 'When we first read any record of this transaction.';
--> statement-breakpoint
comment on column reporting.transactions.last_changed_at is 'When its latest status row last changed here. Indexed: follow changes by it.';
--> statement-breakpoint
comment on column reporting.transactions.missing_since is 'Since when a deep re-read finds it neither listed nor served by its id; normally null.';
--> statement-breakpoint
comment on column reporting.transactions.status_rank is 'Decides between status rows of one status_date; 0 marks a status we do not know.';
--> statement-breakpoint
comment on column reporting.transactions.hash_version is 'Version of the canonical form that record_hash was made of.';
--> statement-breakpoint
comment on column reporting.transactions.extra is 'Fields of the record that the specification does not name; null when there are none.';
--> statement-breakpoint
comment on view reporting.transaction_statuses is 'One row per distinct record ever seen: the history. Append-only. In order: status_date, status_rank, record_hash.';
--> statement-breakpoint
comment on column reporting.transaction_statuses.account is 'Account, by its name in the configuration.';
--> statement-breakpoint
comment on column reporting.transaction_statuses.transaction_id is 'The aggregator''s id: opaque text, unique within the account.';
--> statement-breakpoint
comment on column reporting.transaction_statuses.status is 'Status in this record: new, pending, paid, canceled, failed or completed; other spellings are folded, an unknown word is kept as received.';
--> statement-breakpoint
comment on column reporting.transaction_statuses.is_final is 'Whether this status normally changes no more: canceled, failed and completed.';
--> statement-breakpoint
comment on column reporting.transaction_statuses.status_date is 'The aggregator''s time of this status. Indexed together with the account.';
--> statement-breakpoint
comment on column reporting.transaction_statuses.transaction_type is 'buy (fiat to crypto) or sell (crypto to fiat).';
--> statement-breakpoint
comment on column reporting.transaction_statuses.provider is 'The provider that carries it out: the aggregator''s onramp.';
--> statement-breakpoint
comment on column reporting.transaction_statuses.provider_transaction_id is 'The provider''s own id; may be empty early on, and may change.';
--> statement-breakpoint
comment on column reporting.transaction_statuses.payment_method is 'Payment method as received; one method may have several spellings.';
--> statement-breakpoint
comment on column reporting.transaction_statuses.country is 'Country code of the customer as received, normally lower case.';
--> statement-breakpoint
comment on column reporting.transaction_statuses.source_currency is 'What the customer gives; the currency of in_amount.';
--> statement-breakpoint
comment on column reporting.transaction_statuses.in_amount is 'How much the customer gives, exactly as received.';
--> statement-breakpoint
comment on column reporting.transaction_statuses.target_currency is 'What the customer gets, asset and network joined by an underscore; the currency of out_amount.';
--> statement-breakpoint
comment on column reporting.transaction_statuses.out_amount is 'How much the customer gets, exactly as received; before completed an estimate or 0.';
--> statement-breakpoint
comment on column reporting.transaction_statuses.transaction_hash is 'The chain''s hash as received; empty until one exists.';
--> statement-breakpoint
comment on column reporting.transaction_statuses.wallet_address is 'The customer''s address as received.';
--> statement-breakpoint
comment on column reporting.transaction_statuses.api_key is 'Key identifier of the account as the record states it.';
--> statement-breakpoint
comment on column reporting.transaction_statuses.record_hash is 'SHA-256 of the normalised record in hex: the identity of this row within its transaction.';
--> statement-breakpoint
comment on column reporting.transaction_statuses.hash_version is 'Version of the canonical form that record_hash was made of.';
--> statement-breakpoint
comment on column reporting.transaction_statuses.extra is 'Fields of the record that the specification does not name; null when there are none.';
--> statement-breakpoint
comment on column reporting.transaction_statuses.first_seen_at is 'When we first read this record; status_date is the aggregator''s clock, this is ours.';
--> statement-breakpoint
comment on column reporting.transaction_statuses.is_latest is 'Whether this is the row that reporting.transactions shows. Looked up only when asked for.';
--> statement-breakpoint
comment on column reporting.transaction_statuses.status_rank is 'Decides between status rows of one status_date; 0 marks a status we do not know.';
--> statement-breakpoint
comment on column reporting.transaction_statuses.received_status is 'The word received, where it was folded into another; otherwise null.';
--> statement-breakpoint
comment on column reporting.transaction_statuses.window_id is 'The window that first read it; see reporting.sync_windows.';
--> statement-breakpoint
comment on view reporting.sync_coverage is 'One row per account: which time has provably been read, and which has not.';
--> statement-breakpoint
comment on column reporting.sync_coverage.account is 'Account, by its name in the configuration.';
--> statement-breakpoint
comment on column reporting.sync_coverage.covered is 'Union of the sealed windows: every listing of this time was read to its explicit end.';
--> statement-breakpoint
comment on column reporting.sync_coverage.gaps is 'What is missing between sync_start and planned_to. Empty means complete; unnest(gaps) gives one row a gap.';
--> statement-breakpoint
comment on column reporting.sync_coverage.covered_from is 'Begin of the earliest covered range; gaps may follow.';
--> statement-breakpoint
comment on column reporting.sync_coverage.covered_to is 'End of the latest covered range; gaps may come before.';
--> statement-breakpoint
comment on column reporting.sync_coverage.sync_start is 'How far back the account is read.';
--> statement-breakpoint
comment on column reporting.sync_coverage.planned_to is 'How far the plan reaches: the greatest end of a live or backfill window; null before the first plan.';
--> statement-breakpoint
comment on view reporting.data_freshness is 'One row per account: how current is the data, and is anything in the way?';
--> statement-breakpoint
comment on column reporting.data_freshness.account is 'Account, by its name in the configuration.';
--> statement-breakpoint
comment on column reporting.data_freshness.data_as_of is 'Everything that the aggregator listed up to this time has been read, back to where coverage begins (sync_coverage shows older gaps); null before the first window was read.';
--> statement-breakpoint
comment on column reporting.data_freshness.lag_seconds is 'Seconds from data_as_of to now.';
--> statement-breakpoint
comment on column reporting.data_freshness.last_success_at is 'When a window was last read to its end.';
--> statement-breakpoint
comment on column reporting.data_freshness.open_windows is 'Windows planned or being walked, of all kinds.';
--> statement-breakpoint
comment on column reporting.data_freshness.failed_windows is 'Windows given up for now: look at their error; they are tried again later. See reporting.sync_windows.';
--> statement-breakpoint
comment on column reporting.data_freshness.quarantined is 'Records that could not be understood; see reporting.quarantined_records.';
--> statement-breakpoint
comment on column reporting.data_freshness.state is 'active, or paused when the aggregator refuses the account''s key.';
--> statement-breakpoint
comment on column reporting.data_freshness.paused_reason is 'Why it is paused.';
--> statement-breakpoint
comment on column reporting.data_freshness.paused_at is 'Since when it is paused.';
--> statement-breakpoint
comment on view reporting.daily_summary is 'One row per account, UTC day of the latest status, provider, type, status and pair of currencies. A filter on day uses an index; one on a part or a function of it does not. Vanished transactions are counted too.';
--> statement-breakpoint
comment on column reporting.daily_summary.account is 'Account, by its name in the configuration.';
--> statement-breakpoint
comment on column reporting.daily_summary.day is 'UTC day of status_date: of the latest status, not of the transaction''s creation. Indexed.';
--> statement-breakpoint
comment on column reporting.daily_summary.provider is 'The provider: the aggregator''s onramp.';
--> statement-breakpoint
comment on column reporting.daily_summary.transaction_type is 'buy or sell.';
--> statement-breakpoint
comment on column reporting.daily_summary.status is 'Latest status.';
--> statement-breakpoint
comment on column reporting.daily_summary.source_currency is 'What customers gave; the currency of in_amount.';
--> statement-breakpoint
comment on column reporting.daily_summary.target_currency is 'What customers got; the currency of out_amount.';
--> statement-breakpoint
comment on column reporting.daily_summary.transactions is 'Number of transactions.';
--> statement-breakpoint
comment on column reporting.daily_summary.in_amount is 'Sum of in_amount, exact; null when no record states one.';
--> statement-breakpoint
comment on column reporting.daily_summary.out_amount is 'Sum of out_amount, exact; before completed it holds estimates. Null when no record states one.';
--> statement-breakpoint
comment on view reporting.sync_windows is 'One row per window ever planned: a time range read from the aggregator page by page.';
--> statement-breakpoint
comment on column reporting.sync_windows.account is 'Account, by its name in the configuration.';
--> statement-breakpoint
comment on column reporting.sync_windows.window_id is 'Number of the window.';
--> statement-breakpoint
comment on column reporting.sync_windows.kind is 'live follows the clock, backfill goes back to the start, lookback and deep read again, refresh reads open transactions by id.';
--> statement-breakpoint
comment on column reporting.sync_windows.range_from is 'Begin of the time range, included.';
--> statement-breakpoint
comment on column reporting.sync_windows.range_to is 'End of the time range, excluded.';
--> statement-breakpoint
comment on column reporting.sync_windows.state is 'planned, walking (leased by a worker), sealed (read to its explicit end), split into parts, or failed (tried again later).';
--> statement-breakpoint
comment on column reporting.sync_windows.pages is 'Pages kept.';
--> statement-breakpoint
comment on column reporting.sync_windows.read is 'Records read, known ones included.';
--> statement-breakpoint
comment on column reporting.sync_windows.added is 'Status rows that were new.';
--> statement-breakpoint
comment on column reporting.sync_windows.quarantined is 'Records that could not be understood.';
--> statement-breakpoint
comment on column reporting.sync_windows.vanished is 'Transactions that a deep re-read did not meet any more.';
--> statement-breakpoint
comment on column reporting.sync_windows.failures is 'Failures in a row without a page in between.';
--> statement-breakpoint
comment on column reporting.sync_windows.restarts is 'How often in a row the walk began anew because its cursor was refused.';
--> statement-breakpoint
comment on column reporting.sync_windows.error_code is 'The last failure, as a code.';
--> statement-breakpoint
comment on column reporting.sync_windows.error is 'The last failure, in words.';
--> statement-breakpoint
comment on column reporting.sync_windows.ended_by is 'How the end of the listing was told: absent, empty_echo or ids.';
--> statement-breakpoint
comment on column reporting.sync_windows.planned_at is 'When it was planned.';
--> statement-breakpoint
comment on column reporting.sync_windows.started_at is 'When a worker first took it.';
--> statement-breakpoint
comment on column reporting.sync_windows.sealed_at is 'When it was sealed.';
--> statement-breakpoint
comment on column reporting.sync_windows.not_before is 'Not tried again before this time.';
--> statement-breakpoint
comment on column reporting.sync_windows.parent_id is 'The window that this one is a part of.';
--> statement-breakpoint
comment on view reporting.sync_findings is 'What deep re-reads found to differ from what we had, one row per window, transaction and finding.';
--> statement-breakpoint
comment on column reporting.sync_findings.account is 'Account, by its name in the configuration.';
--> statement-breakpoint
comment on column reporting.sync_findings.transaction_id is 'The transaction.';
--> statement-breakpoint
comment on column reporting.sync_findings.finding is 'appeared (was not known), changed (has a new status row), vanished (is not served any more), returned (is served again).';
--> statement-breakpoint
comment on column reporting.sync_findings.found_at is 'When it was found.';
--> statement-breakpoint
comment on column reporting.sync_findings.window_id is 'The window that found it; see reporting.sync_windows.';
--> statement-breakpoint
comment on view reporting.quarantined_records is 'Records that could not be understood, once per distinct text. None of them is in the other views.';
--> statement-breakpoint
comment on column reporting.quarantined_records.account is 'Account, by its name in the configuration.';
--> statement-breakpoint
comment on column reporting.quarantined_records.reason is 'Why it could not be understood, as a code.';
--> statement-breakpoint
comment on column reporting.quarantined_records.field is 'The field at fault, in the aggregator''s spelling; null when it is the record as a whole.';
--> statement-breakpoint
comment on column reporting.quarantined_records.raw is 'The record as received.';
--> statement-breakpoint
comment on column reporting.quarantined_records.raw_hash is 'SHA-256 of raw in hex.';
--> statement-breakpoint
comment on column reporting.quarantined_records.first_seen_at is 'When it was first met.';
--> statement-breakpoint
comment on column reporting.quarantined_records.last_seen_at is 'When it was last met by a window that had not met it before.';
--> statement-breakpoint
comment on column reporting.quarantined_records.window_id is 'The window that first met it; see reporting.sync_windows.';
