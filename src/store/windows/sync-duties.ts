import type { Queryable } from "../database.ts";
import { ms } from "./sync-windows.ts";

/** What may be claimed now: planned or failed and not waiting, or left behind by a worker that fell silent. */
const claimable = `(w.state in ('planned', 'failed') and (w.not_before is null or w.not_before <= clock_timestamp())
                    or w.state = 'walking' and w.lease_until <= clock_timestamp())`;
const walking = `(w.state = 'walking' and w.lease_until > clock_timestamp())`;

/** Who asks, and with which credentials: see `claimWindow`. */
interface Asking {
  id: number;
  credentials: string;
}

/** For each account with windows that can be claimed now: how many walkers it could use beside those at work. */
export async function walkersWanted(
  database: Queryable,
  options: { accounts: readonly Asking[]; requestsMax: number },
): Promise<{ accountId: number; walkers: number }[]> {
  return database.query<{ accountId: number; walkers: number }>(
    `select *
     from (
       select a.id as "accountId",
              least(count(*) filter (where ${claimable}),
                    case when a.state = 'refused' then 1 else least(a.request_limit, $3) end
                      - count(*) filter (where ${walking}))::int as walkers
       from unnest($1::int[], $2::text[]) as asking (id, credentials)
       join tieout.accounts as a on a.id = asking.id
       join tieout.sync_windows as w on w.account_id = a.id and w.state in ('planned', 'walking', 'failed')
       where a.state <> 'paused'
         and (a.not_before is null or a.not_before <= clock_timestamp())
         and (a.refused_credentials is distinct from asking.credentials or a.probe_at <= clock_timestamp())
       group by a.id
     ) as wanted
     where walkers > 0
     order by "accountId"`,
    [
      options.accounts.map(({ id }) => id),
      options.accounts.map(({ credentials }) => credentials),
      options.requestsMax,
    ],
  );
}

/** What there is to do for an account, and what stands in the way. */
export interface AccountWork {
  /** Windows up to the horizon, and of open transactions, that are not read to their end. */
  open: number;
  /** Windows of any age that can be claimed now. */
  claimable: number;
  /** Windows that someone is walking. */
  walking: number;
  /** Leases that the aggregator is known to bear at once. */
  leasesMax: number;
  /** Until the first of the windows that wait is due; `null` when none waits. */
  dueInMs: number | null;
  /** No requests before this is over: the aggregator said so. */
  waitMs: number;
  nowMs: number;
  /** When the aggregator last answered; `null` when it never did. */
  answeredAtMs: number | null;
  /** Whether the credentials asked with have been refused. */
  refused: boolean;
  /** active, refused or paused, and why. */
  state: string;
  reason: string | null;
  /** What went wrong last, where nothing has been answered since. */
  lastError: string | null;
}

export async function readAccountWork(
  database: Queryable,
  account: Asking,
  options: { horizonMs: number; requestsMax: number },
): Promise<AccountWork> {
  const [row] = await database.query<AccountWork & Record<string, unknown>>(
    `select count(w.id) filter (where w.kind in ('refresh', 'event') or w.range_to <= to_timestamp($3::double precision / 1000))::int as open,
            count(w.id) filter (where ${claimable})::int as claimable,
            count(w.id) filter (where ${walking})::int as walking,
            case when a.state = 'refused' then 1 else least(a.request_limit, $4) end as "leasesMax",
            ${ms("min(w.not_before) filter (where w.state <> 'walking' and w.not_before > clock_timestamp()) - clock_timestamp()")}
              as "dueInMs",
            greatest(0, coalesce(${ms("a.not_before - clock_timestamp()")}, 0)) as "waitMs",
            ${ms("clock_timestamp()")} as "nowMs",
            ${ms("a.last_success_at")} as "answeredAtMs",
            coalesce(a.refused_credentials = $2 and a.probe_at > clock_timestamp(), false) as refused,
            a.state,
            a.paused_reason as reason,
            a.last_error as "lastError"
     from tieout.accounts as a
     left join tieout.sync_windows as w on w.account_id = a.id and w.state in ('planned', 'walking', 'failed')
     where a.id = $1
     group by a.id`,
    [account.id, account.credentials, options.horizonMs, options.requestsMax],
    "read_account_work",
  );
  if (!row) throw new Error(`there is no account ${account.id}`);
  return row;
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
                           < clock_timestamp() - $1::double precision * interval '1 millisecond'))
     order by a.id`,
    [lateMs],
  );
  return rows.map(({ id }) => id);
}
