-- What is booked when money changes its currency: a converted payout books what was declared, and the journal books exchange differences. And
-- what has arrived is dated by the bank.

-- ---------------------------------------------------------------------------------------------------------------------
-- Rules that a later version has changed
-- ---------------------------------------------------------------------------------------------------------------------

-- A closed month is its reports at the time it was signed, made again whenever somebody asks. A new rule would change
-- them, so it applies from the moment it came to this database. What it changes about closed months shows in the next one, like
-- everything else that has become known since.
create table tieout.rule_changes (
  rule text primary key,
  since timestamptz not null
);

insert into tieout.rule_changes (rule, since)
values ('conversion_as_declared', clock_timestamp()), ('exchange_differences', clock_timestamp()),
       ('arrivals_by_bank', clock_timestamp());

create trigger refuse_change before update or delete on tieout.rule_changes
  for each row execute function tieout.refuse_change();
create trigger refuse_truncate before truncate on tieout.rule_changes
  for each statement execute function tieout.refuse_change();

comment on table tieout.rule_changes is 'Rules of the books that a later version has changed. What was known before a change goes by the earlier rule, so that signed months stay as they were signed.';
comment on column tieout.rule_changes.rule is 'Name of the new rule.';
comment on column tieout.rule_changes.since is 'When it came to this database.';

create function tieout.goes_by(rule text, known_at timestamptz) returns boolean
language sql stable parallel safe as $$
  select exists (
    select from tieout.rule_changes as r where r.rule = goes_by.rule and r.since <= goes_by.known_at
  )
$$;

comment on function tieout.goes_by(text, timestamptz) is 'Whether what was known at a time goes by a rule that came later than the first version.';

-- ---------------------------------------------------------------------------------------------------------------------
-- Movements of our claim
-- ---------------------------------------------------------------------------------------------------------------------

