import type { Transaction } from "../database.ts";
import { liveFrame, withParts } from "./frame.ts";
import { rules } from "./rules.ts";
import type { LastRun } from "./runs.ts";
import { subjects } from "./sources.ts";
import { periodStart } from "./zones.ts";

/**
 * Transactions about which time alone, or a statement that does not name them, may change the verdict. Each is found by an
 * index and the last run's instant, so that nothing is looked at twice.
 */
export async function gatherByTime(
  tx: Transaction,
  by: { accountId: number; provider: string; asAt: string; knownAt: string; covered: string; last: LastRun },
): Promise<void> {
  const parts = withParts([...subjects(frame), ...rules(frame)]);
  const values = [by.accountId, by.provider, by.asAt, by.knownAt, by.last.asAt];
  for (const select of [grownDue, grownOld]) {
    await tx.query(`${parts} insert into touched_transactions ${select} on conflict do nothing`, values);
  }
  await tx.query(`insert into touched_transactions ${toldAnew} on conflict do nothing`, [
    by.accountId,
    by.provider,
    by.last.knownAt,
  ]);
  await tx.query(`insert into touched_transactions ${openWithLine} on conflict do nothing`, [
    by.accountId,
    by.provider,
    by.covered,
    by.last.covered,
  ]);
}

const frame = liveFrame("touched");

const unmatched = `
    and not exists (
      select
      from tieout.matches as m
      where m.account_id = t.account_id
        and m.transaction_id = t.transaction_id
        and m.state = 'active'
        and m.role = 'settles'
    )`;

/** Of periods whose statement has become due since. Where a minimum payout moves what is due, all that waits for it. */
const grownDue = `
  select t.transaction_id
  from calendar as c
  join tieout.transactions as t
    on t.account_id = c.account_id
   and lower(coalesce(t.provider, '')) = c.provider
   and t.status_date < ${periodStart("($3::timestamptz - c.patience)")}
   and t.status_date >= case               -- one bound, not an "or": only so an index finds what lies between the two
     when c.minimum_payout is not null then '-infinity'
     else ${periodStart("($5::timestamptz - c.patience)")}
   end
  where t.status = 'completed'
    and $4::timestamptz is not null${unmatched}`;

/** Open for too long, or without a chain hash for a day. */
const grownOld = `
  select t.transaction_id
  from calendar as c
  join tieout.transactions as t
    on t.account_id = c.account_id
   and lower(coalesce(t.provider, '')) = c.provider
   and not t.is_final
  cross join lateral (values (c.stale_card), (c.stale_bank)) as stale (after)
  where t.status_date < $3::timestamptz - stale.after
    and t.status_date >= $5::timestamptz - stale.after - interval '1 minute'
    and $4::timestamptz is not null
  union
  select t.transaction_id
  from calendar as c
  join tieout.transactions as t
    on t.account_id = c.account_id
   and lower(coalesce(t.provider, '')) = c.provider
   and t.status_date < $3::timestamptz - interval '24 hours'
   and t.status_date >= $5::timestamptz - interval '24 hours' - interval '1 minute'
  where t.status = 'completed'
    and coalesce(t.transaction_hash, '') = ''`;

/** In the period of a statement that has come or gone. */
const toldAnew = `
  select t.transaction_id
  from tieout.statements as s
  join tieout.transactions as t
    on t.account_id = s.account_id
   and lower(coalesce(t.provider, '')) = s.provider
   and t.status_date >= s.period_from - case s.period_basis when 'settlement' then interval '1 year' else interval '0' end
   and t.status_date < s.period_to
  where s.account_id = $1
    and s.provider = $2
    and (s.imported_at > $3::timestamptz or s.withdrawn_at > $3::timestamptz)
    and t.status = 'completed'${unmatched}`;

/** An open transaction contradicts its line once we have read a day beyond it. */
const openWithLine = `
  select t.transaction_id
  from tieout.transactions as t
  join tieout.matches as m
    on m.account_id = t.account_id
   and m.transaction_id = t.transaction_id
   and m.state = 'active'
  join tieout.statement_lines as l on l.id = m.line_id
  where t.account_id = $1
    and not t.is_final
    and lower(coalesce(t.provider, '')) = $2
    and $3::tstzmultirange @> (l.effective_at + interval '24 hours')
    and not $4::tstzmultirange @> (l.effective_at + interval '24 hours')`;
