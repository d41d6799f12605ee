import type { Database, Transaction } from "../store/database.ts";
import { keepDueDates, openPeriods } from "../store/books/due-dates.ts";
import { anyTurned, type DiscrepancyCounts, writeDiscrepancies } from "../store/books/discrepancy-writes.ts";
import { writeFindings } from "../store/books/finding-writes.ts";
import { findDisagreements } from "../store/books/findings.ts";
import { pairLines } from "../store/books/match-pairs.ts";
import { suggestPairs } from "../store/books/match-suggest.ts";
import { endSuggestions, writeMatches, writeSuggestions } from "../store/books/match-writes.ts";
import { openRun } from "../store/books/open-run.ts";
import { writePayouts } from "../store/books/payout-writes.ts";
import { lockProvider } from "../store/books/provider-lock.ts";
import type { Run } from "../store/books/run.ts";
import {
  beginRun,
  type LastRun,
  listProviders,
  noteRun,
  prepareSession,
  readLastRun,
  settingsChanged,
} from "../store/books/runs.ts";
import { raiseBounds } from "../store/books/class-bounds.ts";
import { gatherTouched } from "../store/books/touched.ts";
import { freshenStatistics, judgedTables, reconciledTables } from "../store/statistics.ts";
import { keepKeys } from "./keep-keys.ts";
import { reconcileReceipts } from "./receipts/reconcile-receipts.ts";

export interface ReconcileCounts extends DiscrepancyCounts {
  matched: number;
  unmatched: number;
  suggested: number;
  payouts: number;
}

export interface ProviderResult {
  provider: string;
  kind: "full" | "incremental";
  counts: ReconcileCounts;
}

export interface ReconcileOptions {
  provider?: string;
  /** Looks at everything again; the outcome is the same. */
  full?: boolean;
  /** Ends between two providers; what is left is for the next run. */
  stopping?: AbortSignal;
  /** Called before each provider, so that somebody can see it go on. */
  onProvider?: (progress: { provider: string; done: number; of: number }) => void;
}

/** Matches and judges everything of an account, provider by provider, each in a database transaction of its own. */
export async function reconcileAccount(
  database: Database,
  accountId: number,
  options: ReconcileOptions = {},
): Promise<ProviderResult[]> {
  const knownAt = await database.transaction((tx) => keepKeys(tx, accountId));
  const providers =
    options.provider === undefined ? await listProviders(database, accountId) : [options.provider];
  const results: ProviderResult[] = [];
  for (const [done, provider] of providers.entries()) {
    if (options.stopping?.aborted) break;
    options.onProvider?.({ provider, done, of: providers.length });
    results.push(
      await database.transaction((tx) =>
        reconcileProvider(tx, { accountId, provider, knownAt, full: options.full ?? false }),
      ),
    );
  }
  if (!options.stopping?.aborted) {
    await database.transaction((tx) => reconcileReceipts(tx, accountId, { full: options.full ?? false }));
  }
  await freshenStatistics(database, judgedTables, { whole: true });
  return results;
}

/** For a preview, which has to see what an import would lead to inside the transaction that it rolls back. */
export async function reconcileInside(
  tx: Transaction,
  subject: { accountId: number; provider: string; full?: boolean } & TouchedByHand,
): Promise<ProviderResult> {
  const knownAt = await keepKeys(tx, subject.accountId);
  const result = await reconcileProvider(tx, { full: false, ...subject, knownAt });
  // A payout that has come or changed may be what a bank line has been waiting for.
  if (result.counts.payouts > 0) await reconcileReceipts(tx, subject.accountId);
  return result;
}

interface TouchedByHand {
  touchedLineIds?: readonly number[];
  touchedTransactionIds?: readonly string[];
}

interface RunRequest extends TouchedByHand {
  accountId: number;
  provider: string;
  /** All that was stored by then is seen by this run; what came later is seen by the next. */
  knownAt: string;
  full: boolean;
}

async function reconcileProvider(tx: Transaction, request: RunRequest): Promise<ProviderResult> {
  const { accountId, provider, knownAt } = request;
  await lockProvider(tx, { accountId, provider });
  await prepareSession(tx);
  await freshenStatistics(tx, reconciledTables, { whole: true });
  const { now, covered } = await beginRun(tx, accountId);
  const last = await readLastRun(tx, accountId, provider);
  const run = { tx, accountId, provider, stamp: now };
  const touched = await scopeOf(run, request, last, covered);
  const matched = touched === null ? nothing : await judge({ ...run, scope: touched });
  const isStill = touched === null && last !== null && !(await anyTurned(run, last.asAt));
  const counts = { ...matched, ...(isStill ? noneMoved : await writeDiscrepancies(run)) };
  const kind = touched === "all" ? "full" : "incremental";
  const changed = Object.values(counts).some((count) => count > 0);
  const note = { accountId, provider, kind, knownAt, asAt: now, startedAt: now, covered, counts };
  await noteRun(tx, note, { last, changed });
  return { provider, kind, counts };
}

/** What there is to look at: everything, what was touched since the last run, or nothing. */
async function scopeOf(
  run: Omit<Run, "scope">,
  request: RunRequest,
  last: LastRun | null,
  covered: string,
): Promise<Run["scope"] | null> {
  const { tx, accountId, provider } = run;
  if (request.full || last === null || (await settingsChanged(tx, accountId, provider, last.knownAt)))
    return "all";
  return gatherTouched(run, {
    last,
    covered,
    lineIds: request.touchedLineIds ?? [],
    transactionIds: request.touchedTransactionIds ?? [],
  });
}

type JudgedCounts = Omit<ReconcileCounts, keyof DiscrepancyCounts>;
const noneMoved: DiscrepancyCounts = { raised: 0, changed: 0, reopened: 0, agreed: 0 };
const nothing: JudgedCounts = { matched: 0, unmatched: 0, suggested: 0, payouts: 0 };

/** Matches what is in scope, adds up the payouts, and writes down what disagrees. */
async function judge(run: Run): Promise<JudgedCounts> {
  await openRun(run);
  await openPeriods(run);
  await pairLines(run);
  const { made, ended } = await writeMatches(run);
  const hasCandidates = await suggestPairs(run);
  if (!hasCandidates) await endSuggestions(run);
  const suggested = hasCandidates ? (await writeSuggestions(run)).made : 0;
  const payouts = await writePayouts(run);
  await findDisagreements(run);
  await keepDueDates(run);
  await writeFindings(run);
  await raiseBounds(run);
  return { matched: made, unmatched: ended, suggested, payouts };
}
