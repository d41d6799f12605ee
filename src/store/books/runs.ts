import { inArray, sql } from "drizzle-orm";
import { clockNow } from "../clock-time.ts";
import type { Queryable, Transaction } from "../database.ts";
import { reconcileRuns } from "../schema/reconciliation.ts";

/** What the last run of an account and provider had seen. */
export type LastRun = Pick<typeof reconcileRuns.$inferSelect, "id" | "knownAt" | "asAt" | "covered">;

/** The database's clock, to stamp all rows of one run alike, and what has been read of the account. */
export async function beginRun(tx: Queryable, accountId: number): Promise<{ now: string; covered: string }> {
  const [row] = await tx.query<{ now: string; covered: string }>(
    "select clock_timestamp()::text as now, covered::text from tieout.accounts where id = $1",
    [accountId],
  );
  if (!row) throw new Error(`there is no account ${accountId}`);
  return row;
}

/** Of those that were judged before. */
export async function readLastRuns(
  tx: Queryable,
  accountId: number,
  providers: readonly string[],
): Promise<Map<string, LastRun>> {
  const rows = await tx.orm
    .select()
    .from(reconcileRuns)
    .where(
      sql`${reconcileRuns.id} in (
        select (select max(r.id) from tieout.reconcile_runs as r where r.account_id = ${accountId} and r.provider = asked.provider)
        from unnest(${sql.param([...providers])}::text[]) as asked (provider))`,
    );
  return new Map(rows.map((row) => [row.provider, row]));
}

export async function readLastRun(
  tx: Queryable,
  accountId: number,
  provider: string,
): Promise<LastRun | null> {
  return (await readLastRuns(tx, accountId, [provider])).get(provider) ?? null;
}

/** The providers of which a setting that decides about matches or classes, a fee schedule or a rule of runs came since their last run. */
export async function listChangedSettings(
  tx: Queryable,
  accountId: number,
  last: ReadonlyMap<string, LastRun>,
): Promise<string[]> {
  const rows = await tx.query<{ provider: string }>(
    `select judged.provider
     from unnest($2::text[], $3::timestamptz[]) as judged (provider, seen)
     where exists (
       select
       from tieout.provider_settings as v
       where v.kind in ('tolerance', 'calendar', 'exclusion')
         and v.provider in (judged.provider, '*')
         and (v.account_id = $1 or v.account_id is null)
         and v.saved_at > judged.seen
     ) or exists (
       select
       from tieout.fee_schedules as f
       where f.account_id = $1
         and f.provider = judged.provider
         and f.imported_at > judged.seen
     ) or exists (
       select
       from tieout.rule_changes as r
       where r.rule = 'lines_from_booking'
         and r.since > judged.seen
     )`,
    [accountId, [...last.keys()], [...last.values()].map(({ knownAt }) => knownAt)],
  );
  return rows.map(({ provider }) => provider);
}

/** What a run has seen, beside the providers. */
export type RunNote = Pick<
  typeof reconcileRuns.$inferInsert,
  "accountId" | "knownAt" | "asAt" | "startedAt" | "covered"
>;

export interface ProviderNote extends Pick<
  typeof reconcileRuns.$inferInsert,
  "provider" | "kind" | "counts"
> {
  last: LastRun | null;
  changed: boolean;
}

/**
 * Notes what this run has seen of each provider. Where it changed nothing, the last note is moved forward instead of adding
 * another: there is a run every minute.
 */
export async function noteRuns(
  tx: Transaction,
  run: RunNote,
  providers: readonly ProviderNote[],
): Promise<void> {
  const { knownAt, asAt, covered } = run;
  const moved: number[] = [];
  const added: Omit<ProviderNote, "last" | "changed">[] = [];
  for (const { last, changed, ...note } of providers) {
    if (last && !changed && note.kind === "incremental") moved.push(last.id);
    else added.push(note);
  }
  if (moved.length > 0)
    await tx.orm
      .update(reconcileRuns)
      .set({ knownAt, asAt, covered, finishedAt: clockNow })
      .where(inArray(reconcileRuns.id, moved));
  if (added.length > 0)
    await tx.orm
      .insert(reconcileRuns)
      .values(added.map((note) => ({ ...run, ...note, finishedAt: clockNow })));
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
