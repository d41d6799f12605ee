import { count, execute, type Run } from "../books/run.ts";

/**
 * Which bank line brought the money of which payout: by a name that both carry, never by an amount. Leaves
 * `run_receipts`, the lines in scope that count, `run_paid`, the payouts in scope, and makes the table of matches say what
 * was found. A match never changes: it ends, and another begins. A second run writes nothing.
 */
export async function matchReceipts(run: Run): Promise<{ made: number; ended: number }> {
  await execute(run, receipts(run));
  await execute(run, paid(run));
  await run.tx.query(
    "create index on run_receipts (id); create index on run_paid (payout_id); analyze run_receipts; analyze run_paid",
  );
  await execute(run, pairs);
  await execute(run, chosen);
  await run.tx.query(
    "create index on run_receipt_chosen (line_id); analyze run_receipt_chosen; analyze run_receipt_pairs",
  );
  await execute(run, wanted);
  await run.tx.query("create index on run_receipt_wanted (line_id, payout_id); analyze run_receipt_wanted");
  const ended = await count(run, endStale(run));
  const made = await count(run, makeNew);
  if (made + ended > 1_000) await run.tx.query(lookAtMatches);
  return { made, ended };
}

const lookAtMatches = "select tieout.look_at_tables(array['tieout.receipt_matches'::regclass])";

const receipts = ({ scope }: Run) => `
  create temp table run_receipts on commit drop as
  select l.*, lower(l.currency) as code, case l.direction when 'credit' then l.amount else -l.amount end as signed
  from tieout.receipt_lines_at(array[:account_id::int], 'infinity') as l
  ${scope === "touched" ? "join touched_receipts as touched on touched.line_id = l.id" : ""}`;

/** The newest version for this account and provider, else for all of either. */
const settingOf = (kind: "receipts" | "calendar") => `
      select v.value
      from tieout.provider_settings as v
      where v.kind = '${kind}'
        and v.name = ''
        and v.provider in (provider.provider, '*')
        and (v.account_id = :account_id or v.account_id is null)
      order by v.provider = '*', v.account_id is null, v.version desc
      limit 1`;

/** With what is set for its provider, and the currencies that bank files are followed in. */
const paid = ({ scope }: Run) => `
  create temp table run_paid on commit drop as
  select p.id as payout_id, p.provider, p.payout_ref, p.currency, p.payout_date,
         p.net_declared is not null as is_declared,
         p.line_count > 0 or p.net_declared is not null as is_in_force,
         coalesce(p.net_declared, p.net_computed) as expected,
         case when coalesce(p.net_declared, p.net_computed) < 0 then -1 else 1 end as sign,
         unit.amount as unit,
         greatest(unit.amount, tolerance.under) as under,
         greatest(unit.amount, tolerance.over) as over,
         due.at + make_interval(
           days => tieout.days_to_business_day(((due.at - interval '1 microsecond') at time zone 'UTC')::date, setting.calendar)
         ) as due_at,
         coalesce(p.payout_date::date >= followed.since, false) as is_followed,
         setting.value -> 'levels' as levels
  from tieout.payouts as p
  ${scope === "touched" ? "join touched_paid as touched on touched.payout_id = p.id" : ""}
  left join (
    select lower(b.currency) as currency, min(f.period_from) as since
    from tieout.receipt_files as f
    cross join lateral jsonb_to_recordset(f.balances) as b (currency text)
    where f.account_id = :account_id
      and f.state = 'imported'
    group by 1
  ) as followed on followed.currency = lower(p.currency)
  left join (
    select provider.provider, receipts.value, calendar.value as calendar
    from (select distinct provider from tieout.payouts where account_id = :account_id) as provider
    left join lateral (${settingOf("receipts")}) as receipts on true
    left join lateral (${settingOf("calendar")}) as calendar on true
  ) as setting on setting.provider = p.provider
  cross join lateral (
    select p.payout_date + make_interval(days => coalesce((setting.value ->> 'due_days')::int, ${dueDaysDefault}))
  ) as due (at)
  left join tieout.currency_words as w on w.word = lower(p.currency)
  cross join lateral (select power(10::numeric, -coalesce(w.places, 2)::int)) as unit (amount)
  left join lateral (
    select t.under, t.over
    from jsonb_to_recordset(setting.value -> 'tolerances') as t (currency text, under numeric, over numeric)
    where t.currency in (p.currency, '*')
    order by t.currency = '*'
    limit 1
  ) as tolerance on true
  where p.account_id = :account_id`;

const dayOrMonth = String.raw`^(20\d\d(0[1-9]|1[0-2])([0-3]\d)?|[0-3]\d[0-3]\d20\d\d)$`;

/** Banks take two or three days; five leave room for a weekend. */
export const dueDaysDefault = 5;

