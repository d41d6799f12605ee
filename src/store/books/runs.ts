import { and, desc, eq, gt, inArray, isNull, or } from "drizzle-orm";
import { clockNow } from "../clock-time.ts";
import type { Queryable, Transaction } from "../database.ts";
import { reconcileRuns } from "../schema/reconciliation.ts";
import { feeSchedules } from "../schema/fee-schedules.ts";
import { providerSettings } from "../schema/provider-settings.ts";

/** What the last run of an account and provider had seen. */
export type LastRun = Pick<typeof reconcileRuns.$inferSelect, "id" | "knownAt" | "asAt" | "covered">;

/**
 * For few statements over very many rows: compiling them costs more than it saves, and a limit would end a good run. What
 * they look for is rare, but the planner takes nearly every row for a find, and would let one process do it all.
 */
export async function prepareSession(tx: Transaction): Promise<void> {
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
  const [row] = await tx.orm
    .select()
    .from(reconcileRuns)
    .where(and(eq(reconcileRuns.accountId, accountId), eq(reconcileRuns.provider, provider)))
    .orderBy(desc(reconcileRuns.id))
    .limit(1);
  return row ?? null;
}

/** Whether a setting that decides about matches or classes, or a fee schedule, was saved since. */
export async function settingsChanged(
  tx: Queryable,
  accountId: number,
  provider: string,
  since: string,
): Promise<boolean> {
  const saved = await tx.orm
    .select({ id: providerSettings.id })
    .from(providerSettings)
    .where(
      and(
        inArray(providerSettings.kind, ["tolerance", "calendar", "exclusion"]),
        inArray(providerSettings.provider, [provider, "*"]),
        or(eq(providerSettings.accountId, accountId), isNull(providerSettings.accountId)),
        gt(providerSettings.savedAt, since),
      ),
    )
    .limit(1);
  if (saved.length > 0) return true;
  const agreed = await tx.orm
    .select({ id: feeSchedules.id })
    .from(feeSchedules)
    .where(
      and(
        eq(feeSchedules.accountId, accountId),
        eq(feeSchedules.provider, provider),
        gt(feeSchedules.importedAt, since),
      ),
    )
    .limit(1);
  return agreed.length > 0;
}

/**
 * Notes what this run has seen. One that changed nothing moves the last note forward instead of adding another: there is
 * one every minute.
 */
export async function noteRun(
  tx: Transaction,
  run: Omit<typeof reconcileRuns.$inferInsert, "id" | "finishedAt">,
  { last, changed }: { last: LastRun | null; changed: boolean },
): Promise<void> {
  if (last && !changed && run.kind === "incremental") {
    const { knownAt, asAt, covered } = run;
    await tx.orm
      .update(reconcileRuns)
      .set({ knownAt, asAt, covered, finishedAt: clockNow })
      .where(eq(reconcileRuns.id, last.id));
    return;
  }
  await tx.orm.insert(reconcileRuns).values({ ...run, finishedAt: clockNow });
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

/** Another one as soon as a run has changed anything or a person has decided something. */
export async function booksVersion(database: Queryable): Promise<string> {
  const [row] = await database.query<{ version: string }>(
    `select concat_ws('.', (select max(id) from tieout.reconcile_runs), (select max(number) from tieout.audit_log)) as version`,
    [],
    "books_version",
  );
  return row?.version ?? "";
}
