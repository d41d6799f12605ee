import type { Frame, Part } from "./frame.ts";

/**
 * Payouts and their waterfalls, from the lines. A line belongs to the payout it names; where a file has one payout line in
 * the currency and its other lines name none, to that one. Lines are never searched for amounts that happen to add up.
 */
export function payoutParts(frame: Frame): Part[] {
  return [
    filePayouts(frame),
    // Read twice rather than held: a run's payouts may have a million lines, of which few declare one.
    { name: "pl", materialized: frame.mode === "past", sql: payoutLines(frame) },
    {
      name: "declared",
      materialized: true,
      sql: `
  select distinct on (account_id, provider, ref, currency) account_id, provider, ref, currency, net_amount as net, id as line_id,
         effective_at, transaction_hash, rate, rate_basis,
         last_value(net_amount) over payout as last_net,
         last_value(id) over payout as last_line_id,
         min(net_amount) over payout <> max(net_amount) over payout as is_twice
  from pl
  where line_type = 'payout'
  window payout as (
    partition by account_id, provider, ref, currency order by effective_at, line_key, occurrence
    rows between unbounded preceding and unbounded following
  )
  order by account_id, provider, ref, currency, effective_at, line_key, occurrence`,
    },
    {
      name: "summed",
      materialized: true,
      sql: `
  select account_id, provider, ref, currency, count(*) as line_count,
         ${sumWhere(grossOfCharge("pl", "currency"), "line_type = 'charge' and model = 'gross'")} as gross,
         ${sumWhere(`case line_type when 'fee' then 0 else ${grossOfCharge("pl", "currency")} end - net_amount`, "line_type = 'fee' or (line_type = 'charge' and model = 'gross')")} as fees,
         ${sumWhere("-net_amount", "line_type = 'refund'")} as refunds,
         ${sumWhere("-net_amount", "line_type = 'chargeback'")} as chargebacks,
         ${sumWhere("net_amount", "line_type = 'chargeback_reversal'")} as chargeback_reversals,
         ${sumWhere("net_amount", "line_type = 'commission' or (line_type = 'charge' and model <> 'gross')")} as commissions,
         ${sumWhere("net_amount", "line_type = 'adjustment'")} as adjustments,
         ${sumWhere("net_amount", "line_type = 'reserve'")} as reserves
  from pl
  where line_type <> 'payout'
    and currency is not null
  group by account_id, provider, ref, currency`,
    },
    {
      // Lines in another currency join their payout only at a rate that the statement states.
      name: "joined",
      materialized: true,
      sql: `
  select s.account_id, s.provider, s.ref, coalesce(d.currency, s.currency) as currency, s.currency as line_currency, s.line_count,
         ${[
           "gross",
           "fees",
           "refunds",
           "chargebacks",
           "chargeback_reversals",
           "commissions",
           "adjustments",
           "reserves",
         ]
           .map((step) => `s.${step} * coalesce(d.factor, 1) as ${step}`)
           .join(",\n         ")}
  from summed as s
  left join lateral (
    select d.currency,
           case d.rate_basis when 'fiat_per_crypto' then round(1 / d.rate, 18) else d.rate end as factor
    from declared as d
    where d.account_id = s.account_id
      and d.provider = s.provider
      and d.ref = s.ref
      and d.rate <> 0
      and not exists (
        select
        from declared as own
        where own.account_id = s.account_id
          and own.provider = s.provider
          and own.ref = s.ref
          and own.currency = s.currency
      )
    order by d.currency
    limit 1
  ) as d on true`,
    },
    {
      name: "payout",
      materialized: true,
      sql: `
  select k.account_id, k.provider, k.ref, k.currency,
         coalesce(sum(j.line_count), 0)::int as line_count,
         ${[
           "gross",
           "fees",
           "refunds",
           "chargebacks",
           "chargeback_reversals",
           "commissions",
           "adjustments",
           "reserves",
         ]
           .map((step) => `coalesce(trim_scale(sum(j.${step})), 0) as ${step}`)
           .join(",\n         ")},
         coalesce(trim_scale(sum(j.gross - j.fees - j.refunds - j.chargebacks + j.chargeback_reversals + j.commissions
           + j.adjustments + j.reserves)), 0) as net_computed,
         min(d.net) as net_declared,
         min(d.effective_at) as payout_date,
         min(d.line_id) as declared_by_line_id,
         min(d.transaction_hash) as transaction_hash,
         bool_or(d.is_twice) as is_twice,
         min(d.last_net) as last_net,
         min(d.last_line_id) as last_line_id,
         coalesce(min(power(10::numeric, -w.places)), 0.01) as unit,
         count(j.ref) = 0 and exists (
           select
           from summed as s
           where s.account_id = k.account_id
             and s.provider = k.provider
             and s.ref = k.ref
         ) as is_conversion
  from (
    select account_id, provider, ref, currency from joined
    union
    select account_id, provider, ref, currency from declared
  ) as k
  left join joined as j on (j.account_id, j.provider, j.ref, j.currency) = (k.account_id, k.provider, k.ref, k.currency)
  left join declared as d on (d.account_id, d.provider, d.ref, d.currency) = (k.account_id, k.provider, k.ref, k.currency)
  left join tieout.currency_words as w on w.word = lower(k.currency)
  group by k.account_id, k.provider, k.ref, k.currency`,
    },
  ];
}

/**
 * What a charge brings in before fees, in the currency in which it is owed. Where the provider has converted it, or does not
 * tell, this begins with what it owes: an amount of another currency is no step on the way there.
 */
export function grossOfCharge(line: string, currency: string): string {
  return `case when ${line}.fiat_currency = ${currency} then coalesce(${line}.fiat_gross, ${line}.net_amount) else ${line}.net_amount end`;
}

