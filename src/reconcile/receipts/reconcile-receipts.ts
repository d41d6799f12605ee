import {
  type DiscrepancyCounts,
  listTurned,
  ofReceipts,
  writeDiscrepancies,
} from "../../store/books/discrepancy-writes.ts";
import { writeFindings } from "../../store/books/finding-writes.ts";
import { keepCurrencyWords } from "../../store/books/keys.ts";
import { lockProvider } from "../../store/books/provider-lock.ts";
import { receiptCodeList } from "../../store/books/receipt-code-list.ts";
import { type Run, total } from "../../store/books/run.ts";
import { beginRun, type LastRun, noteRuns, readLastRun } from "../../store/books/runs.ts";
import { prepareSession } from "../../store/large-statements.ts";
import type { Transaction } from "../../store/database.ts";
import { findInReceipts, lookedAtReceipts } from "../../store/receipts/receipt-findings.ts";
import { matchReceipts } from "../../store/receipts/receipt-matching.ts";
import { listNewReceiptWords } from "../../store/receipts/receipt-words.ts";
import { receiptsOfAccount, scopeOfReceipts } from "../../store/receipts/receipt-run.ts";
import { tellReceipts } from "../../store/receipts/tell-receipts.ts";
import { freshenStatistics, receiptTables } from "../../store/statistics.ts";
import { safeUntil } from "../../store/transactions/transaction-reads.ts";
import { meaningOf } from "../keep-keys.ts";

export type ReceiptCounts = Record<"matched" | "unmatched" | keyof DiscrepancyCounts, number>;

/**
 * Matches bank lines and payouts of an account, of all providers at once, and judges what has arrived. Part of every run
 * of the account: what it writes has the same two times as everything else.
 */
export async function reconcileReceipts(
  tx: Transaction,
  accountId: number,
  { full = false, lineIds = [] }: { full?: boolean; lineIds?: readonly number[] } = {},
): Promise<ReceiptCounts> {
  await lockProvider(tx, { accountId, provider: receiptsOfAccount });
  await prepareSession(tx);
  const knownAt = await safeUntil(tx);
  const { now, covered } = await beginRun(tx, accountId);
  const last = await readLastRun(tx, accountId, receiptsOfAccount);
  const run = { tx, accountId, providers: [], stamp: now };
  const scope = await scopeOfReceipts(run, { last, full, lineIds });
  if (scope === null && last === null) return nothing;
  const counts = { ...nothing };
  if (scope !== null) Object.assign(counts, await judge({ ...run, scope }, last));
  if (scope !== null || (await hasTurned(run, last))) {
    const moved = await writeDiscrepancies(run, ofReceipts);
    for (const name of movements) counts[name] = total(moved[name]);
  }
  const kind = scope === "all" ? "full" : "incremental";
  const changed = Object.values(counts).some((count) => count > 0);
  const note = { accountId, knownAt, asAt: now, startedAt: now, covered };
  await noteRuns(tx, note, [{ provider: receiptsOfAccount, kind, counts, last, changed }]);
  return counts;
}

const movements = ["raised", "changed", "reopened", "agreed"] as const;
const nothing: ReceiptCounts = { matched: 0, unmatched: 0, raised: 0, changed: 0, reopened: 0, agreed: 0 };

async function hasTurned(run: Omit<Run, "scope">, last: LastRun | null): Promise<boolean> {
  return last !== null && (await listTurned(run, last.asAt, ofReceipts)).length > 0;
}

async function judge(run: Run, last: LastRun | null): Promise<{ matched: number; unmatched: number }> {
  await freshenStatistics(run.tx, receiptTables);
  await keepCurrencyWords(run.tx, (await listNewReceiptWords(run.tx, run.accountId)).map(meaningOf));
  const { made, ended } = await matchReceipts(run);
  await findInReceipts(run);
  await writeFindings(run, { all: `held.code in (${receiptCodeList})`, touched: lookedAtReceipts });
  await tellReceipts(run, last);
  return { matched: made, unmatched: ended };
}
