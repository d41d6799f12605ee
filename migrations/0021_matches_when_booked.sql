-- A match or a split by hand counts for its line from the day it is booked, as it always did for its transaction. Before, the line
-- was shown as matched from its own date on.

insert into tieout.rule_changes (rule, since) values ('lines_from_booking', clock_timestamp());
--> statement-breakpoint
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
   and (m.rule <> 'person' or m.effective_at < line_classes.as_at
     or not tieout.goes_by('lines_from_booking', line_classes.known_at))
  left join (
    select s.line_id, s.match_id, s.transaction_ids
    from tieout.splits_at(line_classes.accounts, line_classes.known_at) as s
    join tieout.matches as part on part.id = s.match_id
    where part.effective_at < line_classes.as_at
       or not tieout.goes_by('lines_from_booking', line_classes.known_at)
  ) as split
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
    on parts.line_id = split.line_id
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
