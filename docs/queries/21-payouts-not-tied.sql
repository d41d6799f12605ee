-- Question: Which payouts are not the sum of their lines, and which lines are in them?
-- Grain: one row per line of such a payout, in the order of its file
-- Columns:
--   account, provider, payout_ref, currency: the payout
--   net_declared, net_computed, difference: what the provider says it paid, what its lines add up to, and what is left
--   file_name, line_no: where the line stands
--   line_type, net_amount: what it is, and what it adds to net_computed; a line of type payout repeats net_declared, and adds nothing

select p.account,
       p.provider,
       p.payout_ref,
       p.currency,
       p.net_declared,
       p.net_computed,
       p.difference,
       l.file_name,
       l.line_no,
       l.line_type,
       l.net_amount
from reporting.payouts as p
join reporting.statement_lines as l
  on l.account = p.account
 and l.provider = p.provider
 and l.payout_ref = p.payout_ref
 and l.net_currency = p.currency
where p.status = 'not_tied'
  and l.is_current
order by p.account, p.provider, p.payout_ref, l.file_name, l.line_no;
