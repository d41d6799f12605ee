import type { Database, Queryable, Transaction } from "../database.ts";
import { safeUntil } from "./transaction-reads.ts";

/** Changes that are looked at in one go: a backfill must not make one refresh endless. */
const changesMax = 50_000;

/**
 * Brings `daily_totals` up to date: finds what has changed since the last time, and adds up again every day that such a
 * transaction is on or was on. Returns whether all changes are in; `null` when another process is at it.
 */
export async function refreshDailyTotals(
  database: Database,
  options: { changesMax?: number } = {},
): Promise<boolean | null> {
  // Asked before the reading: what changed before this time can be seen by it.
  const until = await safeUntil(database);
  return database.transaction(async (tx) => {
    const [lock] = await tx.query<{ taken: boolean }>(
      "select pg_try_advisory_xact_lock(hashtextextended('tieout.daily_totals', 0)) as taken",
    );
    if (!lock?.taken) return null;
    const [held] = await tx.query<{ added_up_to: string }>(
      "select added_up_to::text from tieout.daily_totals_progress",
    );
    if (!held) {
      await addUpEverything(tx);
      await noteProgress(tx, until);
      return true;
    }
    const round = { after: held.added_up_to, until, max: options.changesMax ?? changesMax };
    const to = await endOfRound(tx, round);
    await addUpDays(tx, await changedDays(tx, held.added_up_to, to.time));
    await noteProgress(tx, to.time);
    return to.all;
  });
}

/** Transactions, the matches that settle them and what disagrees about them: each with the time of its change. */
const changes = `
  select t.account_id, t.transaction_id, t.last_changed_at as at
  from tieout.transactions as t
  where t.last_changed_at >= $1::timestamptz and t.last_changed_at < $2::timestamptz
  union all
  select m.account_id, m.transaction_id, m.matched_at
  from tieout.matches as m
  where m.matched_at >= $1::timestamptz and m.matched_at < $2::timestamptz
  union all
  select m.account_id, m.transaction_id, m.ended_at
  from tieout.matches as m
  where m.ended_at >= $1::timestamptz and m.ended_at < $2::timestamptz
  union all
  select d.account_id, d.transaction_id, d.last_changed_at
  from tieout.discrepancies as d
  where d.last_changed_at >= $1::timestamptz and d.last_changed_at < $2::timestamptz and d.transaction_id is not null`;

/** Whole instants only: changes of one instant are never torn apart, however many they are. */
async function endOfRound(
  tx: Queryable,
  { after, until, max }: { after: string; until: string; max: number },
): Promise<{ time: string; all: boolean }> {
  const [row] = await tx.query<{ time: string }>(
    `select at::text as time from (${changes}) as changed order by at offset $3 limit 1`,
    [after, until, max],
  );
  return row === undefined || row.time === after
    ? { time: until, all: true }
    : { time: row.time, all: false };
}

interface AccountDay {
  account_id: number;
  day: string;
}

/**
 * A day loses a transaction that moved to another one, and only the status rows still know both days. A statement that has
 * come, gone or become overdue moves all of its days; the first one of a provider, and an exclusion, all there are.
 */
async function changedDays(tx: Queryable, after: string, to: string): Promise<AccountDay[]> {
  return tx.query<AccountDay & Record<string, unknown>>(
    `select distinct s.account_id, (s.status_date at time zone 'UTC')::date::text as day
     from (${changes}) as changed
     join tieout.transaction_statuses as s
       on s.account_id = changed.account_id and s.transaction_id = changed.transaction_id
     union
     select d.account_id, d.day::text
     from tieout.daily_totals as d
     join (
       select s.account_id, s.provider,
              case when exists (
                select
                from tieout.statements as earlier
                where earlier.account_id = s.account_id
                  and earlier.provider = s.provider
                  and earlier.state = 'imported'
                  and earlier.period_from < s.period_from
                  and earlier.imported_at < $1::timestamptz
              ) then s.period_from else '-infinity' end as period_from,
              s.period_to
       from tieout.statements as s
       where s.imported_at >= $1::timestamptz and s.imported_at < $2::timestamptz
          or s.withdrawn_at >= $1::timestamptz and s.withdrawn_at < $2::timestamptz
       union all
       select o.account_id, o.provider, o.period_from, o.period_to
       from tieout.discrepancies as o
       where o.code = 'statement_overdue' and o.last_changed_at >= $1::timestamptz and o.last_changed_at < $2::timestamptz
       union all
       select p.account_id, p.provider, '-infinity', 'infinity'
       from tieout.provider_settings as v
       join tieout.account_providers as p
         on v.provider in (p.provider, '*')
        and (v.account_id = p.account_id or v.account_id is null)
       where v.kind = 'exclusion' and v.saved_at >= $1::timestamptz and v.saved_at < $2::timestamptz
     ) as told
       on told.account_id = d.account_id
      and told.provider = lower(coalesce(d.provider, ''))
      and d.day >= (greatest(told.period_from, '0001-01-01') at time zone 'UTC')::date
      and d.day <= (least(told.period_to, '9999-12-31') at time zone 'UTC')::date`,
    [after, to],
  );
}

async function addUpDays(tx: Queryable, days: readonly AccountDay[]): Promise<void> {
  if (days.length === 0) return;
  const affected = [days.map(({ account_id }) => account_id), days.map(({ day }) => day)];
  await tx.query(
    `delete from tieout.daily_totals as d
     using unnest($1::int[], $2::date[]) as affected (account_id, day)
     where d.account_id = affected.account_id and d.day = affected.day`,
    affected,
  );
  await tx.query(
    `${insertTotals} select t.account_id, affected.day, ${figures}
     from unnest($1::int[], $2::date[]) as affected (account_id, day)
     join tieout.transactions as t
       on t.account_id = affected.account_id
      and t.status_date >= affected.day::timestamp at time zone 'UTC'
      and t.status_date < (affected.day + 1)::timestamp at time zone 'UTC'
     ${classOf}
     group by 1, 2, 3, 4, 5, 6, 7`,
    affected,
  );
}

async function addUpEverything(tx: Queryable): Promise<void> {
  await tx.query(
    `${insertTotals} select t.account_id, (t.status_date at time zone 'UTC')::date, ${figures}
     from tieout.transactions as t
     ${classOf}
     group by 1, 2, 3, 4, 5, 6, 7`,
  );
}

const insertTotals = `insert into tieout.daily_totals
       (account_id, day, provider, transaction_type, status, source_currency, class, transactions, in_amount,
        latest_status_date)`;

const figures = `t.provider, t.transaction_type, t.status, t.source_currency,
            judged.class,
            count(*), sum(t.in_amount), max(t.status_date)`;

const classOf = `left join tieout.transaction_classes(array(select id from tieout.accounts), clock_timestamp(), 'infinity') as judged
       on judged.account_id = t.account_id and judged.transaction_id = t.transaction_id`;

async function noteProgress(tx: Transaction, to: string): Promise<void> {
  await tx.query(
    `insert into tieout.daily_totals_progress (added_up_to, added_up_at)
     values ($1, clock_timestamp())
     on conflict (only_row) do update
     set added_up_to = excluded.added_up_to, added_up_at = excluded.added_up_at`,
    [to],
  );
}
