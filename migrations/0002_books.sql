-- The books, with two times: how things stood **as at** an instant, by what was **known at** another. Now is the same
-- question, asked as at this moment with `known_at` 'infinity'. Everything that says how a transaction or a line stands
-- reads these functions: reports, API, command line, page and views. They are plain selects, so the planner looks into
-- them, and a question about one transaction costs one look-up.
--
-- `as_at` means the end of what lies before it: what is dated exactly then does not count yet.

-- ---------------------------------------------------------------------------------------------------------------------
-- Transactions
-- ---------------------------------------------------------------------------------------------------------------------

-- Nearly always the latest row was the latest then, too. Of the others, only those whose history is noted as odd were
-- completed at one time and are something else now, or were completed twice.
create function tieout.completed_at(accounts integer[], as_at timestamptz, known_at timestamptz)
returns table (
  account_id integer, provider text, transaction_id text, record_hash bytea, status_date timestamptz, transaction_type text,
  provider_transaction_id text, transaction_hash text, source_currency text, in_amount numeric, target_currency text,
  out_amount numeric
)
language sql stable parallel safe as $$
  select t.account_id, lower(coalesce(t.provider, '')), t.transaction_id, t.record_hash, t.status_date, t.transaction_type,
         t.provider_transaction_id, t.transaction_hash, t.source_currency, t.in_amount, t.target_currency, t.out_amount
  from tieout.transactions as t
  where t.account_id = any (completed_at.accounts)
    and t.status = 'completed'
    and t.status_date < completed_at.as_at
    and t.last_changed_at <= completed_at.known_at
  union all
  select s.account_id, lower(coalesce(s.provider, '')), s.transaction_id, s.record_hash, s.status_date, s.transaction_type,
         s.provider_transaction_id, s.transaction_hash, s.source_currency, s.in_amount, s.target_currency, s.out_amount
  from (
    select distinct on (s.account_id, s.transaction_id) s.*
    from tieout.odd_histories as odd
    join tieout.transactions as t on t.account_id = odd.account_id and t.transaction_id = odd.transaction_id
    join tieout.transaction_statuses as s on s.account_id = t.account_id and s.transaction_id = t.transaction_id
    where odd.account_id = any (completed_at.accounts)
      and (t.status_date >= completed_at.as_at or t.last_changed_at > completed_at.known_at)
      and s.status_date < completed_at.as_at
      and s.first_seen_at <= completed_at.known_at
    order by s.account_id, s.transaction_id, s.status_date desc, s.status_rank desc, s.record_hash desc
  ) as s
  where s.status = 'completed'
$$;

comment on function tieout.completed_at(integer[], timestamptz, timestamptz) is 'Transactions that were completed as at an instant, by what was known at another.';

-- The transactions that had their latest status in a span of time. A transaction that has moved on since stands in the span
-- with the row that was its latest then.
create function tieout.records_at(
  accounts integer[], from_at timestamptz, to_at timestamptz, as_at timestamptz, known_at timestamptz
) returns setof tieout.transactions
language sql stable parallel safe as $$
  select t.first_seen_at, case when t.missing_since <= records_at.known_at then t.missing_since end, t.account_id,
         t.transaction_id, t.hash_version, t.transaction_type, t.provider, t.provider_transaction_id,
         t.payment_method, t.country, t.source_currency, t.in_amount, t.target_currency, t.wallet_address, t.api_key,
         t.extra, t.out_amount, t.transaction_hash, t.record_hash, t.status, t.status_rank, t.status_date,
         t.is_final, t.last_changed_at
  from tieout.transactions as t
  where t.account_id = any (records_at.accounts)
    and t.status_date >= records_at.from_at
    and t.status_date < least(records_at.to_at, records_at.as_at)
    and t.last_changed_at <= records_at.known_at
  union all
  select t.first_seen_at, case when t.missing_since <= records_at.known_at then t.missing_since end, s.account_id,
         s.transaction_id, s.hash_version, s.transaction_type, s.provider, s.provider_transaction_id,
         s.payment_method, s.country, s.source_currency, s.in_amount, s.target_currency, s.wallet_address, s.api_key,
         s.extra, s.out_amount, s.transaction_hash, s.record_hash, s.status, s.status_rank, s.status_date,
         s.status in ('completed', 'failed', 'canceled'), s.first_seen_at
  from tieout.transactions as t
  join tieout.transaction_statuses as s on s.account_id = t.account_id and s.transaction_id = t.transaction_id
  where t.account_id = any (records_at.accounts)
    and (t.status_date >= records_at.as_at or t.last_changed_at > records_at.known_at)
    and s.status_date >= records_at.from_at
    and s.status_date < least(records_at.to_at, records_at.as_at)
    and s.first_seen_at <= records_at.known_at
    and not exists (
      select
      from tieout.transaction_statuses as later
      where later.account_id = s.account_id
        and later.transaction_id = s.transaction_id
        and later.status_date >= s.status_date
        and later.status_date < records_at.as_at
        and later.first_seen_at <= records_at.known_at
        and (later.status_date, later.status_rank, later.record_hash) > (s.status_date, s.status_rank, s.record_hash)
    )
