import type { Queryable, Transaction } from "../database.ts";
import { passZones } from "./zones.ts";

/** What the last run of an account and provider had seen. */
export interface LastRun {
  id: string;
  knownAt: string;
  asAt: string;
  covered: string;
}

/**
 * For few statements over very many rows: compiling them costs more than it saves, and a limit would end a good run. What
 * they look for is rare, but the planner takes nearly every row for a find, and would let one process do it all.
 */
export async function prepareSession(tx: Transaction): Promise<void> {
  await passZones(tx);
  await tx.query(
    `select set_config('statement_timeout', '0', true), set_config('jit', 'off', true),
            set_config('work_mem', '128MB', true), set_config('maintenance_work_mem', '128MB', true),
            set_config('parallel_tuple_cost', '0.01', true), set_config('random_page_cost', '1.1', true)`,
  );
}

/** The database's clock, to stamp all rows of one run alike, and what has been read of the account. */
export async function beginRun(tx: Queryable, accountId: number): Promise<{ now: string; covered: string }> {
  const [row] = await tx.query<{ now: string; covered: string }>(
    "select clock_timestamp()::text as now, covered::text from tieout.accounts where id = $1",
    [accountId],
  );
  if (!row) throw new Error(`there is no account ${accountId}`);
  return row;
}

export async function readLastRun(
  tx: Queryable,
  accountId: number,
  provider: string,
): Promise<LastRun | null> {
  const [row] = await tx.query<{ id: string; known_at: string; as_at: string; covered: string }>(
    `select id::text, known_at::text, as_at::text, covered::text
     from tieout.reconcile_runs
     where account_id = $1
       and provider = $2
     order by id desc
     limit 1`,
    [accountId, provider],
  );
  if (!row) return null;
  return { id: row.id, knownAt: row.known_at, asAt: row.as_at, covered: row.covered };
}

/** Whether a setting that decides about matches or classes was saved since. */
export async function settingsChanged(
  tx: Queryable,
  accountId: number,
  provider: string,
  since: string,
): Promise<boolean> {
  const [row] = await tx.query<{ changed: boolean }>(
    `select exists (
       select
       from tieout.provider_settings
       where kind in ('tolerance', 'calendar', 'exclusion')
         and provider in ($2, '*')
         and (account_id = $1 or account_id is null)
         and saved_at > $3::timestamptz
     ) as changed`,
    [accountId, provider, since],
  );
  return row?.changed ?? false;
}

/**
 * Notes what this run has seen. One that changed nothing moves the last note forward instead of adding another: there is
 * one every minute.
 */
export async function noteRun(
  tx: Transaction,
  run: {
    accountId: number;
    provider: string;
    kind: "full" | "incremental";
    knownAt: string;
    asAt: string;
    startedAt: string;
    covered: string;
    counts: Record<string, number>;
    last: LastRun | null;
    changed: boolean;
  },
): Promise<void> {
  if (run.last && !run.changed && run.kind === "incremental") {
    await tx.query(
      `update tieout.reconcile_runs
       set known_at = $2::timestamptz, as_at = $3::timestamptz, finished_at = clock_timestamp(),
           covered = $4::tstzmultirange
       where id = $1`,
      [run.last.id, run.knownAt, run.asAt, run.covered],
    );
    return;
  }
  await tx.query(
    `insert into tieout.reconcile_runs
       (account_id, provider, kind, known_at, as_at, started_at, finished_at, counts, covered)
     values ($1, $2, $3, $4::timestamptz, $5::timestamptz, $6::timestamptz, clock_timestamp(), $7::jsonb,
             $8::tstzmultirange)`,
    [
      run.accountId,
      run.provider,
      run.kind,
      run.knownAt,
      run.asAt,
      run.startedAt,
      JSON.stringify(run.counts),
      run.covered,
    ],
  );
}

/** Providers of which there are transactions or lines. */
export async function listProviders(database: Queryable, accountId: number): Promise<string[]> {
  const rows = await database.query<{ provider: string }>(
    `select provider from tieout.account_providers where account_id = $1
     union
     select provider from tieout.statements where account_id = $1
     order by provider`,
    [accountId],
  );
  return rows.map(({ provider }) => provider);
}
