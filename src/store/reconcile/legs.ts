/**
 * A transaction `t` and a line `l` side by side, leg by leg. On the in leg fiat is what the customer paid, so it compares
 * with gross; on the out leg it is what the customer got, so it compares with net. A leg whose currencies or networks
 * differ is not compared: its difference is null.
 */
export const legColumns = `
         t.in_amount as in_expected,
         case when t.in_is_fiat then l.fiat_gross else l.crypto_amount end as in_actual,
         case when t.in_is_fiat then l.fiat_currency else l.asset end as in_line_code,
         t.out_amount as out_expected,
         case when t.out_is_fiat then l.fiat_net else l.crypto_amount end as out_actual,
         case when t.out_is_fiat then l.fiat_currency else l.asset end as out_line_code,
         case when t.in_is_fiat then null else t.in_network <> l.network end as in_network_differs,
         case when t.out_is_fiat then null else t.out_network <> l.network end as out_network_differs`;

/** The difference of a leg, after rounding to what is compared; `p` has the columns above and those of the transaction. */
export function legDifference(leg: "in" | "out"): string {
  return `case
           when p.${leg}_line_code <> p.${leg}_code or p.${leg}_network_differs then null
           when p.${leg}_is_fiat then round(p.${leg}_actual, p.${leg}_places) - round(p.${leg}_expected, p.${leg}_places)
           else p.${leg}_actual - p.${leg}_expected
         end`;
}

/**
 * What is allowed on a leg, looked up only where there is a difference at all. Yields `under`, `over` and `drift`, the
 * part of it that is relative.
 */
export function allowedOn(leg: "in" | "out", difference: string): string {
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
      from tolerance
      where tolerance.account_id = p.account_id
        and tolerance.provider = p.provider
        and tolerance.currency in (p.${leg}_code, '*')
        and tolerance.leg in ('${leg}', '*')
      order by tolerance.currency = '*', tolerance.leg = '*'
      limit 1
    ) as found on true
    where ${difference} <> 0
  ) as ${leg}_allowed on true`;
}

/** Whether a leg agrees; true where it could not be compared. */
export function legAgrees(leg: "in" | "out", difference: string): string {
  return `coalesce(${difference} between -${leg}_allowed.under and ${leg}_allowed.over, true)`;
}

/** The name under which a difference inside the tolerance is booked. */
export function differenceName(leg: "in" | "out", difference: string): string {
  return `case
           when coalesce(${difference}, 0) = 0 or not ${legAgrees(leg, difference)} then null
           when abs(${difference}) <= ${leg}_allowed.unit then 'rounding'
           when abs(${difference}) in (p.fee_total, p.fee_processing, p.fee_network, p.fee_partner) then 'fee'
           ${leg === "out" ? `when abs(${difference}) <= out_allowed.drift then 'quote_drift'` : ""}
           else 'other'
         end`;
}
