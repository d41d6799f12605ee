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

/** Pages as a listing has them, by time: four statuses of each transaction, minutes apart. */
export function makePages(count: number, first = 0): HashedRecord[][] {
  const raw = Array.from({ length: count }, (_, n) => {
    const transaction = first + Math.floor(n / 4);
    const status = ["new", "pending", "paid", "completed"][n % 4];
    const at = Date.UTC(2026, 0, 1) + transaction * 2_000 + (n % 4) * 400_000;
    return {
      apiKey: "pk_bench_0123456789",
      country: "de",
      inAmount: 100 + (transaction % 900),
      outAmount: status === "completed" ? 0.01234567 + transaction : 0,
      onramp: "moonpay",
      onrampTransactionId: `3f2a7d10-0000-4000-8000-${String(transaction).padStart(12, "0")}`,
      paymentMethod: "creditcard",
      sourceCurrency: "eur",
      targetCurrency: "usdc_base",
      status,
      statusDate: new Date(at).toISOString(),
      transactionId: `01J${String(transaction).padStart(23, "0")}`,
      transactionType: "buy",
      transactionHash: status === "completed" ? `0x${String(transaction).padStart(64, "0")}` : "",
      walletAddress: `0x${String(transaction).padStart(40, "0")}`,
    };
  }).toSorted((a, b) => (a.statusDate < b.statusDate ? -1 : 1));
  return Array.from(
    { length: Math.ceil(count / recordsPerPage) },
    (_, page) => preparePage(raw.slice(page * recordsPerPage, (page + 1) * recordsPerPage)).records,
  );
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
