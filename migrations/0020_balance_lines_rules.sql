-- The balances that a provider states: few lines of many, and each is held against the one before it.
create index balance_lines on tieout.statement_lines (account_id, provider, net_currency, effective_at)
  where line_type = 'balance';
--> statement-breakpoint
-- A balance is matched with the one before it, and discrepant when the lines between them do not explain it. And what a
-- line still waits for, as the itemised report has it.
create or replace view reporting.statement_lines as
select a.name as account,
       l.provider,
       l.id as line_id,
       l.statement_id,
       s.file_name,
       encode(s.sha256, 'hex') as file_sha256,
       l.line_no,
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
       l.wallet_address,
       l.address_tag,
       l.created_at,
       l.effective_at,
       l.extra,
       (select w.original_text
        from tieout.statement_rows as w
        where w.statement_id = l.statement_id
          and w.line_no = l.line_no) as raw_text,
       l.imported_at,
       judged.class,
       case
         when judged.class is null or judged.class in ('discrepant', 'excluded') or l.line_type in ('payout', 'balance') then null
         when not met.is_met
          and (l.line_type in ('charge', 'refund', 'chargeback', 'chargeback_reversal')
            or coalesce(l.provider_transaction_id, l.our_reference, l.transaction_hash) is not null)
          and not a.covered @> l.effective_at then 'awaiting_records'
         when l.net_amount = 0 or paid.is_paid then null
         when met.is_met and exists (
           select
           from (
             select f.statement_id, f.net_currency, coalesce(f.payout_ref, f.provider_transaction_id) as ref,
                    count(*) over (partition by f.statement_id, f.net_currency) = 1 as is_only
             from tieout.statement_lines as f
             where f.account_id = l.account_id
               and f.provider = l.provider
               and f.effective_at >= now()      -- few: the index by time finds them
               and f.line_type = 'payout'
               and not exists (
                 select from tieout.line_retirements as gone where gone.line_id = f.id and gone.restored_at is null
               )
           ) as coming
           where coming.ref = l.payout_ref
              or (l.payout_ref is null
                and coming.is_only
                and coming.statement_id = l.statement_id
                and coming.net_currency = coalesce(l.net_currency, l.fiat_currency))
         ) then 'in_transit_at_cutoff'
         when exists (
           select
           from tieout.discrepancies as d
           where d.account_id = l.account_id
             and d.provider = l.provider
             and d.code = 'payout_overdue'
             and (d.state, d.reason) is distinct from ('resolved', 'agreed')
             and d.currency = coalesce(l.net_currency, l.fiat_currency)
             and l.effective_at >= d.period_from
             and l.effective_at < d.period_to
         ) then null
         else 'awaiting_payout'
       end as pending_code
from tieout.statement_lines as l
left join tieout.accounts as a on a.id = l.account_id
left join tieout.statements as s on s.id = l.statement_id
left join tieout.line_retirements as r on r.line_id = l.id and r.restored_at is null
cross join lateral (
  select exists (select from tieout.matches as m where m.line_id = l.id and m.state = 'active')
) as met (is_met)
cross join lateral (
  select exists (
    select
    from tieout.payouts as p
    where p.account_id = l.account_id
      and p.provider = l.provider
      and p.payout_ref = coalesce(
        l.payout_ref,
        case l.line_type when 'payout' then l.provider_transaction_id end,
        (select min(coalesce(f.payout_ref, f.provider_transaction_id))
         from tieout.statement_lines as f
         where f.statement_id = l.statement_id
           and f.line_type = 'payout'
           and f.net_currency = coalesce(l.net_currency, l.fiat_currency)
           and not exists (
             select from tieout.line_retirements as gone where gone.line_id = f.id and gone.restored_at is null
           )
         having count(*) = 1)
      )
      and p.net_declared is not null
  )
) as paid (is_paid)
cross join lateral (
  select case
    when r.line_id is not null then null
    when exists (
      select
      from tieout.discrepancies as d
      where d.line_id = l.id
        and d.subject_kind <> 'transaction'
        and d.level = 'error'
        and d.state in ('open', 'investigating')
    ) or exists (
      select
      from tieout.matches as m
      join tieout.discrepancies as d on d.account_id = m.account_id and d.transaction_id = m.transaction_id
      where m.line_id = l.id
        and m.state = 'active'
        and m.role = 'settles'
        and d.subject_kind = 'transaction'
        and d.level = 'error'
        and d.state in ('open', 'investigating')
    ) then 'discrepant'
    when met.is_met then 'matched'
    when exists (
      select
      from tieout.discrepancies as d
      where d.line_id = l.id
        and d.subject_kind <> 'transaction'
        and (d.state = 'written_off' or (d.state = 'resolved' and d.reason <> 'agreed'))
    ) then 'excluded'
    when l.line_type = 'charge'
     and l.status in ('created', 'awaiting_payment', 'processing', 'canceled', 'expired', 'failed') then 'excluded'
    when l.line_type in ('payout', 'fee', 'commission', 'adjustment', 'reserve') and paid.is_paid then 'matched'
    when l.line_type = 'balance' then case when exists (
      select
      from tieout.statement_lines as before
      where before.account_id = l.account_id
        and before.provider = l.provider
        and before.net_currency = l.net_currency
        and before.line_type = 'balance'
        and before.effective_at < l.effective_at
        and not exists (
          select from tieout.line_retirements as gone where gone.line_id = before.id and gone.restored_at is null
        )
    ) then 'matched' else 'excluded' end
    else 'pending'
  end
) as judged (class);
--> statement-breakpoint
comment on column tieout.statement_lines.line_type is 'charge, refund, chargeback, chargeback_reversal, fee, commission, adjustment, reserve, payout or balance.';
--> statement-breakpoint
comment on column reporting.statement_lines.line_type is 'charge, refund, chargeback, chargeback_reversal, fee, commission, adjustment, reserve, payout or balance.';
--> statement-breakpoint
comment on column tieout.statement_lines.net_amount is 'What the line adds to what the provider owes us: positive is owed to us. Of a payout line, the net it declares; of a balance, what it states.';
--> statement-breakpoint
comment on column reporting.statement_lines.net_amount is 'What the line adds to what the provider owes us; of a payout line, the net it declares; of a balance, what it states: neither is to be added up with the others.';
--> statement-breakpoint
comment on column tieout.statement_lines.effective_at is 'When it took effect: completed, or paid out; of a balance, the time it is stated for.';
--> statement-breakpoint
comment on column reporting.statement_lines.effective_at is 'When it took effect; of a balance, the time it is stated for.';
--> statement-breakpoint
comment on column reporting.statement_lines.class is 'matched, pending, discrepant or excluded; empty for versions that do not count.';
--> statement-breakpoint
comment on column reporting.statement_lines.pending_code is 'What a line that is pending or matched still waits for: awaiting_records (its time has not been read from the aggregator yet), awaiting_payout, or in_transit_at_cutoff (its payout is dated later); else empty.';
