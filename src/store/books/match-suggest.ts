import { escapeLiteral } from "pg";
import { allowedOn, legAgrees } from "./legs.ts";
import { notBarred, pairColumns } from "./match-pairs.ts";
import { analyze, execute, isAny, make, type Run } from "./run.ts";

/**
 * Pass 4. Amount, side, currency and time never make a match; where they agree and nothing else could be meant, they make
 * a suggestion for a person. Whether a pair is the only one depends on all others nearby, and so an incremental run looks
 * at everything unmatched around the times of what was touched. False when nothing is suggested.
 */
export async function suggestPairs(run: Run): Promise<boolean> {
  await make(run, "run_near", run.scope === "all" ? always : aroundTouched);
  const read = await spansOf(run, "select range_agg(read) as times from run_near");
  await make(run, "run_open_lines", openLines(run, read));
  await analyze(run, "run_open_lines");
  await make(run, "unmatched_lines", each(read, unmatchedLines(run)));
  const around = await spansOf(run, timesOfLines);
  if (around.length === 0) return false;
  await analyze(run, "unmatched_lines");
  await make(run, "run_sought", sought);
  await make(run, "unmatched_transactions", each(around, unmatchedTransactions));
  await execute(
    run,
    "create index on unmatched_transactions (of_provider, fiat_currency, in_is_fiat, fiat_amount, status_date)",
  );
  await analyze(
    run,
    "unmatched_transactions (of_provider, fiat_currency, in_is_fiat, fiat_amount, status_date)",
  );
  await make(run, "run_suggestions", suggestions);
  return isAny(run, "from run_suggestions");
}

/** How far apart a line and a transaction may be. */
const nearby = "interval '48 hours'";

const always = `
  select provider, '{(,)}'::tstzmultirange as judged, '{(,)}'::tstzmultirange as read
  from unnest(:'providers'::text[]) as judged (provider)`;

/**
 * `judged`: the times of the lines whose suggestions may change. A touched transaction competes for lines up to 48 hours
 * away; a touched line competes for transactions up to 48 hours away, and those for other lines up to 48 hours further.
 * `read`: the times of all lines that compete with these. A transaction counts at every time it ever had: it may have moved.
 */
const aroundTouched = `
  select provider,
         range_agg(tstzrange(at - 2 * ${nearby}, at + 2 * ${nearby}, '[]')) as judged,
         range_agg(tstzrange(at - 4 * ${nearby}, at + 4 * ${nearby}, '[]')) as read
  from (
    select touched.provider, l.effective_at as at
    from pg_temp.touched_lines as touched
    join tieout.statement_lines as l on l.id = touched.line_id
    union
    select provider, status_date
    from pg_temp.touched_statuses
  ) as times
  group by provider`;

const unmatchedLines =
  ({ scope }: Run) =>
  (between: string) =>
    `
  select l.*, true as moved_money, tieout.comparable_id(l.our_reference) as reference_key,
         run_near.judged @> l.effective_at as is_near
  from run_open_lines as open
  join tieout.statement_lines as l on l.id = open.line_id
  join run_near on run_near.provider = l.provider
  where l.account_id = :account_id
    and l.provider = any (:'providers'::text[])
    and l.effective_at ${between}
    and l.line_type = 'charge'
    and tieout.moved_money(l.status)
    and not exists (
      select from tieout.line_retirements as r where r.line_id = l.id and r.restored_at is null
    )
    and not exists (
      select from tieout.matches as m where m.line_id = l.id and m.state = 'active'
    )
    and not exists (select from run_ambiguous as a where a.line_id = l.id)
    and not exists (select from run_duplicates as d where d.line_id = l.id)${scope === "touched" ? knownOtherwise : ""}`;

/**
 * Lines that may stand against nothing: of this run, and around what was touched. Nearly all lines there are matched, and there
 * may be very many. The others are those of which the last run has said that nothing stands against them, and those of times
 * that are not read yet, of which nothing is said.
 */
const openLines = ({ scope }: Run, spans: readonly Span[]) => `
  select l.id as line_id
  from run_rest as l
  where not exists (select from run_pairs as p where p.line_id = l.id)${
    scope === "all"
      ? ""
      : `
  union
  select line_id
  from (${each(spans, openAlready)}
  ) as others`
  }`;

/** A finding about a line holds from the time of the line. */
const openAlready = (between: string) => `
  select f.line_id
  from tieout.findings as f
  where f.account_id = :account_id
    and f.provider = any (:'providers'::text[])
    and f.holds_from ${between}
    and f.code = 'missing_from_records'
    and f.known_to is null
  union all
  select l.id
  from run_read
  cross join unnest('{(,)}'::tstzmultirange - run_read.covered) as gap
  join tieout.statement_lines as l
    on l.account_id = :account_id
   and l.provider = any (:'providers'::text[])
   and l.effective_at ${between}
   and l.effective_at >= coalesce(lower(gap), '-infinity')
   and l.effective_at < coalesce(upper(gap), 'infinity')`;

/** Lines that this run has not looked at are as the last one has found them. */
const knownOtherwise = `
    and not exists (
      select
      from tieout.findings as f
      where f.line_id = l.id
        and f.code in ('ambiguous', 'duplicate_settlement')
        and f.known_to is null
        and not exists (select from pg_temp.touched_lines as touched where touched.line_id = l.id)
    )`;

interface Span {
  from: string;
  to: string;
}

/** The times around the lines that are judged. */
const timesOfLines = `
  select range_agg(tstzrange(effective_at - ${nearby}, effective_at + ${nearby}, '[]')) as times
  from unmatched_lines
  where is_near`;

