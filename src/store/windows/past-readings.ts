import type { LookbackReading, TimeRange } from "../../core/window.ts";
import type { Queryable } from "../database.ts";
import { ms } from "./sync-windows.ts";
import type { WindowKind } from "./window-leases.ts";

/** The last reading of each level of the lookback; levels that ended before `sinceMs` start anew. */
export async function lastLookbacks(
  database: Queryable,
  accountId: number,
  sinceMs: number,
): Promise<Map<number, LookbackReading>> {
  const rows = await database.query<{ level: number; to_ms: number; quiet_ms: number | null }>(
    `select level, ${ms("max(range_to)")} as to_ms,
            ${ms(`max(planned_at) filter (where parent_id is null) - max(sealed_at) filter (where added > 0)`)} as quiet_ms
     from tieout.sync_windows
     where account_id = $1 and kind = 'lookback' and level >= 0 and range_to > to_timestamp($2::double precision / 1000)
     group by level`,
    [accountId, sinceMs],
  );
  return new Map(rows.map(({ level, to_ms, quiet_ms }) => [level, { toMs: to_ms, quietMs: quiet_ms }]));
}

/** What of a range was read once and waits for no lookback: to be read again by a reading of all levels. */
export async function listReadOnce(
  database: Queryable,
  accountId: number,
  range: TimeRange,
): Promise<TimeRange[]> {
  return database.query<{ fromMs: number; toMs: number }>(
    `select ${ms("lower(part)")} as "fromMs", ${ms("upper(part)")} as "toMs"
     from tieout.accounts as a
     cross join unnest(
       a.covered
         * tstzmultirange(tstzrange(to_timestamp($2::double precision / 1000), to_timestamp($3::double precision / 1000)))
         - coalesce((select range_agg(tstzrange(w.range_from, w.range_to))
                     from tieout.sync_windows as w
                     where w.account_id = a.id and w.kind = 'lookback' and w.state in ('planned', 'walking', 'failed')),
                    '{}')) as part
     where a.id = $1
     order by 1`,
    [accountId, range.fromMs, range.toMs],
  );
}

/**
 * Records per second in a range, as it was first read; `null` where nothing of it was. The windows that were sealed last do
 * not tell: they may all be parts of one busy moment.
 */
export async function readDensity(
  database: Queryable,
  accountId: number,
  range: TimeRange,
): Promise<number | null> {
  const [row] = await database.query<{ density: number | null }>(
    `select (sum(read) / nullif(sum(extract(epoch from range_to - range_from)), 0))::double precision as density
     from tieout.sync_windows
     where account_id = $1
       and kind in ('live', 'backfill')
       and state = 'sealed'
       and range_to > to_timestamp($2::double precision / 1000)
       and range_from < to_timestamp($3::double precision / 1000)`,
    [accountId, range.fromMs, range.toMs],
  );
  return row?.density ?? null;
}

/** Where the last window of a kind ended, in whatever state it is; `null` when there was none. */
export async function lastWindowEnd(
  database: Queryable,
  accountId: number,
  kind: WindowKind,
): Promise<number | null> {
  const [row] = await database.query<{ to_ms: number | null }>(
    `select ${ms("max(range_to)")} as to_ms from tieout.sync_windows where account_id = $1 and kind = $2`,
    [accountId, kind],
  );
  return row?.to_ms ?? null;
}

/** Whether all of a range is, or was, to be read again by what this month, in UTC, has planned. */
export async function isReadAgainThisMonth(
  database: Queryable,
  accountId: number,
  range: TimeRange,
): Promise<boolean> {
  const [row] = await database.query<{ isPlanned: boolean }>(
    `select coalesce(
              range_agg(tstzrange(range_from, range_to))
                @> tstzrange(to_timestamp($2::double precision / 1000), to_timestamp($3::double precision / 1000)),
              false) as "isPlanned"
     from tieout.sync_windows
     where account_id = $1
       and kind = 'deep'
       and planned_at >= date_trunc('month', clock_timestamp(), 'UTC')`,
    [accountId, range.fromMs, range.toMs],
  );
  return row?.isPlanned ?? false;
}