/** A line takes part in one of the steps; adding a zero to each of the seven others would be most of the work. */
function sumWhere(amount: string, condition: string): string {
  return `coalesce(sum(${amount}) filter (where ${condition}), 0)`;
}

/** The payout of a line: the one it names, or of a payout line its own id, or the only one of its file in its currency. */
export const payoutOfLine = `coalesce(
           l.payout_ref,
           case l.line_type when 'payout' then l.provider_transaction_id end,
           (select f.ref from file_payout as f where f.statement_id = l.statement_id and f.currency = coalesce(l.net_currency, l.fiat_currency))
         )`;

/** A line that moves nothing and names no payout is in none, although its file may have one; nor is a stated balance. */
export const countsInPayout =
  "(l.line_type <> 'balance' and (l.net_amount <> 0 or l.payout_ref is not null or l.line_type = 'payout'))";

/** Files with one payout line in a currency. */
export function filePayouts(frame: Frame): Part {
  return {
    name: "file_payout",
    materialized: true,
    sql: `
  select l.statement_id, l.net_currency as currency, min(coalesce(l.payout_ref, l.provider_transaction_id)) as ref
  ${standingLines(frame)}
    and l.line_type = 'payout'
  group by l.statement_id, l.net_currency
  having count(*) = 1`,
  };
}

/** What is known and dated at the instant or later: payouts to come, and transactions whose line does. */
export function laterParts(frame: Frame): Part[] {
  return [
    {
      name: "later_line",
      materialized: true,
      sql: `
  select l.id, l.account_id, l.provider, l.statement_id, l.line_type, l.net_currency, l.payout_ref, l.provider_transaction_id
  ${standingLines(frame, ">=")}`,
    },
    {
      name: "coming",
      materialized: true,
      sql: `
  select account_id, provider, statement_id, net_currency as currency, coalesce(payout_ref, provider_transaction_id) as ref,
         count(*) over (partition by statement_id, net_currency) = 1 as is_only
  from later_line
  where line_type = 'payout'`,
    },
    {
      name: "settled_later",
      materialized: true,
      sql: `
  select distinct m.account_id, m.transaction_id
  from later_line as line
  join m on m.line_id = line.id
  where m.role = 'settles'`,
    },
  ];
}

/** Of an incremental run: all lines of the payouts that a touched line belongs to, or has belonged to. */
function payoutLines(frame: Frame): string {
  const touched = `
    and (l.payout_ref in (
        select t.payout_ref
        from tieout.statement_lines as t
        join pg_temp.touched_lines on touched_lines.line_id = t.id
      ) or (l.payout_ref is null and l.statement_id in (
        select t.statement_id
        from tieout.statement_lines as t
        join pg_temp.touched_lines on touched_lines.line_id = t.id
      )))`;
  return `
  select l.*
  from (
    select l.account_id, l.provider, l.id, l.line_key, l.occurrence, l.line_type, l.net_amount, l.fiat_gross, l.fiat_currency,
           l.effective_at, l.transaction_hash, l.rate, l.rate_basis,
           coalesce(l.net_currency, l.fiat_currency) as currency,
           file.model,
           ${payoutOfLine} as ref
    ${standingLines(frame)}
      and ${countsInPayout}${frame.scope === "touched" ? touched : ""}
  ) as l
  where l.ref is not null`;
}

/** Whether or not the run has touched them: a payout is the sum of all its lines. */
function standingLines({ mode, accounts, provider, asAt, knownAt }: Frame, when: "<" | ">=" = "<"): string {
  const live = mode === "live";
  return `from tieout.statement_lines as l
    join (
      select s.id, coalesce(s.profile_used ->> 'model', 'commission') as model from tieout.statements as s
    ) as file on file.id = l.statement_id
    where l.account_id = ${live ? "$1" : `any (${accounts})`}${provider === null ? "" : `\n      and l.provider = ${provider}`}
      and l.effective_at ${when} ${asAt}${live ? "" : `\n      and l.imported_at <= ${knownAt}`}
      and not exists (
        select
        from tieout.line_retirements as r
        where r.line_id = l.id
          and ${live ? "r.restored_at is null" : `r.retired_at <= ${knownAt} and (r.restored_at is null or r.restored_at > ${knownAt})`}
      )`;
}

export const payoutFindings: Part = {
  name: "payout_findings",
  sql: `
  select 'payout_sum_mismatch', p.account_id, p.provider, null::text, p.declared_by_line_id, p.ref, null::timestamptz, null::timestamptz,
         p.net_computed, p.net_declared, p.currency, null::text, null::text, abs(p.net_declared - p.net_computed), p.currency,
         p.payout_date, p.payout_date
  from payout as p
  where abs(p.net_declared - p.net_computed) > p.unit
    and not p.is_conversion
  union all
  select 'payout_declared_twice', p.account_id, p.provider, null::text, p.last_line_id, p.ref, null::timestamptz, null::timestamptz,
         p.net_declared, p.last_net, p.currency, null::text, null::text, abs(p.last_net - p.net_declared), p.currency,
         p.payout_date, p.payout_date
  from payout as p
  where p.is_twice
  union all
  select 'payout_conversion_unexplained', p.account_id, p.provider, null::text, p.declared_by_line_id, p.ref, null::timestamptz,
         null::timestamptz, null::numeric, null::numeric, p.currency,
         (select string_agg(trim_scale(o.net_computed) || ' ' || o.currency, ', ' order by o.currency)
          from payout as o
          where (o.account_id, o.provider, o.ref) = (p.account_id, p.provider, p.ref)
            and o.currency <> p.currency),
         trim_scale(p.net_declared) || ' ' || p.currency, abs(p.net_declared), p.currency, p.payout_date, p.payout_date
  from payout as p
  where p.is_conversion`,
};
