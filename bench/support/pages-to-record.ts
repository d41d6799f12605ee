import { createHash } from "node:crypto";
import type { Database } from "../../src/store/database.ts";
import { createPageRecorder } from "../../src/store/transactions/page-recorder.ts";
import type { HashedRecord } from "../../src/store/transactions/record-page.ts";
import { freshenStatistics, syncedTables } from "../../src/store/statistics.ts";
import { insertWindows } from "../../src/store/windows/sync-windows.ts";
import { claimWindow, type WindowLease } from "../../src/store/windows/window-leases.ts";
import { preparePage } from "../../src/sync/page.ts";

/** As many as may be in flight by default. */
export const walkers = 16;
const recordsPerPage = 50;

/**
 * Pages as a listing has them, by time: four statuses of each transaction, minutes apart. Ids, hashes and addresses are
 * random to look at, as the worst aggregator's would be: nothing tells an index where the next one goes.
 */
export function makePages(
  count: number,
  { first = 0, fromMs = Date.UTC(2026, 0, 1) }: { first?: number; fromMs?: number } = {},
): HashedRecord[][] {
  const raw = Array.from({ length: Math.ceil(count / 4) }, (_, n) => {
    const transaction = first + n;
    const digits = createHash("sha256").update(`transaction ${transaction}`).digest("hex");
    const own = createHash("sha256").update(`provider ${transaction}`).digest("hex");
    return ["new", "pending", "paid", "completed"].map((status, at) => ({
      apiKey: "pk_bench_0123456789",
      country: "de",
      inAmount: 100 + (transaction % 900),
      outAmount: status === "completed" ? 0.01234567 + transaction : 0,
      onramp: "moonpay",
      onrampTransactionId: asUuid(own),
      paymentMethod: "creditcard",
      sourceCurrency: "eur",
      targetCurrency: "usdc_base",
      status,
      statusDate: new Date(fromMs + n * 2_000 + at * 400_000).toISOString(),
      transactionId: asUuid(digits),
      transactionType: "buy",
      transactionHash: status === "completed" ? `0x${digits}` : "",
      walletAddress: `0x${own.slice(0, 40)}`,
    }));
  })
    .flat()
    .slice(0, count)
    .toSorted((a, b) => (a.statusDate < b.statusDate ? -1 : 1));
  return Array.from(
    { length: Math.ceil(count / recordsPerPage) },
    (_, page) => preparePage(raw.slice(page * recordsPerPage, (page + 1) * recordsPerPage)).records,
  );
}

function asUuid(digits: string): string {
  return digits.slice(0, 32).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}

/** Keeps the pages as walkers do, each with a window of its own. */
export async function recordAll(db: Database, accountId: number, all: HashedRecord[][]): Promise<void> {
  const queue = all.entries();
  const record = createPageRecorder(db);
  const leases = await Promise.all(Array.from({ length: walkers }, (_, n) => lease(db, accountId, n)));
  await Promise.all(
    leases.map(async (held) => {
      for (const [number, page] of queue) {
        await record(held, { records: page, rejections: [], nextCursor: `cursor-${number}` });
        // As a walker does after each window of some twenty pages.
        if (number % 20 === 19) await freshenStatistics(db, syncedTables);
      }
    }),
  );
  await db.query(
    "update tieout.sync_windows set state = 'split', lease_until = null where state = 'walking'",
  );
}

async function lease(db: Database, accountId: number, n: number): Promise<WindowLease> {
  const fromMs = Date.UTC(2026, 0, 1) + n * 1_000;
  await insertWindows(db, accountId, [{ kind: "backfill", fromMs, toMs: fromMs + 1_000 }]);
  const held = await db.transaction((tx) =>
    claimWindow(tx, { accountId, worker: `bench-${n}`, leaseMs: 600_000, requestsMax: 64 }),
  );
  if (!held) throw new Error("no lease");
  return held;
}
