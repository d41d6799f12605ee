-- Question: How much of what was completed is matched, pending, discrepant or excluded, per provider and currency?
-- Grain: one row per account, provider, fiat currency and class
-- Columns:
--   account, provider, currency: whose money, and in what
--   class: matched, pending (not late yet), discrepant, or excluded
--   transactions, amount: how many, and their fiat leg
-- As the last runs have left it. What a setting excludes counts as pending here; `tieout reconcile` and the report
-- `position` tell the two apart, and answer for past moments too.

with completed as (
  select account,
         transaction_id,
         lower(provider) as provider,
         status_date,
         upper(case transaction_type when 'sell' then target_currency else source_currency end) as currency,
         case transaction_type when 'sell' then out_amount else in_amount end as amount
  from reporting.transactions
  where status = 'completed'
), first_told as (
  select account, provider, min(period_from) as period_from
  from reporting.statements
  where state = 'imported'
  group by account, provider
), settled as (
  select account, transaction_id
  from reporting.matches
  where state = 'active'
    and role = 'settles'
), named as (
  select account,
         transaction_id,
         bool_or(level = 'error' and state in ('open', 'investigating')) as is_discrepant,
         bool_and(state in ('resolved', 'written_off')) as is_closed
  from reporting.discrepancies
  where subject_kind = 'transaction'
    and reason is distinct from 'agreed'
  group by account, transaction_id
), judged as (
  select c.*,
         case
           when s.transaction_id is null and c.status_date < f.period_from then 'excluded'
           when n.is_discrepant then 'discrepant'
           when s.transaction_id is not null then 'matched'
           when exists (
             select 1
             from reporting.discrepancies as d
             where d.code = 'statement_overdue'
               and d.state in ('open', 'investigating')
               and d.account = c.account
               and d.provider = c.provider
               and d.currency = c.currency
               and d.period_from <= c.status_date
               and d.period_to > c.status_date
           ) then 'discrepant'
           when n.is_closed then 'excluded'
           else 'pending'
         end as class
  from completed as c
  left join first_told as f on f.account = c.account and f.provider = c.provider
  left join settled as s on s.account = c.account and s.transaction_id = c.transaction_id
  left join named as n on n.account = c.account and n.transaction_id = c.transaction_id
)
select account, provider, currency, class, count(*) as transactions, sum(amount) as amount
from judged
group by account, provider, currency, class
order by account, provider, currency, class;