-- Signed by what they do to the claim. Each line is earned or lost on its day, and what a provider says it paid is taken off
-- on the day it says so; a payout that was said twice counts once, as it does in its reconciliation. A payout in another
-- currency than its lines moves them there on its date: as what was declared, if that is what the rate gives to the minor
-- unit, so that no fraction of a cent is left behind; otherwise as what the rate gives. Writing off a difference that stands in the claim takes it out.
create or replace function tieout.claim_movements(accounts integer[], known_at timestamptz)
returns table (
  account_id integer, provider text, currency text, at timestamptz, event text, step text, amount numeric, gross numeric,
  entry text, line_id bigint, payout_ref text, decision_id bigint
)
language sql stable parallel safe as $$
  with models as materialized (  -- once a file: a profile is long, and lines are many
    select s.id, s.profile_used ->> 'model' = 'gross' as is_gross
    from tieout.statements as s
    where s.account_id = any (claim_movements.accounts)
  ), owed as materialized (
    select l.account_id, l.provider, coalesce(l.net_currency, l.fiat_currency) as currency, l.payout_ref, l.line_type,
           l.net_amount as amount, l.effective_at as at, l.id as line_id, l.statement_id,
           l.line_type = 'charge' and coalesce(m.is_gross, false) as is_sale,
           -- Where the provider has converted it, or does not tell, gross is what it owes.
           case
             when l.line_type = 'charge' and m.is_gross and (l.net_currency is null or l.fiat_currency = l.net_currency)
               then coalesce(l.fiat_gross, l.net_amount)
             else l.net_amount
           end as gross
    from tieout.lines_at(claim_movements.accounts, claim_movements.known_at) as l
    left join models as m on m.id = l.statement_id
    where l.line_type not in ('payout', 'balance', 'commission_total')
      and l.net_amount <> 0
  ), declared as materialized (
    select p.account_id, p.provider, p.payout_ref, p.currency, p.payout_date as at, p.net_declared, p.net_computed, p.id,
           p.declared_by_line_id,
           p.status = 'tied' and tieout.goes_by('conversion_as_declared', claim_movements.known_at) as is_settled
    from tieout.payouts_at(claim_movements.accounts, claim_movements.known_at) as p
    where p.net_declared is not null
  ), foreign_lines as materialized (
    select l.*
    from owed as l
    where exists (
      select from declared as d
      where (d.account_id, d.provider, d.payout_ref) = (l.account_id, l.provider, l.payout_ref)
    ) and not exists (
      select from declared as d
      where (d.account_id, d.provider, d.payout_ref, d.currency) = (l.account_id, l.provider, l.payout_ref, l.currency)
    )
  ), converting as materialized (         -- payouts that take in lines of another currency
    select distinct account_id, provider, payout_ref from foreign_lines
  ), own as (                            -- and what they have in their own
    select l.account_id, l.provider, c.payout_ref, l.currency, sum(l.amount) as amount
    from owed as l
    left join tieout.file_payouts(claim_movements.accounts, claim_movements.known_at) as file
      on file.statement_id = l.statement_id
     and file.currency = l.currency
     and l.payout_ref is null
    join converting as c
      on c.account_id = l.account_id
     and c.provider = l.provider
     and c.payout_ref = coalesce(l.payout_ref, file.payout_ref)
    where exists (select from converting)
    group by l.account_id, l.provider, c.payout_ref, l.currency
  ), conversions as materialized (        -- what the others come to
    select d.account_id, d.provider, d.payout_ref, d.currency, d.at,
           case when d.is_settled then d.net_declared else d.net_computed end - coalesce(own.amount, 0) as amount, d.id,
           d.declared_by_line_id
    from declared as d
    join converting using (account_id, provider, payout_ref)
    left join own using (account_id, provider, payout_ref, currency)
    where d.net_computed <> coalesce(own.amount, 0)
  ), written_off as (
    select f.account_id, f.provider, f.currency, f.payout_ref, f.line_id, f.actual - f.expected as amount, d.id as decision_id,
           greatest(d.booked_at, f.holds_from) as at, f.holds_to
    from tieout.findings as f
    join tieout.decisions as d
      on d.fingerprint = f.fingerprint
     and d.facts_hash = f.facts_hash
     and d.decision = 'written_off'
     and d.known_from <= claim_movements.known_at
     and (d.known_to is null or d.known_to > claim_movements.known_at)
    where f.account_id = any (claim_movements.accounts)
      and f.code in ('payout_sum_mismatch', 'payout_overdue')    -- what a person may write off and the claim still holds
      and f.known_from <= claim_movements.known_at
      and (f.known_to is null or f.known_to > claim_movements.known_at)
      and f.holds_to > d.booked_at
  )
  select account_id, provider, currency, at,
         case
           when is_sale then 'sale'
           when line_type in ('charge', 'commission') then 'share_earned'
           when line_type = 'fee' then 'provider_fee'
           else line_type
         end,
         case
           when line_type in ('charge', 'commission') then 'earned'
           when line_type in ('refund', 'chargeback', 'chargeback_reversal') then 'reversed'
           when line_type = 'fee' then 'fees'
           when line_type in ('adjustment', 'reserve') then 'adjusted'
         end,
         amount, gross, 'L' || line_id, line_id, payout_ref, null::bigint
  from owed
  union all
  select account_id, provider, currency, at, 'payout_declared', 'paid_out', -net_declared, -net_declared, 'P' || id,
         declared_by_line_id, payout_ref, null
  from declared
  union all
  select account_id, provider, currency, at, 'conversion', 'converted', amount, amount, 'C' || id, declared_by_line_id,
         payout_ref, null
  from conversions
  union all
  select l.account_id, l.provider, l.currency, to_other.at, 'conversion', 'converted', -l.amount, -l.amount, 'C' || to_other.id,
         l.line_id, l.payout_ref, null
  from foreign_lines as l
  join (
    select distinct on (account_id, provider, payout_ref) account_id, provider, payout_ref, at, id
    from conversions
    order by account_id, provider, payout_ref, currency
  ) as to_other using (account_id, provider, payout_ref)
  union all
  select account_id, provider, currency, at, 'write_off', 'written_off', amount, amount, 'W' || decision_id, line_id,
         payout_ref, decision_id
  from written_off
  union all                      -- what came after all undoes it
  select account_id, provider, currency, holds_to, 'write_off', 'written_off', -amount, -amount, 'R' || decision_id, line_id,
         payout_ref, decision_id
  from written_off
  where holds_to < 'infinity'
$$;

-- ---------------------------------------------------------------------------------------------------------------------
-- The rate behind a converted payout
-- ---------------------------------------------------------------------------------------------------------------------

-- As runs convert it (src/store/books/payout-writes.ts): lines of a currency in which nothing was declared join the first payout that
-- states a rate; where the profile does not say which way round the rate is meant, the one that comes nearer counts.
create function tieout.payout_conversion(payout tieout.payouts, known_at timestamptz)
returns table (rate numeric, line_id bigint, statement_id bigint, file_name text, line_no integer, originals jsonb)
language sql stable parallel safe as $$
  select trim_scale(d.rate), d.id, d.statement_id, s.file_name, d.line_no, original.listed
  from tieout.lines_at(array[payout.account_id], payout_conversion.known_at) as d
  join tieout.statements as s on s.id = d.statement_id
  cross join lateral (
    select jsonb_agg(
             jsonb_build_object(
               'currency', one.currency,
               'amount', trim_scale(one.net)::text,
               'converted', trim_scale(round(one.net * case
                 when d.rate_basis = 'payout_per_line' then d.rate
                 when d.rate_basis = 'line_per_payout' then round(1 / d.rate, 18)
                 when abs(one.net * d.rate - d.net_amount) <= abs(one.net / d.rate - d.net_amount) then d.rate
                 else round(1 / d.rate, 18)
               end, 18))::text
             ) order by one.currency
           ) as listed
    from (
      select coalesce(l.net_currency, l.fiat_currency) as currency, sum(l.net_amount) as net
      from tieout.lines_at(array[payout.account_id], payout_conversion.known_at) as l
      where l.provider = payout.provider
        and l.payout_ref = payout.payout_ref
        and l.line_type not in ('payout', 'balance', 'commission_total')
      group by 1
    ) as one
    where not exists (
      select
      from tieout.payouts_at(array[payout.account_id], payout_conversion.known_at) as own
      where own.provider = payout.provider
        and own.payout_ref = payout.payout_ref
        and own.currency = one.currency
        and own.net_declared is not null
    )
  ) as original
  where d.id = payout.declared_by_line_id
    and d.rate <> 0
    and original.listed is not null
    and not exists (
      select
      from tieout.payouts_at(array[payout.account_id], payout_conversion.known_at) as first
      join tieout.statement_lines as declaring on declaring.id = first.declared_by_line_id
      where first.provider = payout.provider
        and first.payout_ref = payout.payout_ref
        and first.currency < payout.currency
        and declaring.rate <> 0
    )
