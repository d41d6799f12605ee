-- Money owed: what changes our claim on a provider, the journal made of it, and the settings of an account that both go by.
-- Receivable and journal read the same movements, so they cannot differ.

-- ---------------------------------------------------------------------------------------------------------------------
-- Settings of an account
-- ---------------------------------------------------------------------------------------------------------------------

create trigger refuse_change before update or delete on tieout.account_settings
  for each row execute function tieout.refuse_change();
create trigger refuse_truncate before truncate on tieout.account_settings
  for each statement execute function tieout.refuse_change();

comment on table tieout.account_settings is 'Append-only versions of what is set for an account: chart of accounts, functional currency, calendar.';
comment on column tieout.account_settings.id is 'Our number for the version.';
comment on column tieout.account_settings.account_id is 'The account it is for.';
comment on column tieout.account_settings.name is 'chart_of_accounts, functional_currency or calendar.';
comment on column tieout.account_settings.version is '1, 2, 3; of those stored by known_at the greatest is in force.';
comment on column tieout.account_settings.value is 'The setting; null restores the default.';
comment on column tieout.account_settings.set_at is 'When it was stored.';
comment on column tieout.account_settings.set_by is 'Who stored it.';
comment on column tieout.account_settings.reason is 'Why.';

create function tieout.account_setting(account_id integer, name text, known_at timestamptz) returns jsonb
language sql stable parallel safe as $$
  select s.value
  from tieout.account_settings as s
  where s.account_id = account_setting.account_id
    and s.name = account_setting.name
    and s.set_at <= account_setting.known_at
  order by s.version desc
  limit 1
$$;

comment on function tieout.account_setting(integer, text, timestamptz) is 'What was set for an account by a time; null where the default stood.';

-- ---------------------------------------------------------------------------------------------------------------------
-- Fee schedules and rates of exchange: what was agreed, and what a unit was worth
-- ---------------------------------------------------------------------------------------------------------------------

create trigger refuse_change before update or delete on tieout.fee_schedules
  for each row execute function tieout.refuse_change();
create trigger refuse_truncate before truncate on tieout.fee_schedules
  for each statement execute function tieout.refuse_change();
create trigger refuse_change before update or delete on tieout.fee_terms
  for each row execute function tieout.refuse_change();
create trigger refuse_truncate before truncate on tieout.fee_terms
  for each statement execute function tieout.refuse_change();
create trigger refuse_change before update or delete on tieout.rates
  for each row execute function tieout.refuse_change();
create trigger refuse_truncate before truncate on tieout.rates
  for each statement execute function tieout.refuse_change();

comment on table tieout.fee_schedules is 'Append-only versions of what was agreed with a provider about its fees and our share, each valid from a day on.';
comment on column tieout.fee_schedules.id is 'Our number for the version.';
comment on column tieout.fee_schedules.account_id is 'The account it is for.';
comment on column tieout.fee_schedules.provider is 'The provider, in lower case.';
comment on column tieout.fee_schedules.version is '1, 2, 3; of two that are valid from the same time the greater counts.';
comment on column tieout.fee_schedules.valid_from is 'Orders from this time on go by it, until the next schedule begins.';
comment on column tieout.fee_schedules.file_name is 'The file it came from; null when it came through the API.';
comment on column tieout.fee_schedules.sha256 is 'Hash of the terms as they were given.';
comment on column tieout.fee_schedules.imported_at is 'When it was stored.';
comment on column tieout.fee_schedules.imported_by is 'Who stored it.';
comment on column tieout.fee_schedules.reason is 'Why.';

comment on table tieout.fee_terms is 'The rules of a fee schedule. Of those that fit an order the most specific counts, and of its steps the highest that the order reaches.';
comment on column tieout.fee_terms.id is 'Our number for the rule.';
comment on column tieout.fee_terms.schedule_id is 'The schedule it belongs to.';
comment on column tieout.fee_terms.kind is 'share: what is ours; processing_fee: all fees of the customer but the network''s; total_fee: all of them.';
comment on column tieout.fee_terms.side is 'buy or sell; null for both.';
comment on column tieout.fee_terms.payment_method is 'The payment method as the aggregator calls it; null for all.';
comment on column tieout.fee_terms.currency is 'The fiat currency of the order; null for all.';
comment on column tieout.fee_terms.over is 'Holds for orders of this amount and more, up to the next step.';
comment on column tieout.fee_terms.flat is 'A fixed amount for each order.';
comment on column tieout.fee_terms.percent is 'Percent of the order before fees; 1 is one percent.';
comment on column tieout.fee_terms.minimum is 'The least of flat and percent together; null for none.';
comment on column tieout.fee_terms.maximum is 'The most; null for none.';
comment on column tieout.fee_terms.capped_by_fee is 'Whether our share is never more than the fee that the line states.';

