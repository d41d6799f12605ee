import { grossOfCharge, hasNoGross } from "./gross.ts";
import { type CurrencyWord, keepCurrencyWords } from "./keys.ts";
import { analyze, countEach, type Counts, execute, isAny, make, type Run } from "./run.ts";

/**
 * Payouts and their waterfalls, from the lines. A line belongs to the payout it names; where a file has one payout line in
 * the currency and its other lines name none, to that one. Lines are never searched for amounts that happen to add up.
 * A payout is compared as soon as it is declared, whatever its date. Leaves `run_payouts`, and keeps what has changed:
 * one whose lines are all gone stays, with nothing in it. Says how many changed.
 */
export async function writePayouts(run: Run, meaningOf: (word: string) => CurrencyWord): Promise<Counts> {
  await make(run, "touched_payouts", run.scope === "all" ? everyRef : touchedRefs);
  const empty = run.scope === "touched" && !(await isAny(run, "from touched_payouts"));
  if (!empty) await analyze(run, "touched_payouts");
  if (run.scope === "touched") {
    await make(run, "touched_payout_lines", touchedPayoutLines, { empty });
    await analyze(run, "touched_payout_lines");
  }
  await make(run, "run_payout_sums", sums(run), { empty });
  await make(run, "run_declared", declared(run), { empty });
  if (!empty) {
    const words = await execute<{ word: string }>(run, newWords);
    await keepCurrencyWords(
      run.tx,
      words.map(({ word }) => meaningOf(word)),
    );
  }
  await make(run, "run_payouts", payouts, { empty });
  if (empty) return new Map();
  await execute(run, emptied);
  await execute(run, keepHistory);
  return countEach(run, keepPayouts);
}

const everyRef = `
  select distinct provider, payout_ref
  from tieout.payouts
  where account_id = :account_id
    and provider = any (:'providers'::text[])`;

/**
 * Of what was touched, and of every file that carries or carried it: by which a payout may win or lose its lines. Each file
 * is looked through once, however many of its lines were touched.
 */
const touchedRefs = `
  select l.provider, coalesce(l.payout_ref, l.provider_transaction_id) as payout_ref
  from pg_temp.touched_lines
  join tieout.statement_lines as l on l.id = touched_lines.line_id
  where l.payout_ref is not null
     or l.line_type = 'payout'
  union
  select l.provider, coalesce(l.payout_ref, l.provider_transaction_id)
  from (
    select distinct w.statement_id
    from pg_temp.touched_lines
    join tieout.statement_rows as w on w.line_id = touched_lines.line_id
  ) as file
  join tieout.statement_rows as beside on beside.statement_id = file.statement_id
  join tieout.statement_lines as l on l.id = beside.line_id
  where l.line_type = 'payout'`;

/** All lines of these payouts, touched or not: a payout is the sum of all its lines. */
const payoutLines = ({ scope }: Run) => `
  select l.provider, l.id, l.line_key, l.occurrence, l.line_type, l.net_amount, l.fiat_gross, l.fiat_currency, l.effective_at,
         l.transaction_hash, l.rate, l.rate_basis, coalesce(l.net_currency, l.fiat_currency) as currency,
         coalesce(s.profile_used ->> 'model', 'commission') as model,
         ${hasNoGross("l", "s")} as has_no_gross,
         paid.ref
  from tieout.lines_at(array[:account_id::int], 'infinity') as l
  join tieout.statements as s on s.id = l.statement_id
  left join tieout.file_payouts(array[:account_id::int], 'infinity') as file
    on file.statement_id = l.statement_id
   and file.currency = coalesce(l.net_currency, l.fiat_currency)
   and l.payout_ref is null
   and l.line_type <> 'payout'
   and l.net_amount <> 0
  cross join lateral (
    select coalesce(l.payout_ref, case l.line_type when 'payout' then l.provider_transaction_id end, file.payout_ref)
  ) as paid (ref)
  where l.provider = any (:'providers'::text[])
    and l.line_type not in ('balance', 'commission_total')
    and paid.ref is not null${scope === "touched" ? touchedOnly : ""}`;

const touchedOnly = `
    and (l.provider, paid.ref) in (select provider, payout_ref from pg_temp.touched_payouts)
    and l.id in (select line_id from pg_temp.touched_payout_lines)`;

