import type { Queryable } from "../database.ts";

/** For each account with windows that nobody walks: how many walkers it could use beside those at work. */
export async function walkersWanted(
  database: Queryable,
  options: { accountIds: readonly number[]; requestsMax: number },
): Promise<{ accountId: number; walkers: number }[]> {
  const rows = await database.query<{ account_id: number; walkers: number }>(
    `select a.id as account_id,
            least(count(*) filter (where w.state in ('planned', 'failed') or w.lease_until <= clock_timestamp()),
                  least(a.request_limit, $2)
                    - count(*) filter (where w.state = 'walking' and w.lease_until > clock_timestamp()))::int as walkers
     from tieout.accounts as a
     join tieout.sync_windows as w on w.account_id = a.id and w.state in ('planned', 'walking', 'failed')
     where a.id = any($1::int[])
     group by a.id`,
    [options.accountIds, options.requestsMax],
  );
  return rows
    .filter(({ walkers }) => walkers > 0)
    .map(({ account_id, walkers }) => ({ accountId: account_id, walkers }));
}

/** Accounts whose clock stands still: no live window was planned, or one waits unclaimed, for longer than `lateMs`. */
export async function listOverdueAccounts(database: Queryable, lateMs: number): Promise<number[]> {
  const rows = await database.query<{ id: number }>(
    `select a.id
     from tieout.accounts as a
     where a.state = 'active'
       and (a.not_before is null or a.not_before <= clock_timestamp())
       and (   not exists (select from tieout.sync_windows as w
                           where w.account_id = a.id and w.kind = 'live'
                             and w.planned_at > clock_timestamp() - $1::double precision * interval '1 millisecond')
            or exists (select from tieout.sync_windows as w
                       where w.account_id = a.id and w.kind in ('live', 'lookback')
                         and w.state in ('planned', 'walking')
                         and greatest(w.planned_at, w.not_before, w.lease_until)
                           < clock_timestamp() - $1::double precision * interval '1 millisecond'))`,
    [lateMs],
  );
  return rows.map(({ id }) => id);
}