comment on table tieout.rates is 'Append-only rates of exchange by day, as a source states them; of one day, pair and source the row imported last counts.';
comment on column tieout.rates.id is 'Our number for the rate.';
comment on column tieout.rates.day is 'The day that the source gives it for.';
comment on column tieout.rates.base is 'The currency of which one unit is priced.';
comment on column tieout.rates.quote is 'The currency it is priced in.';
comment on column tieout.rates.rate is 'How many units of quote one unit of base is.';
comment on column tieout.rates.source is 'Who states it, for example ECB.';
comment on column tieout.rates.file_name is 'The file it came from.';
comment on column tieout.rates.sha256 is 'Hash of that file.';
comment on column tieout.rates.imported_at is 'When it was stored.';
comment on column tieout.rates.imported_by is 'Who stored it.';

-- The rate of the day, or the last before it, because none is published on holidays; never one older than a week. As it is
-- stated, the other way round, or through a third currency that one source quotes both in. Nothing where there is none.
create function tieout.exchange_rate(of_currency text, to_currency text, day date, known_at timestamptz)
returns table (rate numeric, rate_date date, source text)
language sql stable parallel safe as $$
  select found.rate, found.day, found.source
  from (
    select 1::numeric as rate, exchange_rate.day as day, 'same currency' as source, 0 as way, null::timestamptz as imported_at
    where exchange_rate.of_currency = exchange_rate.to_currency
    union all
    select r.rate, r.day, r.source, 1, r.imported_at
    from tieout.rates as r
    where r.base = exchange_rate.of_currency
      and r.quote = exchange_rate.to_currency
      and r.day between exchange_rate.day - 7 and exchange_rate.day
      and r.imported_at <= exchange_rate.known_at
    union all
    select round(1 / r.rate, 12), r.day, r.source, 2, r.imported_at
    from tieout.rates as r
    where r.base = exchange_rate.to_currency
      and r.quote = exchange_rate.of_currency
      and r.day between exchange_rate.day - 7 and exchange_rate.day
      and r.imported_at <= exchange_rate.known_at
    union all
    select round(b.rate / a.rate, 12), a.day, a.source, 3, greatest(a.imported_at, b.imported_at)
    from tieout.rates as a
    join tieout.rates as b
      on b.base = a.base
     and b.quote = exchange_rate.to_currency
     and b.day = a.day
     and b.source = a.source
     and b.imported_at <= exchange_rate.known_at
    where a.quote = exchange_rate.of_currency
      and a.day between exchange_rate.day - 7 and exchange_rate.day
      and a.imported_at <= exchange_rate.known_at
  ) as found
  order by found.day desc, found.way, found.imported_at desc, found.source
  limit 1
$$;

comment on function tieout.exchange_rate(text, text, date, timestamptz) is 'What one unit of a currency was in another on a day, by the rates that were known at a time; no row where none was stated for the day or the week before it.';

-- ---------------------------------------------------------------------------------------------------------------------
-- Movements of our claim
-- ---------------------------------------------------------------------------------------------------------------------

-- Signed by what they do to the claim. Each line is earned or lost on its day, and what a provider says it paid is taken off
-- on the day it says so; a payout that was said twice counts once, as it does in its reconciliation. A payout in another
-- currency than its lines moves them there on its date. Writing off a difference that stands in the claim takes it out.
create function tieout.claim_movements(accounts integer[], known_at timestamptz)
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
           p.declared_by_line_id
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
    select d.account_id, d.provider, d.payout_ref, d.currency, d.at, d.net_computed - coalesce(own.amount, 0) as amount, d.id,
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

comment on function tieout.claim_movements(integer[], timestamptz) is 'Everything that changed what a provider owes us, by what was known at a time: one row per event, signed by what it does to the claim.';