/** Looked up by reference and by file, so that a run over one file does not read all of them. */
const touchedPayoutLines = `
  with files as materialized (
    select distinct declaring.statement_id
    from tieout.lines_at(array[:account_id::int], 'infinity') as declaring
    where declaring.provider = any (:'providers'::text[])
      and declaring.line_type = 'payout'
      and (declaring.provider, coalesce(declaring.payout_ref, declaring.provider_transaction_id)) in (
        select provider, payout_ref from pg_temp.touched_payouts
      )
  )
  select l.id as line_id
  from pg_temp.touched_payouts as p
  cross join lateral (
    select l.id
    from tieout.statement_lines as l
    where l.payout_ref = p.payout_ref
      and l.account_id = :account_id
      and l.provider = p.provider
    offset 0                -- by index, one after the other: of a new payout the planner knows nothing, and would read all lines
  ) as l
  union
  select w.line_id
  from files
  cross join lateral (
    select w.line_id
    from tieout.statement_rows as w
    where w.statement_id = files.statement_id
      and w.line_id is not null
    offset 0
  ) as w`;

/** Currencies that no record has named yet: without its smallest unit, a coin would be compared like cents. */
const newWords = `
  select distinct lower(l.currency) as word
  from (select currency from run_payout_sums union select currency from run_declared) as l
  where not exists (select from tieout.currency_words as known where known.word = lower(l.currency))
  order by word`;

/** What providers say they pay. Said twice, the first counts, and the other is held against it. */
const declared = (run: Run) => `
  select distinct on (provider, ref, currency) provider, ref, currency, net_amount as net, id as line_id, effective_at, transaction_hash, rate, rate_basis,
         last_value(net_amount) over payout as last_net,
         last_value(id) over payout as last_line_id,
         min(net_amount) over payout <> max(net_amount) over payout as is_twice
  from (${payoutLines(run)}
  ) as l
  where line_type = 'payout'
    and currency is not null
  window payout as (
    partition by provider, ref, currency order by effective_at, line_key, occurrence
    rows between unbounded preceding and unbounded following
  )
  order by provider, ref, currency, effective_at, line_key, occurrence`;

const isGross = "l.line_type = 'charge' and l.model = 'gross' and not l.has_no_gross";

const steps = {
  gross: [grossOfCharge("l.currency"), isGross],
  fees: [
    `case l.line_type when 'fee' then 0 else ${grossOfCharge("l.currency")} end - l.net_amount`,
    `l.line_type = 'fee' or ${isGross}`,
  ],
  refunds: ["-l.net_amount", "l.line_type = 'refund'"],
  chargebacks: ["-l.net_amount", "l.line_type = 'chargeback'"],
  chargeback_reversals: ["l.net_amount", "l.line_type = 'chargeback_reversal'"],
  commissions: [
    "l.net_amount",
    "l.line_type = 'commission' or (l.line_type = 'charge' and l.model <> 'gross')",
  ],
  adjustments: ["l.net_amount", "l.line_type = 'adjustment'"],
  reserves: ["l.net_amount", "l.line_type = 'reserve'"],
} as const;

const eachStep = (write: (step: [string, readonly string[]]) => string) =>
  Object.entries(steps).map(write).join(",\n         ");

/** Added up as they are read, by several workers: a payout may have a million lines. */
const sums = (run: Run) => `
  select l.provider, l.ref, l.currency, count(*) as line_count, max(l.effective_at) as last_line_at, sum(l.net_amount) as net,
         ${eachStep(([step, [amount, condition]]) => `coalesce(sum(${amount}) filter (where ${condition}), 0) as ${step}`)}
  from (${payoutLines(run)}
  ) as l
  where l.line_type <> 'payout'
    and l.currency is not null
  group by l.provider, l.ref, l.currency`;

/**
 * Lines in another currency join their payout only at the rate that the statement states. Which way round a rate is meant
 * the sums tell: of the two, the one that comes nearer.
 */
