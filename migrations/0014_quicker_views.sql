-- As before, but what is overdue is joined once. It was looked up for every line that waits for a payout, and each look-up read all findings.
create or replace function tieout.line_classes(accounts integer[], as_at timestamptz, known_at timestamptz, line_ids bigint[] default null)
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
           when payout.payout_ref is null and overdue.periods @> l.effective_at then null
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
  -- The periods for which a payout is overdue, one row for each provider and currency.
  left join (
    select f.account_id, f.provider, f.currency, range_agg(tstzrange(f.period_from, f.period_to)) as periods
    from tieout.findings_at(line_classes.accounts, line_classes.as_at, line_classes.known_at) as f
    where f.code = 'payout_overdue'
      and f.period_from < f.period_to
    group by f.account_id, f.provider, f.currency
  ) as overdue
    on overdue.account_id = l.account_id
   and overdue.provider = l.provider
   and overdue.currency = coalesce(l.net_currency, l.fiat_currency)
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
--> statement-breakpoint
-- For the views in `reporting`, whose readers may not read the tables: these run with the rights of their owner. A few rows each.
create function tieout.coverage_now()
returns table (account_id integer, provider text, told tstzmultirange, first_told timestamptz)
language sql stable parallel safe security definer set search_path = tieout, pg_catalog rows 20 as $$
  select * from tieout.coverage_at(array(select id from tieout.accounts), 'infinity')
$$;

comment on function tieout.coverage_now() is 'The time that each provider''s statements cover, as it is now.';

create function tieout.exclusions_now()
returns table (account_id integer, provider text, everything boolean, before timestamptz, transaction_ids text[])
language sql stable parallel safe security definer set search_path = tieout, pg_catalog rows 20 as $$
  select e.account_id, e.provider, e.everything, e.before, e.transaction_ids
  from tieout.exclusions_at(array(select id from tieout.accounts), now(), 'infinity') as e
$$;

comment on function tieout.exclusions_now() is 'What is left out of each provider''s books, as it is now.';

create function tieout.overdue_statements_now()
returns table (account_id integer, provider text, currency text, periods tstzmultirange, open_periods tstzmultirange)
language sql stable parallel safe security definer set search_path = tieout, pg_catalog rows 20 as $$
  select f.account_id, f.provider, f.currency, range_agg(tstzrange(f.period_from, f.period_to)),
         coalesce(range_agg(tstzrange(f.period_from, f.period_to)) filter (where f.is_open), '{}')
  from tieout.findings_at(array(select id from tieout.accounts), now(), 'infinity') as f
  where f.code = 'statement_overdue'
    and f.period_from < f.period_to
  group by f.account_id, f.provider, f.currency
$$;

comment on function tieout.overdue_statements_now() is 'The periods whose statements are overdue, and those of them that are still open.';
--> statement-breakpoint
-- The class follows the rule of `transaction_classes`, with both times fixed to now. It is written out because Postgres cannot look into a
-- function that runs with its owner's rights: it would judge every transaction, even when one is asked for. Every join finds at most
-- one row, by a key that Postgres knows, so it drops the joins whose columns are not asked for.
create or replace view reporting.transactions as
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
       case
         when latest.status is distinct from 'completed' then null
         when e.everything or latest.status_date < e.before or t.transaction_id = any (e.transaction_ids) then 'excluded'
         else case (
             -- Whether it is settled by now; null if it has no match. Looked up only where the class is asked for.
             select m.effective_at < now()
             from tieout.matches as m
             where m.account_id = t.account_id
               and m.transaction_id = t.transaction_id
               and m.role = 'settles'
               and m.state = 'active'
           )
           when true then case when verdict.is_discrepant then 'discrepant' else 'matched' end
           when false then case when verdict.is_discrepant then 'discrepant' when not verdict.is_open then 'excluded' else 'pending' end
           else case
             when latest.status_date < told.first_told then 'excluded'
             when verdict.is_discrepant or late.is_open then 'discrepant'
             when not verdict.is_open or late.is_found then 'excluded'
             else 'pending'
           end
         end
       end as class
from tieout.transactions as t
left join tieout.accounts as a on a.id = t.account_id
-- For a transaction whose latest status is dated in the future: the status that holds now.
left join (
  select distinct on (s.account_id, s.transaction_id) s.account_id, s.transaction_id, s.status, s.provider, s.status_date,
         s.source_currency, s.target_currency
  from tieout.transactions as future
  join tieout.odd_histories as odd on odd.account_id = future.account_id and odd.transaction_id = future.transaction_id
  join tieout.transaction_statuses as s on s.account_id = odd.account_id and s.transaction_id = odd.transaction_id
  where future.status_date >= now()
    and s.status_date < now()
  order by s.account_id, s.transaction_id, s.status_date desc, s.status_rank desc, s.record_hash desc
) as earlier
  on earlier.account_id = t.account_id
 and earlier.transaction_id = t.transaction_id
