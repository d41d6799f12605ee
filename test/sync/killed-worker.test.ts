import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { HOUR, MINUTE, SECOND } from "../../src/core/duration.ts";
import { insertWindows } from "../../src/store/windows/sync-windows.ts";
import type { SyncAccount } from "../../src/sync/deps.ts";
import { readWindow, readWindows } from "../support/a-window.ts";
import { compareWithLedger, type Expected, readLedger, tiedOut } from "../support/ledger-oracle.ts";
import { type Running, startProcess } from "../support/run-tieout.ts";
import { syncDeps } from "../support/sync-deps.ts";
import type { WorkerOrders } from "../support/sync-worker.ts";
import { useTestDatabase } from "../support/test-database.ts";
import {
  addAccount,
  type FrozenSandbox,
  passTime,
  startFrozenSandbox,
  syncToEnd,
} from "../support/use-sync.ts";
import { waitFor } from "../support/wait-for.ts";

const database = useTestDatabase();
let frozen: FrozenSandbox;
let ledger: Expected;

beforeAll(async () => {
  const nowMs = Date.now();
  frozen = await startFrozenSandbox({
    transactions: 60,
    fromMs: nowMs - 2 * HOUR,
    toMs: nowMs - 10 * MINUTE,
  });
  // A record a page: a list of some hundred pages, which is split on the way.
  frozen.sandbox.switches.dialect = { ...frozen.sandbox.switches.dialect, pages: "single" };
  ledger = await readLedger(frozen.sandbox);
});
afterAll(() => frozen.sandbox.close());

async function prepare(): Promise<SyncAccount> {
  const account = await addAccount(database.db, frozen.sandbox, { syncStartMs: frozen.fromMs });
  const { fromMs, toMs } = frozen;
  await insertWindows(database.db, account.id, [
    { kind: "live", fromMs: fromMs + MINUTE, toMs: toMs + SECOND },
    { kind: "backfill", fromMs, toMs: fromMs + MINUTE },
  ]);
  return account;
}

function startWorker(
  account: SyncAccount,
  orders: Pick<WorkerOrders, "failpoint" | "at" | "signal" | "leaseMs">,
): Running {
  const all: WorkerOrders = {
    databaseUrl: database.url.reveal(),
    baseUrl: frozen.sandbox.url,
    accountId: account.id,
    ...orders,
  };
  const program = fileURLToPath(new URL("../support/sync-worker.ts", import.meta.url));
  const worker = startProcess(process.execPath, ["--import", "tsx", program], {
    ORDERS: JSON.stringify(all),
  });
  onTestFinished(async () => void (await worker.stop("SIGKILL")));
  return worker;
}

async function heal(account: SyncAccount): Promise<void> {
  frozen.sandbox.switches.dialect = { ...frozen.sandbox.switches.dialect, pages: "full" };
  await syncToEnd(syncDeps(database.db, { worker: "healer" }), account);
}

const unsplit = ["backfill planned", "live walking"];

describe("fault 19: kill -9", () => {
  test.each([
    [
      ["claim.before", 2],
      ["claim.after", 1],
    ],
    [
      ["fetch.before", 40],
      ["fetch.after", 1],
    ],
    [
      ["page.commit.before", 20],
      ["page.commit.after", 20],
    ],
    [
      ["seal.before", 1],
      ["seal.after", 1],
    ],
    [
      ["split.inside", 1],
      ["ack.before", 1],
    ],
  ] as const)("at %j and %j loses nothing and doubles nothing", async (...places) => {
    frozen.sandbox.switches.dialect = { ...frozen.sandbox.switches.dialect, pages: "single" };
    const accounts = await Promise.all(
      places.map(async ([failpoint, at]) => {
        const account = await prepare();
        const worker = startWorker(account, { failpoint, at, signal: "SIGKILL", leaseMs: 60_000 });
        const { code, stderr } = await worker.finished;
        // Killed, and not ended by itself: the place was reached.
        expect({ code, stderr }).toEqual({ code: null, stderr: "" });
        await passTime(database.db, account.id);
        // Killed inside the transaction of a split: the window is still open as a whole, and no part of it was planned.
        const windows = await readWindows(database.db, account.id);
        const states = windows.map(({ kind, state }) => `${kind} ${state}`);
        expect(failpoint === "split.inside" ? states : unsplit).toEqual(unsplit);
        return account;
      }),
    );
    for (const account of accounts) {
      await heal(account);
      expect(await compareWithLedger(database.db, account.id, ledger)).toEqual(tiedOut);
    }
  });
});

test("fault 18: a worker stopped beyond its lease and woken again commits nothing: counters and seal are the second one's", async () => {
  frozen.sandbox.switches.dialect = { ...frozen.sandbox.switches.dialect, pages: "full" };
  const account = await prepare();
  const zombie = startWorker(account, {
    failpoint: "page.commit.before",
    at: 2,
    signal: "SIGSTOP",
    leaseMs: 1_000,
  });
  const live = (await readWindows(database.db, account.id)).find(({ kind }) => kind === "live");
  const read = () => readWindow(database.db, live?.id ?? 0);
  await waitFor("it has kept one page", async () => (await read())["pages"] === 1);
  // Nobody ends the lease here: it runs out by the database's clock, because the worker cannot renew it.
  await waitFor("its lease has run out", async () => {
    const leased = `select from tieout.sync_windows where id = $1 and lease_until > clock_timestamp()`;
    return (await database.db.query(leased, [live?.id])).length === 0;
  });
  await syncToEnd(syncDeps(database.db, { worker: "second" }), account);
  const sealed = await read();
  // The fence was raised twice: to begin the half-read window again, and to claim it.
  expect(sealed).toMatchObject({ state: "sealed", worker: "second", fence: 3, pages: 4 });
  expect(await compareWithLedger(database.db, account.id, ledger)).toEqual(tiedOut);

  zombie.child.kill("SIGCONT");
  await zombie.says(/"event":"lease_lost".*/);
  await zombie.says(/nothing left to do/);
  await zombie.finished;
  expect(await read()).toEqual(sealed);
  expect(await compareWithLedger(database.db, account.id, ledger)).toEqual(tiedOut);
});
