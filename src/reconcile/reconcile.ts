import assert from "node:assert";
import type { Database, Transaction } from "../store/database.ts";
import { keepDueDates, openPeriods } from "../store/books/due-dates.ts";
import {
  type DiscrepancyCounts,
  listTurned,
  writeDiscrepancies,
  type WrittenDiscrepancies,
} from "../store/books/discrepancy-writes.ts";
import { writeFindings } from "../store/books/finding-writes.ts";
import { findDisagreements } from "../store/books/findings.ts";
import { pairLines } from "../store/books/match-pairs.ts";
import { suggestPairs } from "../store/books/match-suggest.ts";
import { endSuggestions, writeMatches, writeSuggestions } from "../store/books/match-writes.ts";
import { openRun } from "../store/books/open-run.ts";
import { writePayouts } from "../store/books/payout-writes.ts";
import { lockSomeProviders, lockProvider } from "../store/books/provider-lock.ts";
import type { Counts, Run } from "../store/books/run.ts";
import {
  beginRun,
  type LastRun,
  listChangedSettings,
  listProviders,
  noteRuns,
  readLastRuns,
} from "../store/books/runs.ts";
import { prepareSession } from "../store/large-statements.ts";
import { lapseWriteOffs } from "../store/people/lapse-proposals.ts";
import { raiseBounds } from "../store/books/class-bounds.ts";
import { gatherTouched } from "../store/books/touched.ts";
import { freshenStatistics, judgedTables, reconciledTables } from "../store/statistics.ts";
import { keepKeys, meaningOf } from "./keep-keys.ts";
import { reconcileReceipts } from "./receipts/reconcile-receipts.ts";

/** What there was of each provider, by what happened. */
type JudgedCounts = Record<"matched" | "unmatched" | "suggested" | "payouts", Counts>;
export type ReconcileCounts = Record<keyof JudgedCounts | keyof DiscrepancyCounts, number>;

export interface ProviderResult {
  provider: string;
  kind: "full" | "incremental";
  counts: ReconcileCounts;
  /** Discrepancies that were raised or opened again, by code, the most first. */
  codes: Readonly<Record<string, number>>;
}

export interface ReconcileOptions {
  provider?: string;
  /** Looks at everything again; the outcome is the same. */
  full?: boolean;
  /** Ends before the next database transaction; what is left is for the next run. */
  stopping?: AbortSignal;
  /** Called before each step of a run, so that someone can see it go on. */
  onStep?: (step: ReconcileStep) => void;
}

export interface ReconcileStep {
  name: string;
  providers: number;
}

/**
 * Matches and judges everything of an account, all its providers at once: what a run costs hardly depends on their number.
 * Those that someone imports a file for just then are judged after the others, in a database transaction of their own.
 */
export async function reconcileAccount(
  database: Database,
  accountId: number,
  options: ReconcileOptions = {},
): Promise<ProviderResult[]> {
  const { full = false, onStep } = options;
  const knownAt = await database.transaction((tx) => keepKeys(tx, accountId));
  let left = options.provider === undefined ? await listProviders(database, accountId) : [options.provider];
  const results: ProviderResult[] = [];
  while (left.length > 0 && !options.stopping?.aborted) {
    const judged = await database.transaction(async (tx) => {
      const providers = await lockSomeProviders(tx, { accountId, providers: left });
      return reconcileProviders(tx, { accountId, providers, knownAt, full, ...(onStep ? { onStep } : {}) });
    });
    results.push(...judged);
    left = left.filter((provider) => !judged.some((result) => result.provider === provider));
  }
  if (!options.stopping?.aborted) {
    await database.transaction((tx) => reconcileReceipts(tx, accountId, { full }));
  }
  // In a transaction of its own, because it locks the audit log until the commit.
  await database.transaction((tx) => lapseWriteOffs(tx, { accountId }, { actor: "tieout" }));
  await freshenStatistics(database, judgedTables, { whole: true });
  return results;
}

/** For a preview, which has to see what an import would lead to inside the transaction that it rolls back. */
export async function reconcileInside(
  tx: Transaction,
  { provider, ...subject }: { accountId: number; provider: string } & TouchedByHand,
): Promise<ProviderResult> {
  const [result] = await reconcileAllInside(tx, { ...subject, providers: [provider] });
  assert(result, `${provider} was just judged`);
  return result;
}

export async function reconcileAllInside(
  tx: Transaction,
  subject: { accountId: number; providers: readonly string[]; full?: boolean } & TouchedByHand,
): Promise<ProviderResult[]> {
  const { accountId, providers } = subject;
  // Providers first, as in an import, which holds its own before it comes here: in the other order, the two could wait for
  // each other for good.
  for (const provider of providers) await lockProvider(tx, { accountId, provider });
  const knownAt = await keepKeys(tx, accountId);
  const results = await reconcileProviders(tx, { full: false, ...subject, knownAt });
  // A payout that has come or changed may be what a bank line has been waiting for.
  if (results.some(({ counts }) => counts.payouts > 0)) await reconcileReceipts(tx, accountId);
  return results;
}

interface TouchedByHand {
  touchedLineIds?: readonly number[];
  touchedTransactionIds?: readonly string[];
}

interface RunRequest extends TouchedByHand, Pick<ReconcileOptions, "onStep"> {
  accountId: number;
  /** Locked. */
  providers: readonly string[];
  /** All that was stored by then is seen by this run; what came later is seen by the next. */
  knownAt: string;
  full: boolean;
}