const payouts = `
  with joined as (
    select s.*, coalesce(d.currency, s.currency) as paid_in, coalesce(d.factor, 1) as factor
    from run_payout_sums as s
    left join lateral (
      select d.currency,
             case
               when d.rate_basis = 'payout_per_line' then d.rate
               when d.rate_basis = 'line_per_payout' then round(1 / d.rate, 18)
               when abs(s.net * d.rate - d.net) <= abs(s.net / d.rate - d.net) then d.rate
               else round(1 / d.rate, 18)
             end as factor
      from run_declared as d
      where (d.provider, d.ref) = (s.provider, s.ref)
        and d.rate <> 0
        and not exists (
          select from run_declared as own where (own.provider, own.ref, own.currency) = (s.provider, s.ref, s.currency)
        )
      order by d.currency
      limit 1
    ) as d on true
  )
  select k.provider, k.ref, k.currency,
         coalesce(sum(j.line_count), 0)::int as line_count,
         max(j.last_line_at) as last_line_at,
         ${eachStep(([step]) => `coalesce(trim_scale(sum(round(j.${step} * j.factor, 18))), 0) as ${step}`)},
         min(d.net) as net_declared,
         min(d.effective_at) as payout_date,
         min(d.line_id) as declared_by_line_id,
         min(d.transaction_hash) as transaction_hash,
         bool_or(d.is_twice) as is_twice,
         min(d.last_net) as last_net,
         min(d.last_line_id) as last_line_id,
         coalesce(min(power(10::numeric, -w.places)), 0.01) as unit,
         count(j.ref) = 0 and exists (select from run_payout_sums as s where (s.provider, s.ref) = (k.provider, k.ref)) as is_conversion
  from (
    select provider, ref, paid_in as currency from joined
    union
    select provider, ref, currency from run_declared
  ) as k
  left join joined as j on (j.provider, j.ref, j.paid_in) = (k.provider, k.ref, k.currency)
  left join run_declared as d on (d.provider, d.ref, d.currency) = (k.provider, k.ref, k.currency)
  left join tieout.currency_words as w on w.word = lower(k.currency)
  group by k.provider, k.ref, k.currency`;

const emptied = `
  insert into run_payouts (provider, ref, currency, line_count, ${Object.keys(steps).join(", ")}, unit)
  select p.provider, p.payout_ref, p.currency, 0, ${eachStep(() => "0")}, 0
  from tieout.payouts as p
  join touched_payouts using (provider, payout_ref)
  where p.account_id = :account_id
    and not exists (
      select from run_payouts as r where (r.provider, r.ref, r.currency) = (p.provider, p.payout_ref, p.currency)
    )`;

export const netComputed = `trim_scale(r.gross - r.fees - r.refunds - r.chargebacks + r.chargeback_reversals + r.commissions
           + r.adjustments + r.reserves)`;

const figures = [
  "payout_date",
  "last_line_at",
  "line_count",
  ...Object.keys(steps),
  "net_computed",
  "net_declared",
  "declared_by_line_id",
  "transaction_hash",
  "difference",
  "status",
];

/** As the table has them. */
const figured = `
  select r.*, trim_scale(r.net_declared - r.net_computed) as difference,
         case when r.net_declared is null then 'undeclared'
              when abs(r.net_declared - r.net_computed) <= r.unit then 'tied'
              else 'not_tied' end as status
  from (
    select r.*, ${netComputed} as net_computed
    from run_payouts as r
  ) as r`;

const hasChanged = `(${figures.map((figure) => `held.${figure}`).join(", ")})
      is distinct from (${figures.map((figure) => `r.${figure}`).join(", ")})`;

/** What changes now was known until now. */
const keepHistory = `
  insert into tieout.payout_history (payout_id, ${figures.join(", ")}, known_from, known_to)
  select held.id, ${figures.map((figure) => `held.${figure}`).join(", ")}, held.last_changed_at, :'stamp'::timestamptz
  from (${figured}) as r
  join tieout.payouts as held
    on held.account_id = :account_id
   and held.provider = r.provider
   and held.payout_ref = r.ref
   and held.currency = r.currency
  where ${hasChanged}`;

const keepPayouts = `
  with written as (
    insert into tieout.payouts as held (account_id, provider, payout_ref, currency, ${figures.join(", ")},
      first_seen_at, last_changed_at)
    select :account_id, r.provider, r.ref, r.currency, ${figures.map((figure) => `r.${figure}`).join(", ")},
           :'stamp'::timestamptz, :'stamp'::timestamptz
    from (${figured}) as r
    left join tieout.payouts as held
      on held.account_id = :account_id
     and held.provider = r.provider
     and held.payout_ref = r.ref
     and held.currency = r.currency
    where held.id is null
       or ${hasChanged}
    order by r.provider, r.ref, r.currency
    on conflict on constraint payout_is_kept_once do update
    set ${figures.map((figure) => `${figure} = excluded.${figure}`).join(", ")},
        last_changed_at = excluded.last_changed_at
    returning held.provider
  )`;