$$;

comment on function tieout.records_at(integer[], timestamptz, timestamptz, timestamptz, timestamptz) is 'Transactions whose latest status as at an instant lies in a span of time, by what was known at another.';

-- One transaction, whatever its status was.
create function tieout.record_at(account_id integer, transaction_id text, as_at timestamptz, known_at timestamptz)
returns setof tieout.transaction_statuses
language sql stable parallel safe as $$
  select s.*
  from tieout.transaction_statuses as s
  where s.account_id = record_at.account_id
    and s.transaction_id = record_at.transaction_id
    and s.status_date < record_at.as_at
    and s.first_seen_at <= record_at.known_at
  order by s.status_date desc, s.status_rank desc, s.record_hash desc
  limit 1
$$;

comment on function tieout.record_at(integer, text, timestamptz, timestamptz) is 'What a transaction''s latest record was as at an instant, by what was known at another.';

-- ---------------------------------------------------------------------------------------------------------------------
-- Statements
-- ---------------------------------------------------------------------------------------------------------------------

-- Each belongs to the newest file in force that carries it, which need not be the one that brought it.
create function tieout.lines_at(accounts integer[], known_at timestamptz)
returns setof tieout.statement_lines
language sql stable parallel safe as $$
  select l.id, l.account_id, l.provider, l.line_key, l.occurrence, l.version, l.content_hash,
         coalesce(c.statement_id, l.statement_id), coalesce(c.line_no, l.line_no), l.line_type, l.side,
         l.provider_status, l.status, l.provider_transaction_id, l.our_reference, l.payout_ref, l.fiat_currency,
         l.fiat_gross, l.fiat_net, l.asset, l.network, l.crypto_amount, l.fee_total, l.fee_processing, l.fee_network,
         l.fee_partner, l.fee_currency, l.rate, l.rate_basis, l.rate_applies_to, l.net_amount, l.net_currency,
         l.category, l.transaction_hash, l.wallet_address, l.address_tag, l.created_at, l.effective_at, l.extra,
         l.imported_at
  from tieout.statement_lines as l
  left join tieout.line_carriers as c
    on c.line_id = l.id
   and c.since_at <= lines_at.known_at
   and (c.until_at is null or c.until_at > lines_at.known_at)
  where l.account_id = any (lines_at.accounts)
    and l.imported_at <= lines_at.known_at
    and not exists (
      select
      from tieout.line_retirements as r
      where r.line_id = l.id
        and r.retired_at <= lines_at.known_at
        and (r.restored_at is null or r.restored_at > lines_at.known_at)
    )
$$;

comment on function tieout.lines_at(integer[], timestamptz) is 'The versions of statement lines that counted at a time.';

