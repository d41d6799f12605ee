-- The class of each transaction as it is now: the rule of `transaction_classes`, with both times fixed to now. `reporting.transactions` held this
-- text; lists need it as well. Every join finds at most one row, by a key that Postgres knows, so it drops the joins whose columns are
-- not asked for.
create view tieout.judged_transactions as
select t.*,
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
) as late (is_open, is_found);

comment on view tieout.judged_transactions is 'Every transaction at its latest status, with its class as it is now.';
comment on column tieout.judged_transactions.class is 'Of a completed transaction: matched, pending, discrepant or excluded; else null.';
--> statement-breakpoint
-- The other columns mean what they mean in the table.
do $$
declare
  described record;
begin
  for described in
    select attname, col_description(attrelid, attnum) as meaning
    from pg_attribute
    where attrelid = 'tieout.transactions'::regclass
      and attnum > 0
      and not attisdropped
  loop
    execute format('comment on column tieout.judged_transactions.%I is %L', described.attname, described.meaning);
  end loop;
end
$$;
--> statement-breakpoint
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
       t.class
from tieout.judged_transactions as t
left join tieout.accounts as a on a.id = t.account_id
where (select tieout.reads_all()) or t.account_id = any ((select tieout.readable_accounts())::integer[]);
