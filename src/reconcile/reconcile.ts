import type { Database, Transaction } from "../store/database.ts";
import {
  type DiscrepancyCounts,
  writeDiscrepancies,
  writePeriodDiscrepancies,
  writePositionDiscrepancies,
} from "../store/books/discrepancy-writes.ts";
import { lockProvider } from "../store/books/provider-lock.ts";
import { pairByHash } from "../store/books/match-hash.ts";
import { pairByKeys, pairByPersons } from "../store/books/match-pairs.ts";
import { settle } from "../store/books/match-settle.ts";
import { suggestPairs } from "../store/books/match-suggest.ts";
import {
  analyzeMatches,
  endSuggestions,
  writeMatches,
  writeSuggestions,
} from "../store/books/match-writes.ts";
import { writePayouts } from "../store/books/payout-writes.ts";
import {
  beginRun,
  type LastRun,
  listProviders,
  noteRun,
  prepareSession,
  readLastRun,
  settingsChanged,
} from "../store/books/runs.ts";
import { gatherByTime } from "../store/books/touched-by-time.ts";
import { gatherPartners, gatherTouched, isMostTouched, isUntouched } from "../store/books/touched.ts";
import { freshenStatistics, reconciledTables } from "../store/statistics.ts";
import { keepKeys } from "./keep-keys.ts";

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
  return results;
}

/** For a preview, which has to see what an import would lead to inside the transaction that it rolls back. */
export async function reconcileInside(
  tx: Transaction,
  subject: { accountId: number; provider: string } & TouchedByHand,
): Promise<ProviderResult> {
  const knownAt = await keepKeys(tx, subject.accountId);
  return reconcileProvider(tx, { ...subject, knownAt, full: false });
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
  const full =
    request.full || last === null || (await settingsChanged(tx, accountId, provider, last.knownAt));
  const run = {
    accountId,
    provider,
    asAt: now,
    stamp: now,
    // Settings are read as of now: a setting saved a moment ago is in force, and its own run comes after it anyway.
    knownAt: now,
    scope: full ? ("all" as const) : ("touched" as const),
  };
  const counts = full
    ? await runFull(tx, run)
    : await runIncremental(tx, {
        ...run,
        last,
        covered,
        lineIds: request.touchedLineIds ?? [],
        transactionIds: request.touchedTransactionIds ?? [],
      });
  const kind = full ? "full" : "incremental";
  const changed = Object.values(counts).some((count) => count > 0);
  const note = { accountId, provider, kind, knownAt, asAt: now, startedAt: now, covered, counts };
  await noteRun(tx, note, { last, changed });
  return { provider, kind, counts };
}

interface Run {
  accountId: number;
  provider: string;
  asAt: string;
  knownAt: string;
  stamp: string;
  scope: "all" | "touched";
}

async function runFull(tx: Transaction, run: Run): Promise<ReconcileCounts> {
  const matches = await match(tx, run);
  return judge(tx, run, matches);
}

async function runIncremental(
  tx: Transaction,
  run: Run & {
    last: LastRun;
    covered: string;
    lineIds: readonly number[];
    transactionIds: readonly string[];
  },
): Promise<ReconcileCounts> {
  const touched = await gatherTouched(tx, run);
  if (touched && (await isMostTouched(tx, run))) return runFull(tx, { ...run, scope: "all" });
  const matches = touched ? await match(tx, run) : noMatches;
  await gatherByTime(tx, run);
  if (await isUntouched(tx)) return { ...noMatches, ...noDiscrepancies, payouts: 0 };
  await gatherPartners(tx, run.accountId, run.provider);
  return judge(tx, run, matches);
}

type MatchResult = Pick<ReconcileCounts, "matched" | "unmatched" | "suggested">;

/** The passes in their order, each over what is still unmatched. */
async function match(tx: Transaction, run: Run): Promise<MatchResult> {
  await pairByKeys(tx, run);
  await pairByPersons(tx, run);
  await settle(tx);
  await pairByHash(tx, run);
  const active = await writeMatches(tx, run);
  // A table that has just grown by a million rows is empty in the eyes of the planner, and it would plan accordingly.
  if (active.made + active.ended > rowsToAnalyze) await analyzeMatches(tx);
  const hasCandidates = await suggestPairs(tx, run);
  if (!hasCandidates) await endSuggestions(tx, run);
  const suggested = hasCandidates ? (await writeSuggestions(tx, run)).made : 0;
  return { matched: active.made, unmatched: active.ended, suggested };
}

async function judge(tx: Transaction, run: Run, matches: MatchResult): Promise<ReconcileCounts> {
  const payouts = await writePayouts(tx, run);
  const found = [
    await writeDiscrepancies(tx, run),
    await writePeriodDiscrepancies(tx, run),
    await writePositionDiscrepancies(tx, run),
  ];
  const total = (of: keyof DiscrepancyCounts) => found.reduce((sum, counts) => sum + counts[of], 0);
  return {
    ...matches,
    payouts,
    raised: total("raised"),
    changed: total("changed"),
    reopened: total("reopened"),
    agreed: total("agreed"),
  };
}

const rowsToAnalyze = 1_000;

const noMatches: MatchResult = { matched: 0, unmatched: 0, suggested: 0 };
const noDiscrepancies: DiscrepancyCounts = { raised: 0, changed: 0, reopened: 0, agreed: 0 };