-- The times of which a provider's statements tell: a transaction completed then is in one of them, or it is missing. A
-- statement by activity tells of what was completed in its period; one by settlement, of what falls due in it, so that
-- the first of them reaches back by the lag. Plain joins, here and in `exclusions_at`: a `limit` or an aggregate for each row
-- would keep Postgres from reading the books on more than one processor.
create function tieout.coverage_at(accounts integer[], known_at timestamptz)
returns table (account_id integer, provider text, told tstzmultirange, first_told timestamptz)
language sql stable parallel safe as $$
  select p.account_id, p.provider, p.told, least(p.first_from, lower(p.told))
  from (
    select p.account_id, p.provider, p.first_from,
           p.activity + coalesce(range_agg(tstzrange(
             case when lower(span) = p.first_from then lower(span) - p.lag else lower(span) end,
             greatest(lower(span), upper(span) - p.lag)
           )) filter (where upper(span) - p.lag > lower(span) - p.lag), '{}') as told
    from (
      select s.account_id, s.provider,
             min(s.period_from) as first_from,
             coalesce(range_agg(tstzrange(s.period_from, s.period_to)) filter (where s.period_basis = 'activity'), '{}') as activity,
             coalesce(range_agg(tstzrange(s.period_from, s.period_to)) filter (where s.period_basis = 'settlement'), '{}') as settlement,
             make_interval(days => coalesce(min(calendar.lag_days), 30)) as lag
      from tieout.statements as s
      left join (
        select distinct on (p.account_id, p.provider) p.account_id, p.provider, (v.value ->> 'statement_lag_days')::int as lag_days
        from (select distinct account_id, provider from tieout.statements where account_id = any (coverage_at.accounts)) as p
        join tieout.provider_settings as v
          on v.kind = 'calendar'
         and v.name = ''
         and v.provider in (p.provider, '*')
         and (v.account_id = p.account_id or v.account_id is null)
         and v.saved_at <= coverage_at.known_at
        order by p.account_id, p.provider, v.provider = '*', v.account_id is null, v.version desc
      ) as calendar on calendar.account_id = s.account_id and calendar.provider = s.provider
      where s.account_id = any (coverage_at.accounts)
        and s.imported_at <= coverage_at.known_at
        and (s.withdrawn_at is null or s.withdrawn_at > coverage_at.known_at)
        and s.period_from is not null
        and s.period_basis <> 'summary'
      group by s.account_id, s.provider
    ) as p
    left join lateral unnest(p.settlement) as span on true
    group by p.account_id, p.provider, p.first_from, p.activity, p.lag
  ) as p
$$;

comment on function tieout.coverage_at(integer[], timestamptz) is 'Of which times each provider''s statements told, by what was known at a time.';

-- What had been read of the aggregator.
create function tieout.read_at(accounts integer[], known_at timestamptz)
returns table (account_id integer, covered tstzmultirange)
language sql stable parallel safe as $$
  select a.id, case when read_at.known_at = 'infinity' then a.covered else coalesce(sealed.times, '{}') end
  from tieout.accounts as a
  left join (
    select w.account_id, range_agg(tstzrange(w.range_from, w.range_to)) as times
    from tieout.sync_windows as w
    where w.account_id = any (read_at.accounts)
      and w.sealed_at <= read_at.known_at
      and w.kind not in ('refresh', 'event')
      and read_at.known_at <> 'infinity'
    group by w.account_id
  ) as sealed on sealed.account_id = a.id
  where a.id = any (read_at.accounts)
$$;

comment on function tieout.read_at(integer[], timestamptz) is 'The times that had been read from the aggregator completely.';

-- Longer than any row of closed days: a calendar that closes every day moves nothing out of sight.
create function tieout.days_to_business_day(day date, calendar jsonb) returns integer
language sql stable parallel safe as $$
  select coalesce(min(later), 0)::int
  from generate_series(0, 30) as later
  where calendar ? 'closed_on_weekends'       -- most calendars say nothing about closed days
    and not ((calendar ->> 'closed_on_weekends')::boolean and extract(isodow from day + later) > 5)
    and not exists (
      select
      from jsonb_array_elements(coalesce(calendar -> 'holidays', '[]')) as holiday
      where (holiday ->> 'day')::date = day + later
    )
$$;

comment on function tieout.days_to_business_day(date, jsonb) is 'How many days after a day the next business day is: 0 where it is one itself, by the weekends and holidays of a provider''s calendar.';

create function tieout.moved_money(status text) returns boolean
language sql immutable parallel safe as $$
  select status not in ('created', 'awaiting_payment', 'processing', 'canceled', 'expired', 'failed')
$$;

comment on function tieout.moved_money(text) is 'Whether a line with this status says that money moved.';

-- Files with one payout in a currency: to it belong the lines of that file that name none.
create function tieout.file_payouts(accounts integer[], known_at timestamptz)
returns table (statement_id bigint, currency text, payout_ref text)
language sql stable parallel safe as $$
  select l.statement_id, l.net_currency, min(coalesce(l.payout_ref, l.provider_transaction_id))
  from tieout.lines_at(file_payouts.accounts, file_payouts.known_at) as l
  where l.line_type = 'payout'
  group by l.statement_id, l.net_currency
  having count(*) = 1
$$;

comment on function tieout.file_payouts(integer[], timestamptz) is 'Files that declare one payout in a currency, and which.';

create function tieout.payout_status(status text, payout_date timestamptz, as_at timestamptz) returns text
language sql immutable parallel safe as $$
  select case when payout_status.status = 'tied' and payout_date >= as_at then 'expected' else payout_status.status end
$$;

comment on function tieout.payout_status(text, timestamptz, timestamptz) is 'How a payout stands at an instant: one that ties and is dated later is expected.';