$$;

comment on function tieout.payout_conversion(tieout.payouts, timestamptz) is 'Of a payout in another currency than its lines: the rate, the line that states it, and what was converted, by currency. No row where nothing was converted.';

-- The tables of this file, for the service.
select tieout.admit_service();
--> statement-breakpoint

-- ---------------------------------------------------------------------------------------------------------------------
-- What has arrived of a payout
-- ---------------------------------------------------------------------------------------------------------------------

-- When the money arrived is the bank's to say: from when a person's match of it counts in the books is another matter. A payout below zero is
-- ours to pay, and one that no file in force declares is expected no more.
create or replace function tieout.payout_received(payout tieout.payouts, as_at timestamptz, known_at timestamptz)
returns table (received numeric, bank_fee numeric, received_at timestamptz, received_reference text, state text)
language sql stable parallel safe as $$
  select trim_scale(coalesce(m.received, 0)), trim_scale(coalesce(m.bank_fee, 0)), m.received_at, m.reference,
         case
           when f.code = 'payout_short' then 'short'
           when f.code = 'payout_over' then 'over'
           when f.code = 'payout_not_received' then 'overdue'
           when m.received is not null and by_bank.holds and coalesce(payout.net_declared, payout.net_computed) < 0 then 'paid'
           when m.received is not null then 'received'
           when by_bank.holds and payout.line_count = 0 and payout.net_declared is null then 'withdrawn'
           when by_bank.holds and coalesce(payout.net_declared, payout.net_computed) < 0 then 'payable'
           when payout.payout_date < payout_received.as_at then 'declared'
           else 'expected'
         end
  from tieout.goes_by('arrivals_by_bank', payout_received.known_at) as by_bank (holds)
  cross join lateral (
    select sum(m.amount) as received, sum(m.bank_fee) as bank_fee, max(case when by_bank.holds then l.effective_at else m.effective_at end) as received_at,
           string_agg(distinct coalesce(l.bank_reference, l.hash, l.end_to_end_id, l.reference), ' ') as reference
    from tieout.receipt_matches as m
    join tieout.receipt_lines as l on l.id = m.receipt_line_id
    where m.payout_id = payout.id
      and m.effective_at < payout_received.as_at
      and m.matched_at <= payout_received.known_at
      and (m.ended_at is null or m.ended_at > payout_received.known_at)
  ) as m
  left join lateral (
    select f.code
    from tieout.findings as f
    where f.account_id = payout.account_id
      and f.provider = payout.provider
      and f.payout_ref = payout.payout_ref
      and f.currency = payout.currency
      and f.subject_kind = 'payout'
      and f.code in ('payout_short', 'payout_over', 'payout_not_received')
      and f.known_from <= payout_received.known_at
      and (f.known_to is null or f.known_to > payout_received.known_at)
      and f.holds_from < payout_received.as_at
      and f.holds_to >= payout_received.as_at
    order by f.code
    limit 1
  ) as f on true
$$;
--> statement-breakpoint
comment on function tieout.payout_received(tieout.payouts, timestamptz, timestamptz) is 'What has arrived of a payout as at an instant, by what was known at another, when the bank booked the last of it, and its state: expected, declared, received, short, over, overdue, payable, paid or withdrawn.';
--> statement-breakpoint
-- A bank's day is a day and no instant: it is the same in every zone.
create function tieout.received_day(payout_id bigint, as_at timestamptz, known_at timestamptz) returns date
language sql stable parallel safe as $$
  select max(coalesce(l.booking_date, l.value_date))
  from tieout.receipt_matches as m
  join tieout.receipt_lines as l on l.id = m.receipt_line_id
  where m.payout_id = received_day.payout_id
    and m.effective_at < received_day.as_at
    and m.matched_at <= received_day.known_at
    and (m.ended_at is null or m.ended_at > received_day.known_at)
$$;
--> statement-breakpoint
comment on function tieout.received_day(bigint, timestamptz, timestamptz) is 'The day on which the bank booked the last of what had arrived of a payout as at an instant, by what was known at another.';
