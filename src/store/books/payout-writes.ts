import type { Transaction } from "../database.ts";
import { liveFrame, withParts } from "./frame.ts";
import { payoutParts } from "./payout-parts.ts";

const steps = [
  "line_count",
  "gross",
  "fees",
  "refunds",
  "chargebacks",
  "chargeback_reversals",
  "commissions",
  "adjustments",
  "reserves",
  "net_computed",
  "net_declared",
  "payout_date",
  "declared_by_line_id",
  "transaction_hash",
];

/**
 * Computes the payouts anew and keeps what differs. One whose lines are all gone stays, with nothing in it: what was once
 * reported under its number must not turn into another. Says how many changed.
 */
export async function writePayouts(
  tx: Transaction,
  run: { accountId: number; provider: string; scope: "all" | "touched"; asAt: string; stamp: string },
): Promise<number> {
  await tx.query("drop table if exists pg_temp.touched_payouts, pg_temp.reconcile_payouts");
  await tx.query(
    `create temp table touched_payouts on commit drop as ${run.scope === "all" ? everyPayout : touchedPayouts}`,
    [run.accountId, run.provider],
  );
  const frame = liveFrame(run.scope);
  await tx.query(
    `create temp table reconcile_payouts on commit drop as
     ${withParts(payoutParts(frame))}
     select * from payout`,
    [run.accountId, run.provider, run.asAt],
  );
  await tx.query(
    `insert into reconcile_payouts (account_id, provider, ref, currency, line_count, gross, fees, refunds, chargebacks,
       chargeback_reversals, commissions, adjustments, reserves, net_computed, unit)
     select p.account_id, p.provider, p.payout_ref, p.currency, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0
     from tieout.payouts as p
     join touched_payouts using (payout_ref)
     where p.account_id = $1
       and p.provider = $2
       and not exists (
         select from reconcile_payouts as r where r.ref = p.payout_ref and r.currency = p.currency
       )`,
    [run.accountId, run.provider],
  );
  const [row] = await tx.query<{ changed: number }>(writeSql, [run.stamp]);
  return row?.changed ?? 0;
}

const everyPayout = `
  select distinct payout_ref
  from tieout.payouts
  where account_id = $1
    and provider = $2`;

const touchedPayouts = `
  select distinct coalesce(l.payout_ref, l.provider_transaction_id) as payout_ref
  from tieout.statement_lines as l
  join pg_temp.touched_lines on touched_lines.line_id = l.id
  where l.account_id = $1
    and l.provider = $2
    and (l.payout_ref is not null or l.line_type = 'payout')`;

const writeSql = `
     with written as (
       insert into tieout.payouts as held (account_id, provider, payout_ref, currency, ${steps.join(", ")}, difference, status,
         first_seen_at, last_changed_at)
       select r.account_id, r.provider, r.ref, r.currency, ${steps.map((step) => `r.${step}`).join(", ")},
              r.net_declared - r.net_computed,
              case when r.net_declared is null then 'undeclared'
                   when abs(r.net_declared - r.net_computed) <= r.unit then 'tied'
                   else 'not_tied' end,
              $1::timestamptz, $1::timestamptz
       from reconcile_payouts as r
       left join tieout.payouts as known
         on known.account_id = r.account_id
        and known.provider = r.provider
        and known.payout_ref = r.ref
        and known.currency = r.currency
       where known.id is null
          or (${steps.map((step) => `known.${step}`).join(", ")})
             is distinct from (${steps.map((step) => `r.${step}`).join(", ")})
       order by r.ref, r.currency
       on conflict on constraint payout_is_kept_once do update
       set ${steps.map((step) => `${step} = excluded.${step}`).join(", ")},
           difference = excluded.difference, status = excluded.status, last_changed_at = excluded.last_changed_at
       returning 1
     )
     select count(*)::int as changed
     from written`;