/** More than so many are read as one: a statement may not grow without end. */
const spansMax = 16;

async function spansOf(run: Run, times: string): Promise<Span[]> {
  const spans = await execute<{ from: string; to: string }>(
    run,
    `select coalesce(lower(span), '-infinity')::text as "from", coalesce(upper(span), 'infinity')::text as "to"
     from (${times}) as held
     cross join unnest(held.times) as span
     order by lower(span) nulls first`,
  );
  const [first, last] = [spans[0], spans.at(-1)];
  if (first === undefined || last === undefined) return [];
  return spans.length <= spansMax ? spans : [{ from: first.from, to: last.to }];
}

/** One after the other, with their times as values: so the planner knows how many rows lie between them. */
function each(spans: readonly Span[], select: (between: string) => string): string {
  const nothing = { from: "infinity", to: "-infinity" };
  return (spans.length === 0 ? [nothing] : spans)
    .map(({ from, to }) => select(`between ${escapeLiteral(from)} and ${escapeLiteral(to)}`))
    .join("\n  union all");
}

const unmatchedTransactions = (between: string) => `
  select t.*, source.is_fiat as in_is_fiat, coalesce(source.code, t.source_currency) as in_code, source.network as in_network,
         source.places as in_places, target.is_fiat as out_is_fiat, coalesce(target.code, t.target_currency) as out_code,
         target.network as out_network, target.places as out_places, leg.currency as fiat_currency, leg.amount as fiat_amount,
         lower(coalesce(t.provider, '')) as of_provider,
         tieout.comparable_address(t.wallet_address) as address       -- once, and not for every pair
  from tieout.transactions as t
  left join tieout.currency_words as source on source.word = t.source_currency
  left join tieout.currency_words as target on target.word = t.target_currency
  cross join lateral (
    select case when source.is_fiat then source.code when target.is_fiat then target.code end,
           case when source.is_fiat then t.in_amount when target.is_fiat then t.out_amount end
  ) as leg (currency, amount)
  join ${amountsSought} as sought
    on sought.fiat_currency = leg.currency
   and sought.in_is_fiat = source.is_fiat
   and sought.amounts @> leg.amount
  where t.account_id = :account_id
    and lower(coalesce(t.provider, '')) = any (:'providers'::text[])
    and t.status = 'completed'
    and t.status_date ${between}
    and not exists (
      select
      from tieout.matches as m
      where m.account_id = t.account_id
        and m.transaction_id = t.transaction_id
        and m.state = 'active'
        and m.role = 'settles'
    )`;

/**
 * By line: what the fiat leg of its transaction would have to be, so that few are found. What a customer paid compares with
 * gross, what one got with net.
 */
const sought = `
  select l.*, tieout.comparable_address(l.wallet_address) as address, basis.in_is_fiat,
         least(basis.amount / widest.above, basis.amount / widest.below) - margin.size as amount_min,
         greatest(basis.amount / widest.above, basis.amount / widest.below) + margin.size as amount_max
  from unmatched_lines as l
  join (                      -- the most that any tolerance in force allows
    select c.provider,
           coalesce(max(greatest(allowed.absolute_under, allowed.absolute_over)), 0) as absolute,
           1 + coalesce(max(allowed.relative_over), 0) as above,
           greatest(1 - coalesce(max(allowed.relative_under), 0), 0.01) as below
    from run_calendar as c
    left join run_tolerance as allowed using (provider)
    group by c.provider
  ) as widest using (provider)
  left join tieout.currency_words as unit on unit.word = lower(l.fiat_currency)
  -- One unit is allowed where nothing is set, and rounding may hide another. Where the unit is not known, the largest.
  cross join lateral (values (2 * power(10::numeric, -coalesce(unit.places, 0)) + widest.absolute)) as margin (size)
  cross join lateral (values (true, l.fiat_gross), (false, l.fiat_net)) as basis (in_is_fiat, amount)
  where basis.amount is not null`;

/** The amounts of all lines at once: what none of them seeks need not be looked at, whatever else it is. */
const amountsSought = `(
    select fiat_currency, in_is_fiat, range_agg(numrange(amount_min, amount_max, '[]')) as amounts
    from run_sought
    group by fiat_currency, in_is_fiat
  )`;

const difference = "(case when p.in_is_fiat then p.in_difference else p.out_difference end)";

const suggestions = `
with candidates as (
  select p.*
  from (${pairColumns(4, "null::text")}
    from run_sought as l
    cross join lateral (
      select t.*
      from unmatched_transactions as t
      where t.of_provider = l.provider
        and t.fiat_currency = l.fiat_currency
        and t.in_is_fiat = l.in_is_fiat
        and t.fiat_amount between l.amount_min and l.amount_max       -- what is allowed is judged below
        and t.status_date between l.effective_at - ${nearby} and l.effective_at + ${nearby}
        and t.transaction_type = l.side
        and (t.address <> l.address) is not true
      offset 0                         -- asked by the index, line by line, whatever the planner expects of either side
    ) as t
    where ${notBarred}
  ) as p${allowedOn("in", difference)}${allowedOn("out", difference)}
  where ${difference} is not null
    and case when p.in_is_fiat then ${legAgrees("in", difference)} else ${legAgrees("out", difference)} end
)
select c.*
from candidates as c
where c.line_id in (select id from unmatched_lines where is_near)
  and not exists (select from candidates as other where other.line_id = c.line_id and other.transaction_id <> c.transaction_id)
  and not exists (select from candidates as other where other.transaction_id = c.transaction_id and other.line_id <> c.line_id)`;