create function tieout.payouts_at(accounts integer[], known_at timestamptz)
returns setof tieout.payouts
language sql stable parallel safe as $$
  select p.*
  from tieout.payouts as p
  where p.account_id = any (payouts_at.accounts)
    and p.last_changed_at <= payouts_at.known_at
  union all
  select p.id, p.account_id, p.provider, p.payout_ref, p.currency, h.payout_date, h.last_line_at, h.line_count, h.gross, h.fees,
         h.refunds, h.chargebacks, h.chargeback_reversals, h.commissions, h.adjustments, h.reserves, h.net_computed,
         h.net_declared, h.difference, h.declared_by_line_id, h.transaction_hash, h.status, p.first_seen_at, h.known_from
  from tieout.payout_history as h
  join tieout.payouts as p on p.id = h.payout_id
  where p.account_id = any (payouts_at.accounts)
    and h.known_from <= payouts_at.known_at
    and (h.known_to is null or h.known_to > payouts_at.known_at)
$$;

comment on function tieout.payouts_at(integer[], timestamptz) is 'Payouts with the figures they were known to have at a time.';

-- ---------------------------------------------------------------------------------------------------------------------
-- What disagrees, and what people have decided
-- ---------------------------------------------------------------------------------------------------------------------

create function tieout.findings_at(accounts integer[], as_at timestamptz, known_at timestamptz)
returns table (
  account_id integer, provider text, code text, level text, subject_kind text, fingerprint bytea, transaction_id text,
  line_id bigint, payout_ref text, period_from timestamptz, period_to timestamptz, expected numeric, actual numeric,
  currency text, expected_text text, actual_text text, value numeric, value_currency text, owed numeric,
  owed_currency text, since timestamptz, near_period_edge boolean, decision text, decided_by text, decided_by_name text, booked_at timestamptz,
  reason text, is_open boolean, receipt_line_id bigint
)
language sql stable parallel safe as $$
  select f.account_id, f.provider, f.code, f.level, f.subject_kind, f.fingerprint, f.transaction_id, f.line_id,
         f.payout_ref, f.period_from, f.period_to, f.expected, f.actual, f.currency, f.expected_text, f.actual_text,
         f.value, f.value_currency, f.owed, f.owed_currency, f.holds_from, f.near_period_edge, d.decision, d.decided_by,
         d.decided_by_name, d.booked_at, d.reason, d.id is null, f.receipt_line_id
  from tieout.findings as f
  left join tieout.decisions as d
    on d.fingerprint = f.fingerprint
   and d.facts_hash = f.facts_hash
   and d.booked_at < findings_at.as_at
   and d.known_from <= findings_at.known_at
   and (d.known_to is null or d.known_to > findings_at.known_at)
  where f.account_id = any (findings_at.accounts)
    and f.known_from <= findings_at.known_at
    and (f.known_to is null or f.known_to > findings_at.known_at)
    and f.holds_from < findings_at.as_at
    and f.holds_to >= findings_at.as_at
$$;

comment on function tieout.findings_at(integer[], timestamptz, timestamptz) is 'What disagreed as at an instant, by what was known at another, and whether a person had closed it by then.';

-- What has arrived of a payout as at an instant, and the state that this puts it in. The tolerance and the due date are
-- those by which it was judged: what disagrees is a finding, and is looked up here.
create function tieout.payout_received(payout tieout.payouts, as_at timestamptz, known_at timestamptz)
returns table (received numeric, bank_fee numeric, received_at timestamptz, received_reference text, state text)
language sql stable parallel safe as $$
  select trim_scale(coalesce(m.received, 0)), trim_scale(coalesce(m.bank_fee, 0)), m.received_at, m.reference,
         case
           when f.code = 'payout_short' then 'short'
           when f.code = 'payout_over' then 'over'
           when f.code = 'payout_not_received' then 'overdue'
           when m.received is not null then 'received'
           when payout.payout_date < payout_received.as_at then 'declared'
           else 'expected'
         end
  from (
    select sum(m.amount) as received, sum(m.bank_fee) as bank_fee, max(m.effective_at) as received_at,
           string_agg(distinct coalesce(l.bank_reference, l.hash, l.end_to_end_id, l.reference), ' ') as reference
    from tieout.receipt_matches as m
    join tieout.receipt_lines as l on l.id = m.receipt_line_id
    where m.payout_id = payout.id
      and m.effective_at < payout_received.as_at
      and m.matched_at <= payout_received.known_at
      and (m.ended_at is null or m.ended_at > payout_received.known_at)
  ) as m
  left join lateral (
    select f.code
    from tieout.findings as f
    where f.account_id = payout.account_id
      and f.provider = payout.provider
      and f.payout_ref = payout.payout_ref
      and f.currency = payout.currency
      and f.subject_kind = 'payout'
      and f.code in ('payout_short', 'payout_over', 'payout_not_received')
      and f.known_from <= payout_received.known_at
      and (f.known_to is null or f.known_to > payout_received.known_at)
      and f.holds_from < payout_received.as_at
      and f.holds_to >= payout_received.as_at
    order by f.code
    limit 1
  ) as f on true
