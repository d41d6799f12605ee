-- Question: What has changed since this time yesterday?
-- Grain: one row per transaction that changed here, newest change first
-- Columns:
--   last_changed_at: when we learned of it
--   account, transaction_id, provider: the transaction
--   before: its status before the change; empty when it is new to us
--   status: its status now
--   status_date: the aggregator's time of that status

select t.last_changed_at,
       t.account,
       t.transaction_id,
       t.provider,
       earlier.status as before,
       t.status,
       t.status_date
from reporting.transactions as t
left join lateral (
  select s.status
  from reporting.transaction_statuses as s
  where s.account = t.account
    and s.transaction_id = t.transaction_id
    and s.first_seen_at < now() - interval '1 day'
  order by s.status_date desc, s.status_rank desc, s.record_hash desc
  limit 1
) as earlier on true
where t.last_changed_at >= now() - interval '1 day'
order by t.last_changed_at desc, t.account, t.transaction_id;
