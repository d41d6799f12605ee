-- What a bank has taken back is unmatched until it is matched, as money that came in is: below zero. It was 0. The report `receipts`
-- of closed months stays as it was signed.

insert into tieout.rule_changes (rule, since) values ('reversals_unmatched', clock_timestamp());
--> statement-breakpoint
-- As before (0008_receipts), except for unmatched_amount.
create or replace view reporting.receipts as
select a.name as account,
       l.id as receipt_line_id,
       f.id as receipt_file_id,
       f.file_name,
       w.line_no,
       -- On chain the account and the other side are wallets.
       case when l.hash is null or (select tieout.reads_wallets()) then l.bank_account else tieout.masked_wallet(l.bank_account) end as bank_account,
       l.value_date,
       l.booking_date,
       l.effective_at,
       l.amount,
       l.currency,
       l.direction,
       l.is_reversal,
       l.reference,
       l.end_to_end_id,
       l.bank_reference,
       l.hash,
       case when (select tieout.reads_wallets()) then l.remittance else tieout.masked_text(l.remittance) end as remittance,
       case when l.hash is null or (select tieout.reads_wallets()) then l.counterparty else tieout.masked_wallet(l.counterparty) end as counterparty,
       l.charges,
       l.original_amount,
       l.original_currency,
       m.payout_refs,
       m.providers,
       coalesce(m.settled, 0) as settled_amount,
       coalesce(m.bank_fee, 0) as bank_fee,
       case
         when m.is_converted then 0
         when l.direction = 'credit' then trim_scale(l.amount - coalesce(m.settled, 0))
         when l.is_reversal then trim_scale(-l.amount - coalesce(m.settled, 0))
         else 0
       end as unmatched_amount,
       l.imported_at
from tieout.receipt_lines as l
join tieout.accounts as a on a.id = l.account_id
join tieout.receipt_files as f on f.id = l.file_id
join tieout.receipt_rows as w on w.file_id = l.file_id and w.row_no = l.row_no
left join (
  select m.receipt_line_id,
         trim_scale(sum(m.amount)) as settled,
         trim_scale(sum(m.bank_fee)) as bank_fee,
         string_agg(distinct p.payout_ref, ' ') as payout_refs,
         string_agg(distinct p.provider, ' ') as providers,
         bool_or(lower(p.currency) <> lower(line.currency)) as is_converted
  from tieout.receipt_matches as m
  join tieout.payouts as p on p.id = m.payout_id
  join tieout.receipt_lines as line on line.id = m.receipt_line_id
  where m.state = 'active'
    and m.effective_at < now()
  group by m.receipt_line_id
) as m on m.receipt_line_id = l.id
where not exists (
  select from tieout.receipt_retirements as r where r.line_id = l.id and r.restored_at is null
)
  and ((select tieout.reads_all()) or a.id = any ((select tieout.readable_accounts())::integer[]));
--> statement-breakpoint
comment on column reporting.receipts.unmatched_amount is 'What is left of money that came in, or, below zero, of money that the bank took back: it names no payout we know.';
comment on column tieout.receipt_files.balances is 'The statements in the file: account, currency, days, opening, sum of lines, closing, and whether they add up.';