async function reconcileProviders(tx: Transaction, request: RunRequest): Promise<ProviderResult[]> {
  const { accountId, providers, knownAt, onStep } = request;
  await prepareSession(tx);
  await freshenStatistics(tx, reconciledTables, { whole: true });
  const { now, covered } = await beginRun(tx, accountId);
  const last = await readLastRuns(tx, accountId, providers);
  const run = { tx, accountId, stamp: now };
  const whole = await listAnew(tx, request, last);
  const judged: JudgedCounts[] = [];
  const moving: string[] = [];
  for (const group of seenAlike(providers, last, whole)) {
    const { most, some } = await gatherTouched(
      { ...run, providers: group.providers },
      {
        last: group.last,
        covered,
        lineIds: request.touchedLineIds ?? [],
        transactionIds: request.touchedTransactionIds ?? [],
      },
    );
    for (const provider of most) whole.add(provider);
    if (some.length > 0) judged.push(await judge({ ...run, providers: some, scope: "touched" }, onStep));
    moving.push(...some);
    const still = group.providers.filter((provider) => !whole.has(provider) && !some.includes(provider));
    if (still.length > 0) moving.push(...(await listTurned({ ...run, providers: still }, group.last.asAt)));
  }
  if (whole.size > 0) judged.push(await judge({ ...run, providers: [...whole], scope: "all" }, onStep));
  moving.push(...whole);
  if (moving.length > 0) onStep?.({ name: "raising discrepancies", providers: moving.length });
  const moved = moving.length === 0 ? null : await writeDiscrepancies({ ...run, providers: moving });
  const results = providers.map((provider): ProviderResult => ({
    provider,
    kind: whole.has(provider) ? "full" : "incremental",
    counts: countsOf(provider, judged, moved),
    codes: codesOf(provider, moved),
  }));
  const notes = results.map((result) => ({
    ...result,
    last: last.get(result.provider) ?? null,
    changed: Object.values(result.counts).some((count) => count > 0),
  }));
  await noteRuns(tx, { accountId, knownAt, asAt: now, startedAt: now, covered }, notes);
  return results;
}

/** The providers of which everything is looked at: those never judged, and those for which something else was set since. */
async function listAnew(
  tx: Transaction,
  { accountId, providers, full }: RunRequest,
  last: ReadonlyMap<string, LastRun>,
): Promise<Set<string>> {
  if (full) return new Set(providers);
  const changed = await listChangedSettings(tx, accountId, last);
  return new Set([...providers.filter((provider) => !last.has(provider)), ...changed]);
}

/**
 * The other providers, by what their last run had seen. Nearly always that is one group: a run of the account sees the same
 * of all of them, and only a run over one alone sets it apart until the next.
 */
function seenAlike(
  providers: readonly string[],
  last: ReadonlyMap<string, LastRun>,
  whole: ReadonlySet<string>,
): { last: LastRun; providers: string[] }[] {
  const groups = new Map<string, { last: LastRun; providers: string[] }>();
  for (const provider of providers) {
    const seen = last.get(provider);
    if (seen === undefined || whole.has(provider)) continue;
    const key = `${seen.knownAt} ${seen.asAt} ${seen.covered}`;
    const group = groups.get(key) ?? { last: seen, providers: [] };
    group.providers.push(provider);
    groups.set(key, group);
  }
  return [...groups.values()];
}

function codesOf(provider: string, moved: WrittenDiscrepancies | null): Record<string, number> {
  const counts = new Map<string, number>();
  for (const { code, count } of (moved?.codes ?? []).filter((one) => one.provider === provider))
    counts.set(code, (counts.get(code) ?? 0) + count);
  return Object.fromEntries([...counts].toSorted(([a, x], [b, y]) => y - x || (a < b ? -1 : 1)));
}

function countsOf(
  provider: string,
  judged: readonly JudgedCounts[],
  moved: DiscrepancyCounts | null,
): ReconcileCounts {
  const of = (name: keyof JudgedCounts) =>
    judged.reduce((sum, counts) => sum + (counts[name].get(provider) ?? 0), 0);
  const turned = (name: keyof DiscrepancyCounts) => moved?.[name].get(provider) ?? 0;
  return {
    matched: of("matched"),
    unmatched: of("unmatched"),
    suggested: of("suggested"),
    payouts: of("payouts"),
    raised: turned("raised"),
    changed: turned("changed"),
    reopened: turned("reopened"),
    agreed: turned("agreed"),
  };
}

/** Matches what is in scope, adds up the payouts, and writes down what disagrees. */
async function judge(run: Run, onStep: ReconcileOptions["onStep"]): Promise<JudgedCounts> {
  const begin = (name: string) => onStep?.({ name, providers: run.providers.length });
  begin("matching lines");
  await openRun(run);
  await openPeriods(run);
  await pairLines(run);
  const { made, ended } = await writeMatches(run);
  begin("looking for suggestions");
  const isAnySuggested = await suggestPairs(run);
  if (!isAnySuggested) await endSuggestions(run);
  const suggested = isAnySuggested ? (await writeSuggestions(run)).made : new Map<string, number>();
  begin("adding up payouts");
  const payouts = await writePayouts(run, meaningOf);
  begin("looking for differences");
  await findDisagreements(run);
  await keepDueDates(run);
  await writeFindings(run);
  await raiseBounds(run);
  return { matched: made, unmatched: ended, suggested, payouts };
}
