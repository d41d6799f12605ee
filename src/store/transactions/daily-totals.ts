import { DAY } from "../../core/duration.ts";
import { formatInstant } from "../../core/instant.ts";
import { firstAtMs, utc, type Zone, zoneNamed } from "../../core/zone.ts";
import type { Database, Queryable, Transaction } from "../database.ts";
import { localDay } from "../zone-sql.ts";
import { type AccountDay, changedDays, endOfRound } from "./changed-days.ts";
import { safeUntil } from "./transaction-reads.ts";

/** Changes that are looked at in one go: a backfill must not make one refresh endless. */
const changesMax = 50_000;
/** Every zone is added up after every run, so there are not to be many. */
const zonesMax = 12;
const zoneKeptDays = 30;

/**
 * Brings `daily_totals` up to date, for UTC, for every zone that someone looks in, and for the one that is asked for: finds
 * what has changed since the last time, and adds up again every day that such a transaction is on or was on. Returns whether
 * all changes are in; `null` when another process is at it.
 */
export async function refreshDailyTotals(
  database: Database,
  options: { changesMax?: number; zone?: Zone; waits?: boolean } = {},
): Promise<boolean | null> {
  // Asked before the reading: what changed before this time can be seen by it.
  const until = await safeUntil(database);
  return database.transaction(async (tx) => {
    if (!(await takeTurn(tx, options.waits ?? false))) return null;
    const max = options.changesMax ?? changesMax;
    let all = true;
    for (const { zone, addedUpTo } of await zonesToRefresh(tx, options.zone ?? utc)) {
      const isAll = await refreshZone(tx, zone, { after: addedUpTo, until, max });
      all &&= isAll;
    }
    return all;
  });
}

/** One process at a time: what another is adding up need not be added up beside it. */
async function takeTurn(tx: Queryable, waits: boolean): Promise<boolean> {
  const key = "hashtextextended('tieout.daily_totals', 0)";
  const [lock] = await tx.query<{ taken: boolean }>(
    waits
      ? `select true as taken from pg_advisory_xact_lock(${key})`
      : `select pg_try_advisory_xact_lock(${key}) as taken`,
  );
  return lock?.taken ?? false;
}

interface ZoneToRefresh {
  zone: Zone;
  /** `null`: never yet. */
  addedUpTo: string | null;
}

/** Notes that a zone was asked for, and drops those not asked for in a while, and the oldest if there are too many. */
async function zonesToRefresh(tx: Queryable, asked: Zone): Promise<ZoneToRefresh[]> {
  const held = await tx.query<{ zone: string; added_up_to: string }>(
    `update tieout.daily_totals_progress
     set asked_at = case when zone = $1 then clock_timestamp() else asked_at end
     returning zone, added_up_to::text`,
    [asked.name],
  );
  const dropped = await tx.query<{ zone: string }>(
    `delete from tieout.daily_totals_progress
     where zone not in ('UTC', $1)
       and (asked_at < clock_timestamp() - make_interval(days => $2)
         or zone in (
           select zone
           from tieout.daily_totals_progress
           where zone not in ('UTC', $1)
           order by asked_at desc
           offset $3
         ))
     returning zone`,
    [asked.name, zoneKeptDays, zonesMax - 2],
  );
  const gone = new Set(dropped.map(({ zone }) => zone));
  if (gone.size > 0) await tx.query("delete from tieout.daily_totals where zone = any ($1)", [[...gone]]);
  const kept = held
    .filter(({ zone }) => !gone.has(zone))
    .map((row) => ({ zone: zoneNamed(row.zone), addedUpTo: row.added_up_to }));
  const isKept = (zone: Zone) => kept.some((one) => one.zone.name === zone.name);
  const missing = [...new Set([utc, asked])].filter((zone) => !isKept(zone));
  return [...kept, ...missing.map((zone) => ({ zone, addedUpTo: null }))];
}