/**
 * A name that payouts of two providers share in one currency proves nothing, and no rule chooses. What a person has
 * parted stays apart. A line in another currency counts where the bank tells what was sent. A name that is too short for that
 * counts where it is all that a field for a reference holds, and with the payout's amount; so does a day, which any text may hold.
 */
const pairs = `
  create temp table run_receipt_pairs on commit drop as
  select found.line_id, found.payout_id, min(found.key) as key, min(found.signed) as signed, min(found.charges) as charges
  from (
    select l.id as line_id, k.payout_id, k.key,
           case when l.code = k.currency then l.signed else sign(l.signed) * l.original_amount end as signed,
           case when l.code = k.currency then l.charges else 0 end as charges,
           min(k.provider) over named <> max(k.provider) over named as is_ambiguous,
           k.is_short or k.key ~ '${dayOrMonth}' as needs_amount, l.line_key, l.occurrence
    from run_receipts as l
    cross join lateral (
      select named.key, false from unnest(l.keys) as named (key)
      union
      values (tieout.short_name(l.reference), true), (tieout.short_name(l.end_to_end_id), true)
    ) as name (key, is_short)
    join receipt_payout_keys as k
      on k.is_in_force
     and (k.key, k.is_short) = (name.key, name.is_short)
     and (k.currency = l.code or k.currency = lower(l.original_currency))
    window named as (partition by l.id, k.key, k.currency)
  ) as found
  join run_paid as paid on paid.payout_id = found.payout_id
  where not found.is_ambiguous
    and (not found.needs_amount or abs(paid.expected - found.signed) <= paid.unit + found.charges)
    and not exists (
      select
      from tieout.receipt_matches as m
      join tieout.receipt_lines as parted on parted.id = m.receipt_line_id
      where m.payout_id = found.payout_id
        and m.barred
        and parted.account_id = :account_id
        and parted.line_key = found.line_key
        and parted.occurrence = found.occurrence
    )
  group by found.line_id, found.payout_id`;

/**
 * What people have matched, carried over to the version of the line that counts now. A match with a payout that no file in
 * force declares waits for it: it does not count meanwhile, and counts again when the payout is back, unless people have
 * given the line to others since. Of those that came back together, the last word of a person comes first.
 */
const chosen = `
  create temp table run_receipt_chosen on commit drop as
  with latest as (
    select distinct on (l.id, m.payout_id) m.id, l.id as line_id, m.payout_id, m.state, m.ended_by, m.amount, m.bank_fee,
           m.made_by, m.reason, greatest(l.effective_at, m.effective_at) as effective_at,
           case when l.code = lower(m.currency) then l.amount else l.original_amount end as whole
    from tieout.receipt_matches as m
    join tieout.receipt_lines as told on told.id = m.receipt_line_id
    join run_receipts as l on l.line_key = told.line_key and l.occurrence = told.occurrence
    where m.account_id = :account_id
      and m.rule = 'person'
    order by l.id, m.payout_id, m.id desc
  ), waiting as (
    select c.*,
           sum(abs(c.amount) / nullif(c.whole, 0)) over (
             partition by c.line_id order by c.state = 'active' desc, c.id desc
           ) as taken
    from latest as c
    join run_paid as p on p.payout_id = c.payout_id
    where (c.state = 'active' or c.ended_by = 'rules')
      and p.is_in_force
  )
  select w.line_id, w.payout_id, w.amount, w.bank_fee, w.made_by, w.reason, w.effective_at
  from waiting as w
  where w.state = 'active'
     or round(w.taken, 12) <= 1`;

/**
 * What people have matched comes first; the rest of a line goes by rule. A line that names one payout pays it; one that names several pays each what it declares, in the order of their dates,
 * and the last gets what is left. What a payout is short of by no more than the bank's stated charges, or than is
 * tolerated, is booked as the bank's fee; less than a minor unit, as rounding.
 */