$$;

comment on function tieout.payout_received(tieout.payouts, timestamptz, timestamptz) is 'What has arrived of a payout as at an instant, by what was known at another, and its state: expected, declared, received, short, over or overdue.';

-- For the view in `reporting`, whose readers may not read the tables: it runs with the rights of its owner.
create function tieout.payouts_received_now()
returns table (
  payout_id bigint, received numeric, bank_fee numeric, received_at timestamptz, received_reference text, state text
)
language sql stable parallel safe security definer set search_path = tieout, pg_catalog as $$
  select p.id, arrived.*
  from tieout.payouts as p
  cross join lateral tieout.payout_received(p, now(), 'infinity') as arrived
$$;

comment on function tieout.payouts_received_now() is 'What has arrived of every payout, as it is now.';

-- An exclusion is a decision too: it counts from the day it is saved.
create function tieout.exclusions_at(accounts integer[], as_at timestamptz, known_at timestamptz)
returns table (
  account_id integer, provider text, everything boolean, before timestamptz, transaction_ids text[], saved_at timestamptz
)
language sql stable parallel safe as $$
  select v.account_id, v.provider,
         coalesce((v.value ->> 'everything')::boolean, false),
         (v.value ->> 'before')::timestamptz,
         array_remove(array_agg(named.transaction_id), null),
         v.saved_at
  from (
    select distinct on (p.account_id, p.provider) p.account_id, p.provider, v.value, v.saved_at
    from tieout.account_providers as p
    join tieout.provider_settings as v
      on v.kind = 'exclusion'
     and v.name = ''
     and v.provider in (p.provider, '*')
     and (v.account_id = p.account_id or v.account_id is null)
     and v.saved_at <= least(exclusions_at.as_at, exclusions_at.known_at)
    where p.account_id = any (exclusions_at.accounts)
    order by p.account_id, p.provider, v.provider = '*', v.account_id is null, v.version desc
  ) as v
  left join lateral jsonb_array_elements_text(v.value -> 'transaction_ids') as named (transaction_id) on true
  where v.value is not null
  group by v.account_id, v.provider, v.value, v.saved_at
$$;

comment on function tieout.exclusions_at(integer[], timestamptz, timestamptz) is 'What people had excluded by then.';

-- What people had split, part by part. Splits are few, and an index of their own holds them.
create function tieout.parts_at(accounts integer[], known_at timestamptz)
returns table (account_id integer, line_id bigint, match_id bigint, part_no smallint, transaction_id text, role text)
language sql stable parallel safe as $$
  select m.account_id, m.line_id, m.id, m.part_no, m.transaction_id, m.role
  from tieout.matches as m
  where m.part_amount is not null
    and m.account_id = any (parts_at.accounts)
    and m.matched_at <= parts_at.known_at
    and (m.ended_at is null or m.ended_at > parts_at.known_at)
$$;

comment on function tieout.parts_at(integer[], timestamptz) is 'The parts of the lines that people had split over several transactions, by what was known at a time.';

-- One row per line: what asks for the transaction of a line must not count the line once for each of them.
create function tieout.splits_at(accounts integer[], known_at timestamptz)
returns table (line_id bigint, match_id bigint, transaction_ids text)
language sql stable parallel safe as $$
  select p.line_id, (array_agg(p.match_id order by p.part_no))[1], string_agg(p.transaction_id, ' ' order by p.part_no)
  from tieout.parts_at(splits_at.accounts, splits_at.known_at) as p
  group by p.line_id
$$;

comment on function tieout.splits_at(integer[], timestamptz) is 'The lines that people had split, each with its first match and all of its transactions, by what was known at a time.';

-- ---------------------------------------------------------------------------------------------------------------------
-- Classes: every completed transaction, and every line that counts, is in exactly one of excluded, discrepant, matched and
-- pending, the first that applies. This is the one place where that is decided.
-- ---------------------------------------------------------------------------------------------------------------------

