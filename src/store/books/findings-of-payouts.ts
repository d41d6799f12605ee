import { netComputed } from "./payout-writes.ts";
import { execute, isAny, type Run } from "./run.ts";

/**
 * A declared payout is compared as soon as it is declared: from its date, or from its last line's where it is dated ahead.
 */
const columns = `provider, code, line_id, payout_ref, expected, actual, currency, expected_text, actual_text, value, value_currency, owed,
    owed_currency, dated, holds_from`;

const declared = `(
    select r.*, ${netComputed} as net_computed, least(r.payout_date, r.last_line_at) as since
    from run_payouts as r
    where r.net_declared is not null
  )`;

const rules = [
  `
  insert into run_found (${columns})
  select p.provider, 'payout_sum_mismatch', p.declared_by_line_id, p.ref, p.net_computed, p.net_declared, p.currency, null, null,
         abs(p.net_declared - p.net_computed), p.currency, abs(p.net_declared - p.net_computed), p.currency, p.payout_date, p.since
  from ${declared} as p
  where abs(p.net_declared - p.net_computed) > p.unit
    and not p.is_conversion`,
  `
  insert into run_found (${columns})
  select p.provider, 'payout_declared_twice', p.last_line_id, p.ref, p.net_declared, p.last_net, p.currency, null, null,
         abs(p.last_net - p.net_declared), p.currency, abs(p.last_net - p.net_declared), p.currency, p.payout_date, p.since
  from ${declared} as p
  where p.is_twice`,
  `
  insert into run_found (${columns})
  select p.provider, 'payout_conversion_unexplained', p.declared_by_line_id, p.ref, null, null, p.currency,
         (select string_agg(${netComputed} || ' ' || r.currency, ', ' order by r.currency)
          from run_payouts as r
          where (r.provider, r.ref) = (p.provider, p.ref)
            and r.currency <> p.currency
            and r.line_count > 0),
         trim_scale(p.net_declared) || ' ' || p.currency, abs(p.net_declared), p.currency, abs(p.net_declared), p.currency,
         p.payout_date, p.since
  from ${declared} as p
  where p.is_conversion`,
];

export async function findInPayouts(run: Run): Promise<void> {
  if (!(await isAny(run, "from run_payouts"))) return;
  for (const rule of rules) await execute(run, rule);
}