async function refreshZone(
  tx: Transaction,
  zone: Zone,
  { after, until, max }: { after: string | null; until: string; max: number },
): Promise<boolean> {
  if (after === null) {
    await addUpEverything(tx, zone);
    await noteProgress(tx, zone, until);
    return true;
  }
  const to = await endOfRound(tx, { after, until, max });
  await addUpDays(tx, zone, await changedDays(tx, zone, { after, to: to.time }));
  await noteProgress(tx, zone, to.time);
  return to.all;
}

async function addUpDays(tx: Queryable, zone: Zone, days: readonly AccountDay[]): Promise<void> {
  if (days.length === 0) return;
  const accounts = days.map(({ account_id }) => account_id);
  const names = days.map(({ day }) => day);
  await tx.query(
    `delete from tieout.daily_totals as d
     using unnest($1::int[], $2::date[]) as affected (account_id, day)
     where d.zone = $3 and d.account_id = affected.account_id and d.day = affected.day`,
    [accounts, names, zone.name],
  );
  const startsMs = days.map((day) => firstAtMs(zone.dayClock, day.midnight_ms));
  const endsMs = days.map((day) => firstAtMs(zone.dayClock, day.midnight_ms + DAY));
  const firstMs = startsMs.reduce((a, b) => Math.min(a, b));
  const lastMs = endsMs.reduce((a, b) => Math.max(a, b));
  await tx.query(
    `${insertTotals} select $3, t.account_id, affected.day, ${figures}
     from unnest($1::int[], $2::date[], $4::timestamptz[], $5::timestamptz[]) as affected (account_id, day, from_at, to_at)
     join tieout.transactions as t
       on t.account_id = affected.account_id
      and t.status_date >= affected.from_at
      and t.status_date < affected.to_at
     ${classOf("$6")}
      and judged.status_date >= $7::timestamptz
      and judged.status_date < $8::timestamptz
     group by 1, 2, 3, 4, 5, 6, 7, 8`,
    [
      accounts,
      names,
      zone.name,
      startsMs.map(boundAt),
      endsMs.map(boundAt),
      await accountIds(tx),
      boundAt(firstMs),
      boundAt(lastMs),
    ],
  );
}

/** The first day and the last, of which some servers make a date that is missing, may begin or end where no time can be written. */
function boundAt(ms: number): string {
  const year = new Date(ms).getUTCFullYear();
  return year < 1 ? "-infinity" : year > 9999 ? "infinity" : formatInstant(ms);
}

async function addUpEverything(tx: Queryable, zone: Zone): Promise<void> {
  const values: unknown[] = [zone.name, await accountIds(tx)];
  const bind = (value: string, type: string) => `$${values.push(value)}::${type}`;
  await tx.query("delete from tieout.daily_totals where zone = $1", [zone.name]);
  await tx.query(
    `${insertTotals} select $1, t.account_id, ${localDay("t.status_date", zone, bind)}, ${figures}
     from tieout.transactions as t
     ${classOf("$2")}
     group by 1, 2, 3, 4, 5, 6, 7, 8`,
    values,
  );
}

const insertTotals = `insert into tieout.daily_totals
       (zone, account_id, day, provider, transaction_type, status, source_currency, class, transactions, in_amount,
        latest_status_date)`;

const figures = `t.provider, t.transaction_type, t.status, t.source_currency,
            judged.class,
            count(*), sum(t.in_amount), max(t.status_date)`;

// Neither a subquery nor a clock among the arguments: the planner could then not look inside, and would judge all of history.
const classOf = (
  ids: string,
) => `left join tieout.transaction_classes(${ids}::int[], statement_timestamp(), 'infinity') as judged
       on judged.account_id = t.account_id and judged.transaction_id = t.transaction_id`;

async function accountIds(tx: Queryable): Promise<number[]> {
  const rows = await tx.query<{ id: number }>("select id from tieout.accounts");
  return rows.map(({ id }) => id);
}

async function noteProgress(tx: Transaction, zone: Zone, to: string): Promise<void> {
  await tx.query(
    `insert into tieout.daily_totals_progress (zone, added_up_to, added_up_at, asked_at)
     values ($1, $2, clock_timestamp(), clock_timestamp())
     on conflict (zone) do update
     set added_up_to = excluded.added_up_to, added_up_at = excluded.added_up_at`,
    [zone.name, to],
  );
}
