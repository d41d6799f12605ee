-- Question: From which lines of which files, and which transactions, does a payout come?
-- Grain: one row per line of the payout
-- Columns:
--   payout_ref, currency: the payout
--   file_name, line_no, file_sha256: the file and the line; the hash says which bytes were read
--   line_type, net_amount: what it adds; a line of type payout states what the others should add up to
--   transaction_id, rule: the transaction it stands for, and what says so
--   record_hash: the very record that it was compared with

select l.payout_ref,
       l.net_currency as currency,
       l.file_name,
       l.line_no,
       left(l.file_sha256, 12) as file_sha256,
       l.line_type,
       l.net_amount,
       m.transaction_id,
       m.rule,
       left(m.record_hash, 12) as record_hash
from reporting.statement_lines as l
left join reporting.matches as m on m.line_id = l.line_id and m.state = 'active'
where l.account = 'acme'
  and l.provider = 'moonpay'
  and l.payout_ref = 'MP-1'
  and l.is_current
order by l.file_name, l.line_no;