const wanted = `
  create temp table run_receipt_wanted on commit drop as
  with shares as (
    select r.line_id, r.payout_id, r.key, rest.signed, r.charges, l.effective_at, p.provider, p.expected, p.sign, p.unit, p.under, p.over,
           row_number() over line = count(*) over (partition by r.line_id) as is_last,
           coalesce(sum(abs(p.expected)) over (line rows between unbounded preceding and 1 preceding), 0) as before
    from run_receipt_pairs as r
    join run_receipts as l on l.id = r.line_id
    join run_paid as p on p.payout_id = r.payout_id
    cross join lateral (
      select case when sign(r.signed - by_hand.amount) = sign(r.signed) then r.signed - by_hand.amount else 0 end
      from (
        select coalesce(sum(c.amount), 0) as amount from run_receipt_chosen as c where c.line_id = r.line_id
      ) as by_hand
    ) as rest (signed)
    where not exists (
      select from run_receipt_chosen as c where c.line_id = r.line_id and c.payout_id = r.payout_id
    )
    window line as (partition by r.line_id order by p.payout_date nulls last, p.payout_ref, p.payout_id)
  ), parts as (
    select s.*,
           sign(s.signed) * case
             when s.is_last then greatest(0, abs(s.signed) - s.before)
             else least(abs(s.expected), greatest(0, abs(s.signed) - s.before))
           end as amount
    from shares as s
  ), settled as (
    select p.*,
           row_number() over payout as place,
           count(*) over (partition by p.payout_id) as places,
           p.sign * (p.expected - sum(p.amount) over (partition by p.payout_id) - coalesce(by_hand.amount, 0)) as missing,
           sum(p.charges) over (partition by p.payout_id) as charged
    from parts as p
    left join (
      select c.payout_id, sum(c.amount + c.bank_fee) as amount
      from run_receipt_chosen as c
      group by c.payout_id
    ) as by_hand on by_hand.payout_id = p.payout_id
    where p.amount <> 0
    window payout as (partition by p.payout_id order by p.effective_at, p.line_id)
  ), booked as (
    select s.*,
           case
             when s.place < s.places or s.missing <= s.unit then 0
             when s.missing <= s.under then s.missing
             when s.missing - least(s.missing, s.charged) <= s.under then s.missing
             else least(s.missing, s.charged)
           end as fee
    from settled as s
  )
  select b.line_id, b.payout_id,
         case
           when tieout.comparable_name(l.hash) = b.key then 'hash'
           when b.key in (tieout.comparable_name(l.end_to_end_id), tieout.short_name(l.end_to_end_id)) then 'end_to_end_id'
           else 'reference'
         end as rule,
         b.key, trim_scale(b.amount) as amount, paid.currency, trim_scale(b.sign * b.fee) as bank_fee,
         case when b.place = b.places and b.missing <> 0 and b.missing <= b.unit and -b.missing <= b.over
              then trim_scale(b.sign * b.missing) else 0 end as rounding,
         'rules' as made_by, null::text as reason, b.effective_at
  from booked as b
  join run_receipts as l on l.id = b.line_id
  join run_paid as paid on paid.payout_id = b.payout_id
  union all
  select c.line_id, c.payout_id, 'person', null, c.amount, p.currency, c.bank_fee, 0, c.made_by, c.reason, c.effective_at
  from run_receipt_chosen as c
  join run_paid as p on p.payout_id = c.payout_id`;

const isSame = `(w.rule, w.amount, w.currency, w.bank_fee, w.rounding, w.effective_at)
           = (m.rule, m.amount, m.currency, m.bank_fee, m.rounding, m.effective_at)
         and w.key is not distinct from m.key`;

const endStale = ({ scope }: Run) => `
  with ended as (
    update tieout.receipt_matches as held
    set state = 'ended', ended_at = :'stamp'::timestamptz, ended_by = 'rules', ended_reason = stale.why
    from (
      select m.id,
             coalesce((
               select 'line_' || r.reason
               from tieout.receipt_retirements as r
               where r.line_id = m.receipt_line_id
                 and r.restored_at is null
             ), case
                  when w.line_id is not null then 'figures_changed'
                  when exists (
                    select from run_paid as p where p.payout_id = m.payout_id and not p.is_in_force
                  ) then 'payout_withdrawn'
                  else 'no_longer_found'
                end) as why
      from tieout.receipt_matches as m
      left join run_receipt_wanted as w on w.line_id = m.receipt_line_id and w.payout_id = m.payout_id
      where m.account_id = :account_id
        and m.state = 'active'${scope === "touched" ? touchedOnly : ""}
        and not coalesce(${isSame}, false)
    ) as stale
    where held.id = stale.id
    returning 1
  )
  select count(*)::int as count
  from ended`;

const touchedOnly = `
        and (m.receipt_line_id in (select line_id from touched_receipts)
          or m.payout_id in (select payout_id from touched_paid))`;

const makeNew = `
  with made as (
    insert into tieout.receipt_matches (account_id, receipt_line_id, payout_id, rule, key, amount, currency, bank_fee, rounding,
      state, made_by, reason, effective_at, matched_at)
    select :account_id, w.line_id, w.payout_id, w.rule, w.key, w.amount, w.currency, w.bank_fee, w.rounding, 'active',
           w.made_by, w.reason, w.effective_at, :'stamp'::timestamptz
    from run_receipt_wanted as w
    where not exists (
      select
      from tieout.receipt_matches as m
      where m.account_id = :account_id
        and m.receipt_line_id = w.line_id
        and m.payout_id = w.payout_id
        and m.state = 'active'
    )
    order by w.line_id, w.payout_id
    returning 1
  )
  select count(*)::int as count
  from made`;