create function tieout.transaction_classes(accounts integer[], as_at timestamptz, known_at timestamptz)
returns table (
  account_id integer, provider text, transaction_id text, status_date timestamptz, provider_transaction_id text,
  source_currency text, in_amount numeric, target_currency text, out_amount numeric, in_is_fiat boolean, fiat_currency text,
  fiat_amount numeric, match_id bigint, line_id bigint, is_settled boolean, settled_at timestamptz, due_at timestamptz,
  is_excluded boolean, is_written_off boolean, codes text, class text, pending_code text
)
language sql stable parallel safe as $$
  select t.account_id, t.provider, t.transaction_id, t.status_date, t.provider_transaction_id, t.source_currency, t.in_amount,
         t.target_currency, t.out_amount, source.is_fiat, leg.currency, leg.amount, m.id, m.line_id,
         said.is_settled, m.effective_at, nullif((due.date).due_at, 'infinity'), said.is_excluded,
         verdict.is_written_off is true or late.decision is not distinct from 'written_off',
         nullif(concat_ws(' ', verdict.codes, case when late.is_open then late.code end), ''),
         judged.class,
         case
           when judged.class <> 'pending' then null
           when m.id is not null then 'in_transit_at_cutoff'
           when (due.date).currency is not null then 'below_payout_threshold'
           else 'awaiting_statement'
         end
  from tieout.completed_at(transaction_classes.accounts, transaction_classes.as_at, transaction_classes.known_at) as t
  left join tieout.currency_words as source on source.word = t.source_currency
  left join tieout.currency_words as target on target.word = t.target_currency
  cross join lateral (
    select case when source.is_fiat then source.code when target.is_fiat then target.code end,
           case when source.is_fiat then t.in_amount when target.is_fiat then t.out_amount end
  ) as leg (currency, amount)
  left join tieout.matches as m
    on m.account_id = t.account_id
   and m.transaction_id = t.transaction_id
   and m.role = 'settles'
   and m.rule <> 'suggested'
   and m.matched_at <= transaction_classes.known_at
   and (m.ended_at is null or m.ended_at > transaction_classes.known_at)
  left join tieout.coverage_at(transaction_classes.accounts, transaction_classes.known_at) as told
    on told.account_id = t.account_id
   and told.provider = t.provider
  left join tieout.exclusions_at(transaction_classes.accounts, transaction_classes.as_at, transaction_classes.known_at) as e
    on e.account_id = t.account_id
   and e.provider = t.provider
  cross join lateral (
    select coalesce(m.effective_at < transaction_classes.as_at, false),
           coalesce(e.everything or t.status_date < e.before or t.transaction_id = any (e.transaction_ids), false)
             -- Before the first statement nothing was to be told.
             or m.id is null and coalesce(t.status_date < told.first_told, false)
  ) as said (is_settled, is_excluded)
  left join (
    select f.account_id, f.transaction_id,
           bool_or(f.is_open and f.level = 'error') as is_discrepant,
           bool_or(f.decision = 'written_off') as is_written_off,
           string_agg(distinct f.code, ' ' order by f.code) filter (where f.is_open) as codes
    from tieout.findings_at(transaction_classes.accounts, transaction_classes.as_at, transaction_classes.known_at) as f
    where f.subject_kind = 'transaction'
    group by f.account_id, f.transaction_id
  ) as verdict
    on verdict.account_id = t.account_id
   and verdict.transaction_id = t.transaction_id
  left join (
    select f.account_id, f.provider, f.period_from, f.period_to, f.currency, f.code, f.is_open, f.decision
    from tieout.findings_at(transaction_classes.accounts, transaction_classes.as_at, transaction_classes.known_at) as f
    where f.code = 'statement_overdue'
  ) as late
    on late.account_id = t.account_id
   and late.provider = t.provider
   and late.period_from <= t.status_date
   and late.period_to > t.status_date
   and late.currency = leg.currency
   and m.id is null
   and not said.is_excluded
   and not coalesce(told.told @> t.status_date, false)
  cross join lateral (          -- looked up only where it is asked for, and for none that is settled
    select case
      when not said.is_settled and not said.is_excluded then (
        select d
        from tieout.due_dates as d
        where d.account_id = t.account_id
          and d.provider = t.provider
          and d.period_from <= t.status_date
          and d.period_to > t.status_date
          and (d.currency is null or d.currency = leg.currency)
          and d.known_from <= transaction_classes.known_at
          and (d.known_to is null or d.known_to > transaction_classes.known_at)
        order by d.currency is null
        limit 1
      )
    end
  ) as due (date)
  cross join lateral (
    select case
      when said.is_excluded then 'excluded'
      when verdict.is_discrepant or late.is_open then 'discrepant'
      when said.is_settled then 'matched'
      -- A person has closed what stood against it.
      when verdict.transaction_id is not null and verdict.codes is null or late.is_open is false then 'excluded'
      else 'pending'
    end
  ) as judged (class)
