-- What a payout rounds away is booked and leaves the claim. Before, it stayed there for ever: it is no discrepancy, so that it
-- could not even be written off. And a message and three comments say plainly what they mean.

insert into tieout.rule_changes (rule, since) values ('payout_rounding', clock_timestamp());
--> statement-breakpoint
-- Signed by what they do to the claim. Each line is earned or lost on its day, and what a provider says it paid is taken off
-- on the day it says so; a payout that was said twice counts once, as it does in its reconciliation. A payout in another
-- currency than its lines moves them there on its date: as what was declared, if that is what the rate gives to the minor
-- unit, so that no fraction of a cent is left behind; otherwise as what the rate gives. A payout in the currency of its lines that agrees with
-- them to the minor unit, and not exactly, was rounded: the rest is no claim any more. Writing off a difference that stands in the claim takes it out.
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
           p.declared_by_line_id, p.status = 'tied' as is_tied,
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
  ), rounded as (                        -- what rounding leaves of the others
    select d.account_id, d.provider, d.payout_ref, d.currency, d.at, d.net_declared - d.net_computed as amount, d.id,
           d.declared_by_line_id
    from declared as d
    where d.is_tied
      and d.net_declared <> d.net_computed
      and tieout.goes_by('payout_rounding', claim_movements.known_at)
      and not exists (select from conversions as c where c.id = d.id)
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
  select account_id, provider, currency, at, 'payout_rounding', 'adjusted', amount, amount, 'D' || id, declared_by_line_id,
         payout_ref, null
  from rounded
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
--> statement-breakpoint
create or replace function tieout.journal_rules() returns table (event text, chart_account text, part text, sign integer, place integer)
language sql immutable parallel safe as $$
  values ('share_earned', 'receivable', 'amount', 1, 1),
         ('share_earned', 'commission_income', 'amount', -1, 2),
         ('sale', 'receivable', 'amount', 1, 1),
         ('sale', 'provider_fees', 'fee', 1, 2),
         ('sale', 'sales', 'gross', -1, 3),
         ('provider_fee', 'provider_fees', 'amount', -1, 1),
         ('provider_fee', 'receivable', 'amount', 1, 2),
         ('refund', 'refunds', 'amount', -1, 1),
         ('refund', 'receivable', 'amount', 1, 2),
         ('chargeback', 'chargebacks', 'amount', -1, 1),
         ('chargeback', 'receivable', 'amount', 1, 2),
         ('chargeback_reversal', 'receivable', 'amount', 1, 1),
         ('chargeback_reversal', 'chargebacks', 'amount', -1, 2),
         ('adjustment', 'receivable', 'amount', 1, 1),
         ('adjustment', 'adjustments', 'amount', -1, 2),
         ('reserve', 'reserves', 'amount', -1, 1),
         ('reserve', 'receivable', 'amount', 1, 2),
         ('payout_declared', 'payouts_in_transit', 'amount', -1, 1),
         ('payout_declared', 'receivable', 'amount', 1, 2),
         ('conversion', 'receivable', 'amount', 1, 1),
         ('conversion', 'currency_exchange', 'amount', -1, 2),
         ('payout_rounding', 'receivable', 'amount', 1, 1),
         ('payout_rounding', 'adjustments', 'amount', -1, 2),
         ('write_off', 'write_offs', 'amount', -1, 1),
         ('write_off', 'receivable', 'amount', 1, 2),
         ('payout_received', 'bank', 'amount', 1, 1),
         ('payout_received', 'payouts_in_transit', 'amount', -1, 4),
         ('bank_fee', 'bank_fees', 'amount', 1, 2),
         ('bank_fee', 'payouts_in_transit', 'amount', -1, 4),
         ('payout_difference', 'payout_differences', 'amount', 1, 3),
         ('payout_difference', 'payouts_in_transit', 'amount', -1, 4),
         ('receipt_unassigned', 'bank', 'amount', 1, 1),
         ('receipt_unassigned', 'unassigned_receipts', 'amount', -1, 2),
         ('receipt_assigned', 'unassigned_receipts', 'amount', 1, 1),
         ('receipt_assigned', 'payouts_in_transit', 'amount', -1, 4),
         ('receipt_exchanged', 'bank', 'amount', 1, 1),
         ('receipt_exchanged', 'currency_exchange', 'amount', -1, 2),
         ('assigned_exchanged', 'unassigned_receipts', 'amount', 1, 1),
         ('assigned_exchanged', 'currency_exchange', 'amount', -1, 2),
         ('payout_exchanged', 'currency_exchange', 'amount', 1, 1),
         ('payout_exchanged', 'payouts_in_transit', 'amount', -1, 4),
         ('difference_written_off', 'write_offs', 'amount', 1, 1),
         ('difference_written_off', 'payout_differences', 'amount', -1, 2),
         ('payout_written_off', 'write_offs', 'amount', 1, 1),
         ('payout_written_off', 'payouts_in_transit', 'amount', -1, 2),
         ('receipt_written_off', 'unassigned_receipts', 'amount', 1, 1),
         ('receipt_written_off', 'write_offs', 'amount', -1, 2)
$$;
--> statement-breakpoint
-- Payouts in a currency that no record had named were compared to a hundredth, whatever its smallest unit is. Without a last run, the next one
-- looks at everything of these providers again.
delete from tieout.reconcile_runs as r
using (
  select p.account_id, p.provider
  from tieout.payouts as p
  left join tieout.currency_words as w on w.word = lower(p.currency)
  where p.status = 'tied'
    and p.difference <> 0
    and (abs(p.difference) <= power(10::numeric, -w.places)) is not true
) as coarse
where r.account_id = coarse.account_id
  and r.provider = coarse.provider;
--> statement-breakpoint
-- ---------------------------------------------------------------------------------------------------------------------
-- Words
-- ---------------------------------------------------------------------------------------------------------------------

create function tieout.counted(count bigint, things text) returns text
language sql immutable parallel safe
set search_path = pg_catalog, pg_temp
as $$
  select count || ' ' || case when count = 1 then regexp_replace(words, '(?:(ch)e)?s$', '\1') else words end
  from (values (replace(things, '_', ' '))) as said (words)
$$;
--> statement-breakpoint
comment on function tieout.counted(bigint, text) is 'So many things in words: 1 record, 2 due dates.';
--> statement-breakpoint
-- As before (0018_four_eyes), except for how it counts.
create or replace function tieout.keep_period_event() returns trigger
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  held tieout.periods;
  first tieout.period_events;
  last_closed tieout.periods;
  head tieout.period_events;
  changed text;
  unaccepted text;
  let_in boolean;
begin
  -- One signature at a time, and none while a decision is being booked: those take a share of this lock.
  lock table tieout.periods in share row exclusive mode;
  select * into held from tieout.periods as p where p.account_id = new.account_id and p.month = new.month;
  select * into last_closed
  from tieout.periods as p
  where p.account_id = new.account_id and p.state = 'closed'
  order by p.month desc
  limit 1;

  -- The signature that this one would be the second of.
  select * into first
  from tieout.period_events as e
  where e.account_id = new.account_id
    and e.month = new.month
    and e.event = case new.event when 'approved' then 'prepared' when 'reopened' then 'reopen_asked' end
  order by e.id desc
  limit 1;
  -- Whoever could have opened the session of one signature gives no second one beside it.
  let_in := tieout.has_vouched(new.vouched_by, first.actor) or tieout.has_vouched(first.vouched_by, new.actor);
  -- The name is not left to the writer where it is known here.
  new.actor_name := coalesce(nullif(tieout.actor_name(new.actor), new.actor), new.actor_name);

  if held.month is not null and (held.zone, held.from_at, held.to_at) is distinct from (new.zone, new.from_at, new.to_at) then
    perform tieout.refuse_period('period_keeps_its_bounds',
      format('%s began as a month of the zone %s and stays one', new.month, held.zone));
  end if;

  if new.event in ('prepared', 'approved') then
    if new.to_at > clock_timestamp() then
      perform tieout.refuse_period('only_past_periods_are_signed', format('%s is not over yet', new.month));
    end if;
    if last_closed.month is not null and last_closed.to_at <> new.from_at and new.month > last_closed.month then
      perform tieout.refuse_period('months_close_in_order',
        format('the last closed month is %s: the one after it comes first', last_closed.month));
    end if;
    if last_closed.month > new.month or exists (
      select from tieout.periods as p
      where p.account_id = new.account_id and p.month < new.month and p.state <> 'closed'
    ) then
      perform tieout.refuse_period('months_close_in_order', format('an earlier month than %s is not closed', new.month));
    end if;
    select string_agg(tieout.counted(c.changes, c.fact), ', ') into changed
    from tieout.changes_since(new.account_id, new.to_at, new.known_at) as c;
    if changed is not null then
      perform tieout.refuse_period('signed_books_have_not_changed',
        format('%s has changed since it was read (%s): prepare it again', new.month, changed));
    end if;
  end if;

  if new.event = 'prepared' then
    if held.state = 'closed' then
      perform tieout.refuse_period('closed_period_stays_closed', format('%s is closed: reopen it first', new.month));
    end if;
    select string_agg(line ->> 'line', ', ') into unaccepted
    from jsonb_array_elements(new.checklist -> 'lines') as line
    where line ->> 'state' = 'red'
      and not exists (
        select
        from jsonb_array_elements(new.accepted) as one
        where one ->> 'line' = line ->> 'line' and btrim(coalesce(one ->> 'reason', '')) <> ''
      );
    if unaccepted is not null then
      perform tieout.refuse_period('red_lines_need_a_reason',
        format('%s: not in order and not accepted with a reason: %s', new.month, unaccepted));
    end if;
  elsif new.event = 'lapsed' then
    if held.state is distinct from 'prepared' then
      perform tieout.refuse_period('only_prepared_periods_lapse', format('%s is not prepared', new.month));
    end if;
    if not exists (select from tieout.changes_since(new.account_id, new.to_at, held.known_at)) then
      perform tieout.refuse_period('only_changed_periods_lapse', format('nothing of %s has changed', new.month));
    end if;
  elsif new.event = 'approved' then
    if held.state is distinct from 'prepared' then
      perform tieout.refuse_period('only_prepared_periods_close',
        format('%s is %s: it has to be prepared first', new.month, coalesce(held.state, 'open')));
    end if;
    if held.prepared_by = new.actor then
      perform tieout.refuse_period('two_people_close_a_period',
        format('%s prepared %s: another person has to approve it', held.prepared_by_name, new.month));
    end if;
    if let_in then
      perform tieout.refuse_period('two_people_close_a_period',
        format('%s prepared %s, and one of you signed in through a link that the other could have used: another person has to approve it',
          held.prepared_by_name, new.month));
    end if;
    if (new.known_at, new.pack_sha256) is distinct from (held.known_at, held.pack_sha256) then
      perform tieout.refuse_period('approval_is_of_what_was_prepared',
        format('%s was prepared with another pack than the one approved', new.month));
    end if;
  else
    if held.state is distinct from 'closed' then
      perform tieout.refuse_period('only_closed_periods_reopen',
        format('%s is %s, not closed', new.month, coalesce(held.state, 'open')));
    end if;
    if last_closed.month > new.month then
      perform tieout.refuse_period('months_reopen_in_order',
        format('%s is closed too: reopen it before %s', last_closed.month, new.month));
    end if;
    if new.event = 'reopened' and (held.reopen_asked_by is null or held.reopen_asked_by = new.actor or let_in) then
      perform tieout.refuse_period('two_people_reopen_a_period',
        case when held.reopen_asked_by is null
          then format('there is no request to reopen %s yet', new.month)
          else format('%s asked to reopen %s: another person has to agree', held.reopen_asked_by_name, new.month) end);
    end if;
  end if;

  select * into head
  from tieout.period_events as e
  where e.account_id = new.account_id and e.month = new.month
  order by e.id desc
  limit 1;
  new.at := clock_timestamp();
  new.previous_hash := coalesce(head.hash, sha256(''));
  new.hash := sha256(new.previous_hash || convert_to(tieout.period_event_text(new), 'UTF8'));
  return new;
end
$$;
--> statement-breakpoint
comment on column tieout.receipt_files.bank_account is 'The bank account or wallet; empty where the file covers several.';
comment on column tieout.receipt_files.period_from is 'First day that it covers.';
comment on column tieout.receipt_files.period_to is 'Last day that it covers.';
