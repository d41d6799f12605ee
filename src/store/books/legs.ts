type Leg = "in" | "out";

/**
 * The part of a split line that belongs to a transaction, as an expression; `null` where the whole line does, which is
 * nearly always and must cost nothing.
 */
export type Part = "m.part_amount" | "p.part_amount" | null;

/**
 * A transaction `t` and a line `l` side by side, leg by leg. On the in leg fiat is what the customer paid, so it compares
 * with gross; on the out leg it is what the customer got, so it compares with net. Of a split line the part stands for
 * either; how its coins divide is not stated, so they are compared as a whole (`findings-of-splits.ts`).
 */
function sidesOf(leg: Leg, part: Part): Record<"actual" | "lineCode" | "networkDiffers", string> {
  const whole = `case when t.${leg}_is_fiat then ${leg === "in" ? "l.fiat_gross" : netOfSell} else l.crypto_amount end`;
  return {
    actual:
      part === null
        ? whole
        : `case when ${part} is null then ${whole} when t.${leg}_is_fiat then ${leg === "in" ? part : partOfSell(part)} end`,
    lineCode: `case when t.${leg}_is_fiat then l.fiat_currency else l.asset end`,
    networkDiffers: `case when t.${leg}_is_fiat then null else t.${leg}_network <> l.network end`,
  };
}

/** Where a line does not state what the customer got, what it states before fees says enough when that is too little. */
const netOfSell = "coalesce(l.fiat_net, case when l.fiat_gross < t.out_amount then l.fiat_gross end)";

const partOfSell = (part: string) =>
  `case when l.fiat_net is not null or ${part} < t.out_amount then ${part} end`;

/**
 * Both sides of a leg, and the difference after rounding to what is compared. A leg whose currencies or networks differ
 * is not compared: its difference is null.
 */
function columnsOf(leg: Leg, part: Part): string {
  const { actual, lineCode, networkDiffers } = sidesOf(leg, part);
  return `
         t.${leg}_amount as ${leg}_expected,
         ${actual} as ${leg}_actual,
         ${lineCode} as ${leg}_line_code,
         ${networkDiffers} as ${leg}_network_differs,
         case
           when ${lineCode} <> t.${leg}_code or ${networkDiffers} then null
           when ${actual} = t.${leg}_amount then 0            -- nearly all, and rounding is dear
           when t.${leg}_is_fiat then round(${actual}, t.${leg}_places) - round(t.${leg}_amount, t.${leg}_places)
           else ${actual} - t.${leg}_amount
         end as ${leg}_difference`;
}

export const legColumns = (part: Part) => `${columnsOf("in", part)},${columnsOf("out", part)}`;

/**
 * Whether anything differs between the two that a finding could be about. Nearly all pairs agree in everything; what is
 * asked of the others is asked of few. Nothing that a finding needs may be missing here.
 */
export const anythingDiffers = (part: Part) => `(
           t.status <> 'completed'
           or l.status not in ('settled', 'delivering')
           ${(["in", "out"] as const)
             .map((leg) => {
               const { actual, lineCode, networkDiffers } = sidesOf(leg, part);
               return `or ${actual} is distinct from t.${leg}_amount
           or ${lineCode} is distinct from t.${leg}_code
           or ${networkDiffers}`;
             })
             .join("\n           ")}
           or l.side <> t.transaction_type
           or l.reference_key not in (t.transaction_id, coalesce(t.extra ->> 'partnerContext', ''))
           or l.transaction_hash <> t.transaction_hash
           or l.wallet_address <> t.wallet_address
         )`;

/**
 * What is allowed on a leg, looked up only where there is a difference at all. Yields `under`, `over` and `drift`, the
 * part of it that is relative.
 */
export function allowedOn(leg: Leg, difference: string): string {
  const unit = `power(10::numeric, -coalesce(p.${leg}_places, 8))`;
  return `
  left join lateral (
    select greatest(coalesce(found.absolute_under, ${unit}), coalesce(found.relative_under, 0) * abs(p.${leg}_expected)) as under,
           greatest(coalesce(found.absolute_over, ${unit}), coalesce(found.relative_over, 0) * abs(p.${leg}_expected)) as over,
           greatest(found.relative_under, found.relative_over, 0) * abs(p.${leg}_expected) as drift,
           ${unit} as unit
    from (values (1)) as one
    left join lateral (
      select *
      from run_tolerance as allowed
      where allowed.provider = p.provider
        and allowed.currency in (p.${leg}_code, '*')
        and allowed.leg in ('${leg}', '*')
      order by allowed.currency = '*', allowed.leg = '*'
      limit 1
    ) as found on true
    where ${difference} <> 0
  ) as ${leg}_allowed on true`;
}

/** Whether a leg agrees; true where it could not be compared. */
export function legAgrees(leg: Leg, difference: string): string {
  return `coalesce(${difference} between -${leg}_allowed.under and ${leg}_allowed.over, true)`;
}

/** The name under which a difference inside the tolerance is booked. */
export function differenceName(leg: Leg, difference: string): string {
  return `case
           when coalesce(${difference}, 0) = 0 or not ${legAgrees(leg, difference)} then null
           when abs(${difference}) <= ${leg}_allowed.unit then 'rounding'
           when abs(${difference}) in (p.fee_total, p.fee_processing, p.fee_network, p.fee_partner) then 'fee'
           ${leg === "out" ? `when abs(${difference}) <= out_allowed.drift then 'quote_drift'` : ""}
           else 'other'
         end`;
}

/** What a line owes us, of a pair of a split as much of it as the part is of the whole. */
export const owedByPair = `case when p.part_amount is null then l.owed
              else round(l.owed * p.part_amount / nullif(abs(l.fiat_amount), 0), 18) end`;

/** All that the files say of a transaction sums to nothing: it was charged, and given back. */
export const cameBack = (transaction: string) => `exists (
          select
          from run_pairs as of_it
          join run_lines as l on l.id = of_it.line_id
          where of_it.transaction_id = ${transaction}.transaction_id
            and l.line_type in ('charge', 'refund', 'chargeback', 'chargeback_reversal')
            and l.moved_money
          having sum(coalesce(of_it.part_amount, abs(l.fiat_amount)) * case when l.line_type in ('charge', 'chargeback_reversal') then 1 else -1 end) = 0
        )`;