cross join lateral (
  select case when t.status_date < now() then t.status else earlier.status end,
         lower(coalesce(case when t.status_date < now() then t.provider else earlier.provider end, '')),
         case when t.status_date < now() then t.status_date else earlier.status_date end,
         case when t.status_date < now() then t.source_currency else earlier.source_currency end,
         case when t.status_date < now() then t.target_currency else earlier.target_currency end
) as latest (status, provider, status_date, source_currency, target_currency)
left join tieout.currency_words as source on source.word = latest.source_currency
left join tieout.currency_words as target on target.word = latest.target_currency
left join (
  select c.account_id, c.provider, range_agg(c.told) as told, max(c.first_told) as first_told
  from tieout.coverage_now() as c
  group by c.account_id, c.provider
) as told
  on told.account_id = t.account_id
 and told.provider = latest.provider
left join (
  select e.account_id, e.provider, bool_or(e.everything) as everything, max(e.before) as before, max(e.transaction_ids) as transaction_ids
  from tieout.exclusions_now() as e
  group by e.account_id, e.provider
) as e
  on e.account_id = t.account_id
 and e.provider = latest.provider
left join (
  select f.account_id, f.transaction_id,
         bool_or(d.id is null and f.level = 'error') as is_discrepant,
         bool_or(d.id is null) as is_open
  from tieout.findings as f
  left join tieout.decisions as d
    on d.fingerprint = f.fingerprint
   and d.facts_hash = f.facts_hash
   and d.booked_at < now()
   and d.known_to is null
  where f.subject_kind = 'transaction'
    and f.known_to is null
    and f.holds_from < now()
    and f.holds_to >= now()
  group by f.account_id, f.transaction_id
) as verdict
  on verdict.account_id = t.account_id
 and verdict.transaction_id = t.transaction_id
left join (
  select o.account_id, o.provider, o.currency, range_agg(o.periods) as periods, range_agg(o.open_periods) as open_periods
  from tieout.overdue_statements_now() as o
  group by o.account_id, o.provider, o.currency
) as overdue
  on overdue.account_id = t.account_id
 and overdue.provider = latest.provider
 and overdue.currency = case when source.is_fiat then source.code when target.is_fiat then target.code end
cross join lateral (
  select not coalesce(told.told @> latest.status_date, false) and overdue.open_periods @> latest.status_date,
         not coalesce(told.told @> latest.status_date, false) and overdue.periods @> latest.status_date
) as late (is_open, is_found)
where (select tieout.reads_all()) or t.account_id = any ((select tieout.readable_accounts())::integer[]);
--> statement-breakpoint
create or replace view reporting.statement_lines as
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
) as judged
  on judged.line_id = l.id + 0        -- `+ 0`, because with line_id = 5 Postgres no longer sees that there is one row each
where (select tieout.reads_all()) or l.account_id = any ((select tieout.readable_accounts())::integer[]);
-- So that it is worked out once, not again in each parallel process.
alter function tieout.line_classes_now() parallel restricted;
--> statement-breakpoint
-- Each day is summed by itself. As a plain join, every transaction was compared with every day that was asked for.
create or replace view reporting.daily_summary as
select a.name as account,
       days.day,
       t.provider,
       t.transaction_type,
       t.status,
       t.source_currency,
       t.target_currency,
       t.transactions,
       t.in_amount,
       t.out_amount
from (
  select day::date as day
  from (select min(status_date) as first_at, max(status_date) as last_at from tieout.transactions) as extent,
       generate_series(date_trunc('day', extent.first_at at time zone 'UTC'), extent.last_at at time zone 'UTC', interval '1 day') as day
) as days
cross join lateral (
  select t.account_id, t.provider, t.transaction_type, t.status, t.source_currency, t.target_currency,
         count(*) as transactions, sum(t.in_amount) as in_amount, sum(t.out_amount) as out_amount
  from tieout.transactions as t
  where t.status_date >= days.day::timestamp at time zone 'UTC'
    and t.status_date < (days.day + 1)::timestamp at time zone 'UTC'
    and ((select tieout.reads_all()) or t.account_id = any ((select tieout.readable_accounts())::integer[]))
  group by t.account_id, t.provider, t.transaction_type, t.status, t.source_currency, t.target_currency
) as t
left join tieout.accounts as a on a.id = t.account_id;
--> statement-breakpoint
-- Nearly all matches are made by rules, and few have ended: no name needs to be looked up for those.
alter function tieout.actor_name(text) strict;
--> statement-breakpoint
create or replace view reporting.matches as
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
       case when m.made_by = 'rules' then m.made_by else tieout.actor_name(m.made_by) end as made_by_name,
       tieout.actor_name(m.ended_by) as ended_by_name,
       m.part_amount
from tieout.matches as m
left join tieout.accounts as a on a.id = m.account_id
where (select tieout.reads_all()) or m.account_id = any ((select tieout.readable_accounts())::integer[]);
--> statement-breakpoint
drop function tieout.transaction_classes_now();
