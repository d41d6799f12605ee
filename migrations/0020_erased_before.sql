-- Completed orders that an erasure changed are found by what was known before it, as those of later erasures are: their
-- latest row is younger than the status row that it was made of. Of accounts without an erasure nothing is read.

insert into tieout.odd_histories (account_id, transaction_id)
select t.account_id, t.transaction_id
from tieout.transactions as t
join tieout.transaction_statuses as s
  on s.account_id = t.account_id
 and s.status_date = t.status_date
 and s.record_hash = t.record_hash
where t.account_id in (select e.account_id from tieout.erasures as e)
  and t.status = 'completed'
  and t.last_changed_at > s.first_seen_at
on conflict do nothing;