$$;

comment on function tieout.transaction_classes(integer[], timestamptz, timestamptz) is 'The class of every transaction that was completed as at an instant, by what was known at another.';

-- Of all lines, or of some: what stands against lines is then looked up, and not added up for the whole account.
create function tieout.line_classes(accounts integer[], as_at timestamptz, known_at timestamptz, line_ids bigint[] default null)
returns table (
  account_id integer, provider text, line_id bigint, effective_at timestamptz, statement_id bigint, line_no integer, line_type text,
  status text, provider_transaction_id text, transaction_hash text, fiat_currency text, fiat_gross numeric, fee_currency text,
  fee_total numeric, net_currency text, net_amount numeric, asset text, crypto_amount numeric, match_id bigint, is_split boolean,
  transaction_id text, match_rule text, in_difference numeric, out_difference numeric, difference_name text, payout_ref text,
  codes text, class text, pending_code text
)
language sql stable parallel safe as $$
  select l.account_id, l.provider, l.id, l.effective_at, l.statement_id, l.line_no, l.line_type, l.status, l.provider_transaction_id,
         l.transaction_hash, l.fiat_currency, l.fiat_gross, l.fee_currency, l.fee_total, l.net_currency, l.net_amount, l.asset,
         l.crypto_amount, held.match_id, split.line_id is not null, held.transaction_ids, m.rule, m.in_difference, m.out_difference,
         m.difference_name, paid.ref,
         nullif(concat_ws(' ', own.codes, pair.codes, parts.codes), ''), judged.class,
         case
           when judged.class in ('discrepant', 'excluded') or l.line_type in ('payout', 'balance', 'commission_total') then null
           when held.match_id is null
            and (l.line_type in ('charge', 'refund', 'chargeback', 'chargeback_reversal')
              or coalesce(l.provider_transaction_id, l.our_reference, l.transaction_hash) is not null)
            and not read.covered @> l.effective_at then 'awaiting_records'
           when l.net_amount = 0 or payout.payout_date < line_classes.as_at then null
           when payout.payout_date is not null then 'in_transit_at_cutoff'
           when payout.payout_ref is null and exists (
             select
             from tieout.findings_at(line_classes.accounts, line_classes.as_at, line_classes.known_at) as f
             where f.code = 'payout_overdue'
               and f.account_id = l.account_id
               and f.provider = l.provider
               and f.currency = coalesce(l.net_currency, l.fiat_currency)
               and f.period_from <= l.effective_at
               and f.period_to > l.effective_at
           ) then null
           else 'awaiting_payout'
         end
  from tieout.lines_at(line_classes.accounts, line_classes.known_at) as l
  left join tieout.matches as m
    on m.line_id = l.id
   and m.rule <> 'suggested'
   and m.part_amount is null
   and m.matched_at <= line_classes.known_at
   and (m.ended_at is null or m.ended_at > line_classes.known_at)
  left join tieout.splits_at(line_classes.accounts, line_classes.known_at) as split
    on split.line_id = l.id
  cross join lateral (
    select coalesce(m.id, split.match_id), coalesce(m.transaction_id, split.transaction_ids)
  ) as held (match_id, transaction_ids)
  left join tieout.file_payouts(line_classes.accounts, line_classes.known_at) as file
    on file.statement_id = l.statement_id
   and file.currency = coalesce(l.net_currency, l.fiat_currency)
   and l.payout_ref is null
   and l.line_type <> 'payout'
  -- A line that moves nothing and names no payout is in none, although its file may have one; nor is a stated balance.
  cross join lateral (
    select case
      when l.line_type in ('balance', 'commission_total') then null
      when l.payout_ref is not null then l.payout_ref
      when l.line_type = 'payout' then l.provider_transaction_id
      when l.net_amount <> 0 then file.payout_ref
    end
  ) as paid (ref)
  left join (
    select p.account_id, p.provider, p.payout_ref, min(p.payout_date) as payout_date
    from tieout.payouts_at(line_classes.accounts, line_classes.known_at) as p
    where p.net_declared is not null
    group by p.account_id, p.provider, p.payout_ref
  ) as payout
    on payout.account_id = l.account_id
   and payout.provider = l.provider
   and payout.payout_ref = paid.ref
  left join (
    select f.account_id, f.transaction_id,
           bool_or(f.is_open and f.level = 'error') as is_discrepant,
           string_agg(distinct f.code, ' ' order by f.code) filter (where f.is_open) as codes
    from tieout.findings_at(line_classes.accounts, line_classes.as_at, line_classes.known_at) as f
    where f.subject_kind = 'transaction'
      and (line_classes.line_ids is null or f.transaction_id = any (array(
        select matched.transaction_id from tieout.matches as matched where matched.line_id = any (line_classes.line_ids)
      )))
    group by f.account_id, f.transaction_id
  ) as pair
    on pair.account_id = m.account_id
   and pair.transaction_id = m.transaction_id
   and m.role = 'settles'
  -- Of a split, what stands against any of its transactions stands against the line.
  left join (
    select p.line_id,
           bool_or(f.is_open and f.level = 'error') as is_discrepant,
           string_agg(distinct f.code, ' ' order by f.code) filter (where f.is_open) as codes
    from tieout.parts_at(line_classes.accounts, line_classes.known_at) as p
    join tieout.findings_at(line_classes.accounts, line_classes.as_at, line_classes.known_at) as f
      on f.account_id = p.account_id
     and f.transaction_id = p.transaction_id
     and f.subject_kind = 'transaction'
    where p.role = 'settles'
    group by p.line_id
  ) as parts
    on parts.line_id = l.id
  left join (
    select f.line_id,
           bool_or(f.is_open and f.level = 'error') as is_discrepant,
           string_agg(distinct f.code, ' ' order by f.code) filter (where f.is_open) as codes
    from tieout.findings_at(line_classes.accounts, line_classes.as_at, line_classes.known_at) as f
    where f.subject_kind <> 'transaction'       -- a balance stands for its period, a declaration for its payout
      and f.line_id is not null
      and (line_classes.line_ids is null or f.line_id = any (line_classes.line_ids))
    group by f.line_id
  ) as own
    on own.line_id = l.id
  left join tieout.read_at(line_classes.accounts, line_classes.known_at) as read
    on read.account_id = l.account_id
  cross join lateral (
    select case
      when own.is_discrepant or pair.is_discrepant or parts.is_discrepant then 'discrepant'
      when held.match_id is not null then 'matched'
      when own.line_id is not null and own.codes is null then 'excluded'
      when l.line_type = 'charge' and not tieout.moved_money(l.status) then 'excluded'
      when l.line_type in ('payout', 'fee', 'commission', 'adjustment', 'reserve') and payout.payout_date < line_classes.as_at then 'matched'
      when l.line_type = 'commission_total' then 'matched'
      -- Nothing to meet but the balance before it; the first has none, and only says where to begin.
      when l.line_type = 'balance' then case when exists (
        select
        from tieout.lines_at(line_classes.accounts, line_classes.known_at) as before
        where before.account_id = l.account_id
          and before.provider = l.provider
          and before.net_currency = l.net_currency
          and before.line_type = 'balance'
          and before.effective_at < l.effective_at
      ) then 'matched' else 'excluded' end
      else 'pending'
    end
  ) as judged (class)
  where l.effective_at < line_classes.as_at
    and (line_classes.line_ids is null or l.id = any (line_classes.line_ids))
$$;

comment on function tieout.line_classes(integer[], timestamptz, timestamptz, bigint[]) is 'The class of every statement line that counted and was dated before an instant, by what was known at another.';

-- For the views in `reporting`, whose readers may not read the tables: these run with the rights of their owner.
create function tieout.transaction_classes_now() returns table (account_id integer, transaction_id text, class text)
language sql stable parallel safe security definer set search_path = tieout, pg_catalog as $$
  select c.account_id, c.transaction_id, c.class
  from tieout.transaction_classes(array(select id from tieout.accounts), now(), 'infinity') as c
$$;

comment on function tieout.transaction_classes_now() is 'The class of every completed transaction, as it is now.';

create function tieout.line_classes_now() returns table (line_id bigint, class text, pending_code text)
language sql stable parallel safe security definer set search_path = tieout, pg_catalog as $$
  select c.line_id, c.class, c.pending_code
  from tieout.line_classes(array(select id from tieout.accounts), now(), 'infinity') as c
$$;

comment on function tieout.line_classes_now() is 'The class of every statement line that counts, as it is now.';
