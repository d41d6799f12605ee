import type { Scope } from "../report.ts";

/**
 * The two movements of each completed transaction, one per currency: what the customer gave to the provider, and what
 * the provider gave to the customer. Bookkeeping knows completed ones only: before that, no movement is certain.
 */
export function moneyLegs(scope: Scope): string {
  return `
      select ${scope.day("t.status_date")} as day,
             t.status_date as at,
             t.account_id,
             t.transaction_id,
             t.provider,
             leg.place,
             lower(leg.currency) as currency,
             leg.amount,
             concat_ws(' ', initcap(t.transaction_type), trim_scale(t.in_amount)::text, upper(t.source_currency), '→',
                       trim_scale(t.out_amount)::text, upper(t.target_currency), t.payment_method) as description
      from ${scope.records()} as t
      cross join lateral (
        values (1, t.source_currency, t.in_amount), (2, t.target_currency, -t.out_amount)
      ) as leg (place, currency, amount)
      where t.status = 'completed' and leg.amount <> 0 and ${scope.where}${inCurrency(scope)}`;
}

function inCurrency(scope: Scope): string {
  const { currency } = scope.preset;
  return currency === null ? "" : ` and lower(leg.currency) = ${scope.bind(currency, "text")}`;
}
