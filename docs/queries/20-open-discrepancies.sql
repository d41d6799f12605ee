-- Question: What is open, for how long, and how much is at stake?
-- Grain: one row per account, provider, code, currency and range of age, the most money first
-- Columns:
--   account, provider, code, level: what disagrees, and with whom
--   currency: currency of value; never add two of them
--   age: whole days since it disagrees, as a range
--   discrepancies, value: how many, and what is at stake in them
-- The view has the same as age_days and bucket, up to the present.

with aged as (
  select *, (now() at time zone 'UTC')::date - (since at time zone 'UTC')::date as days
  from reporting.discrepancies
  where state in ('open', 'investigating')
)
select account,
       provider,
       code,
       level,
       value_currency as currency,
       case when days <= 1 then '0-1' when days <= 3 then '2-3' when days <= 7 then '4-7' else '8+' end as age,
       count(*) as discrepancies,
       sum(value) as value
from aged
group by account, provider, code, level, value_currency, age
order by account, value_currency, sum(value) desc nulls last, provider, code, age;
