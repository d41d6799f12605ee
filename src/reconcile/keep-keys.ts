import { isBareCode, minorUnits, parseAsset } from "../core/asset.ts";
import { assetDecimals } from "../core/asset-decimals.ts";
import { isFiat } from "../core/fiat.ts";
import type { Transaction } from "../store/database.ts";
import { lockProvider } from "../store/books/provider-lock.ts";
import {
  type CurrencyWord,
  hasRowsSince,
  keepCurrencyWords,
  keepOddHistories,
  keepSharedHashes,
  keysOfAccount,
  listNewCurrencyWords,
} from "../store/books/keys.ts";
import { beginRun, noteRuns, readLastRun } from "../store/books/runs.ts";
import { prepareSession } from "../store/large-statements.ts";
import { safeUntil } from "../store/transactions/transaction-reads.ts";

/**
 * Brings up to date what all runs of an account share: the meaning of currency words, histories that may contradict
 * themselves, and hashes that several transactions have. Returns the time up to which everything stored has been seen: a run may not claim to know later news.
 */
export async function keepKeys(tx: Transaction, accountId: number): Promise<string> {
  await lockProvider(tx, { accountId, provider: keysOfAccount });
  await prepareSession(tx);
  const knownAt = await safeUntil(tx);
  const { now, covered } = await beginRun(tx, accountId);
  const last = await readLastRun(tx, accountId, keysOfAccount);
  const since = last?.knownAt ?? null;
  if (since === null || (await hasRowsSince(tx, accountId, since))) {
    const words = await listNewCurrencyWords(tx, accountId, since);
    await keepCurrencyWords(tx, words.map(meaningOf));
    await keepOddHistories(tx, accountId, since);
    await keepSharedHashes(tx, accountId, since);
  }
  const kind = last ? "incremental" : "full";
  const note = { accountId, knownAt, asAt: now, startedAt: now, covered };
  await noteRuns(tx, note, [{ provider: keysOfAccount, kind, last, changed: false }]);
  return knownAt;
}

/** No coin is compared beyond its eighth place: that is where statements stop. */
const placesMax = 8;

export function meaningOf(word: string): CurrencyWord {
  if (isFiat(word)) {
    const code = word.toUpperCase();
    return { word, isFiat: true, code, network: null, places: minorUnits(code) };
  }
  // Records name a coin by its code, which does not say on which network it moved.
  const asset = isBareCode(word) ? { ...parseAsset(word), network: null } : parseAsset(word);
  const places = Math.min(placesMax, assetDecimals(asset) ?? placesMax);
  return { word, isFiat: false, code: asset.code, network: asset.network, places };
}
