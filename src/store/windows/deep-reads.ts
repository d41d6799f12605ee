import type { Queryable } from "../database.ts";
import { LeaseLost } from "../transactions/record-page.ts";
import type { WindowLease } from "./window-leases.ts";

/** Records which transactions a deep re-read has seen, and what it found new: a late record, or a change we had missed. */
export async function noteDeepPage(
  tx: Queryable,
  lease: WindowLease,
  page: { metIds: readonly string[]; addedIds: readonly string[] },
): Promise<void> {
  await tx.query(
    `insert into tieout.deep_read_seen (window_id, transaction_id)
     select distinct $1::bigint, id from unnest($2::text[]) as id
     on conflict do nothing`,
    [lease.windowId, page.metIds],
  );
  await tx.query(
    `insert into tieout.sync_findings (window_id, account_id, transaction_id, finding)
     select distinct $1::bigint, $2::int, id,
            case when exists (select from tieout.transaction_statuses as s
                              where s.account_id = $2 and s.transaction_id = id and s.window_id <> $1)
                 then 'changed' else 'appeared' end
     from unnest($3::text[]) as id
     on conflict do nothing`,
    [lease.windowId, lease.accountId, page.addedIds],
  );
}

/**
 * Transactions that the re-read did not meet, from the first moment it asked about: perhaps gone, perhaps listed elsewhere.
 * Windows ask a little further back than they begin; before the first of them lies no other that would look.
 */
export async function listNotMet(
  database: Queryable,
  lease: WindowLease,
  options: { askedFrom: string; after: string; limit: number },
): Promise<string[]> {
  const rows = await database.query<{ transaction_id: string }>(
    `select t.transaction_id
     from tieout.transactions as t
     where t.account_id = $1
       and t.status_date >= $2 and t.status_date < $3
       and t.transaction_id > $4
       and not exists (select from tieout.deep_read_seen as seen
                       where seen.window_id = $5 and seen.transaction_id = t.transaction_id)
     order by t.transaction_id
     limit $6`,
    [lease.accountId, options.askedFrom, lease.to, options.after, lease.windowId, options.limit],
  );
  return rows.map(({ transaction_id }) => transaction_id);
}

/** What the aggregator serves neither in its list nor by id is marked, never deleted; what came back is unmarked. */
export async function markVanished(
  tx: Queryable,
  lease: WindowLease,
  outcome: { vanishedIds: readonly string[] },
): Promise<{ differs: boolean }> {
  const held = await tx.query(
    `select id
     from tieout.sync_windows
     where id = $1 and fence = $2 and state = 'walking' and lease_until > clock_timestamp()
     for update`,
    [lease.windowId, lease.fence],
  );
  if (held.length === 0) throw new LeaseLost(lease.windowId);
  await tx.query(
    `with marked as (
       update tieout.transactions
       set missing_since = clock_timestamp()
       where account_id = $2 and transaction_id = any($3::text[]) and missing_since is null
       returning transaction_id
     ), returned as (
       update tieout.transactions as t
       set missing_since = null
       from tieout.deep_read_seen as seen
       where seen.window_id = $1 and t.account_id = $2 and t.transaction_id = seen.transaction_id
         and t.missing_since is not null
       returning t.transaction_id
     ), noted as (
       insert into tieout.sync_findings (window_id, account_id, transaction_id, finding)
       select $1::bigint, $2::int, transaction_id, 'vanished' from marked
       union all
       select $1::bigint, $2::int, transaction_id, 'returned' from returned
       on conflict do nothing
     )
     update tieout.sync_windows
     set vanished = (select count(*) from marked)
     where id = $1`,
    [lease.windowId, lease.accountId, outcome.vanishedIds],
  );
  await tx.query("delete from tieout.deep_read_seen where window_id = $1", [lease.windowId]);
  const found = await tx.query("select from tieout.sync_findings where window_id = $1 limit 1", [
    lease.windowId,
  ]);
  return { differs: found.length > 0 };
}

export interface Finding {
  transactionId: string;
  finding: string;
}

/** What deep re-reads have found if they were planned, or finished, since then. */
export async function readFindings(
  database: Queryable,
  accountId: number,
  since: string,
): Promise<Finding[]> {
  const rows = await database.query<{ transaction_id: string; finding: string }>(
    `select f.transaction_id, f.finding
     from tieout.sync_findings as f
     join tieout.sync_windows as w on w.id = f.window_id
     where f.account_id = $1 and (w.planned_at >= $2 or w.sealed_at >= $2)
     order by f.finding, f.transaction_id`,
    [accountId, since],
  );
  return rows.map(({ transaction_id, finding }) => ({ transactionId: transaction_id, finding }));
}
