import { rm } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { pino } from "pino";
import { describe, expect, inject, onTestFinished, test } from "vitest";
import { closeQueues, openQueues, startClockwork } from "../../jobs/clockwork.ts";
import { type QueueEngine, redisEngine } from "../../jobs/connection.ts";
import { secret } from "../../src/core/secret.ts";
import { recordHeartbeat } from "../../src/store/health/heartbeats.ts";
import { createSyncRunner, type RunnerAccount } from "../../src/sync/sync-runner.ts";
import { workAccount } from "../../src/sync/work-account.ts";
import { freePort } from "../support/free-port.ts";
import { compareWithLedger, type Expected, readLedger, tiedOut } from "../support/ledger-oracle.ts";
import { openFolder } from "../support/open-folder.ts";
import { availableEngines, openEngine } from "../support/queue-engines.ts";
import { startRedis } from "../support/redis-server.ts";
import { never, syncDeps } from "../support/sync-deps.ts";
import { useTestDatabase } from "../support/test-database.ts";
import { addAccount, openFrozenSandbox } from "../support/use-sync.ts";
import { waitFor } from "../support/wait-for.ts";
import { wipePostgresQueue, wipeRedis } from "../support/wipe-queue.ts";

const database = useTestDatabase();
const intervalMs = 500;

describe.each(availableEngines())("fault 21: the queue on %s is wiped during a sync", (kind) => {
  test("twice: it heals by itself, nothing is lost and nothing doubled", async () => {
    const { engine, wipe } = await openQueue(kind);
    const reading = await startReading(engine);
    for (const share of [0.2, 0.5]) {
      await reading.hasRead(share);
      await wipe();
    }
    await reading.endsWell();
    expect(reading.lines.join("")).toContain("schedule_restored");
  });

  test("fault 28: its jobs and schedules are deleted: the next window starts within two intervals", async () => {
    const { engine, wipe } = await openQueue(kind);
    const reading = await startReading(engine, { watchdogIntervalMs: 100 });
    await reading.hasRead(0.1);
    await wipe();
    const before = await reading.newestWindow();
    const begun = performance.now();
    await waitFor(
      "a window that was planned since is walked",
      async () => (await reading.newestWindow()) > before,
    );
    expect(performance.now() - begun).toBeLessThan(2 * intervalMs + 4_000); // a busy machine may take its time
    await reading.endsWell();
  });
});

test("fault 28: a queue that never runs a job delays a window by two intervals, and loses none", async () => {
  const { engine } = await openQueue("postgres");
  const reading = await startReading(deafEngine(engine));
  await reading.endsWell();
  expect(reading.lines.join("")).toContain("sync_overdue");
});

describe.runIf(inject("redisUrl") !== null)("fault 21: Redis", () => {
  test("is restarted during a sync, and away for many intervals: the sync goes on without it and with it", async () => {
    const { engine, redis } = await openQueue("redis");
    const reading = await startReading(engine);
    await reading.hasRead(0.1);
    await redis?.stop();
    // What was under way ends by itself; what comes afterwards nobody is woken for.
    await reading.hasRead(1);
    const newest = await reading.newestWindow();
    await waitFor("it reads on without Redis", async () => (await reading.newestWindow()) > newest + 8);
    expect(reading.lines.join("")).toContain("sync_overdue");
    await redis?.start();
    await waitFor("its schedules are back", () => reading.lines.join("").includes("schedule_restored"));
    await reading.endsWell();
  });
});

/** A queue of this test alone: a Redis that other files use would hand them our jobs, and us theirs. */
async function openQueue(kind: "postgres" | "redis") {
  if (kind === "postgres") {
    const wipe = () => wipePostgresQueue(database.db);
    await wipe();
    return { engine: openEngine(kind, database), wipe };
  }
  const folder = await openFolder("tieout-queue-lost-");
  const port = await freePort();
  const url = `redis://127.0.0.1:${port}`;
  let running = await startRedis(folder, [], port);
  const stop = async () => {
    await running?.stop();
    running = null;
  };
  onTestFinished(async () => {
    await stop();
    await rm(folder, { recursive: true, force: true });
  });
  const start = async () => void (running = await startRedis(folder, [], port));
  return { engine: redisEngine(secret(url)), wipe: () => wipeRedis(url), redis: { stop, start } };
}

/** The service's own clockwork and runner on a sandbox whose answers take their time. */
async function startReading(engine: QueueEngine, options: { watchdogIntervalMs?: number } = {}) {
  const frozen = await openFrozenSandbox({ transactions: 400 });
  const account = await addAccount(database.db, frozen.sandbox, { syncStartMs: frozen.fromMs });
  const { fetchPage } = account.upstream;
  const slow: RunnerAccount = {
    ...account,
    upstream: {
      ...account.upstream,
      fetchSupported: nothing,
      fetchPaymentTypes: nothing,
      fetchProviders: nothing,
      fetchBuyQuotes: nothing,
      fetchSellQuotes: nothing,
      fetchPage: async (...asked) => {
        await sleep(60);
        return fetchPage(...asked);
      },
    },
  };
  const lines: string[] = [];
  const log = pino({ level: "debug" }, { write: (line: string) => void lines.push(line) });
  const deps = syncDeps(database.db, { settings: { intervalMs, requestsMax: 2, leaseMs: 2_000 } });
  const runner = createSyncRunner({ ...deps, log }, [slow]);
  const queues = openQueues(engine, log);
  const clockwork = await startClockwork(engine, queues, {
    log,
    now: Date.now,
    workerName: "test",
    schedules: [{ job: "plan", everyMs: intervalMs }],
    watchdogIntervalMs: options.watchdogIntervalMs ?? 200,
    recordHeartbeat: (heartbeat) => recordHeartbeat(database.db, heartbeat),
    sync: { ...runner, planDeepReads: async () => undefined, sampleQuotes: async () => undefined },
    runAlerts: async () => undefined,
    keepAuditHead: async () => ({ head: null, problems: [] }),
    exports: { run: async () => undefined, sweep: async () => [] },
    data: {
      backUpWhenDue: async () => undefined,
      applyRetention: async () => ({}),
      writeLake: async () => undefined,
    },
    reconcile: { accountIds: () => [], run: async () => undefined },
    measureClockOffsetMs: async () => 0,
    clockOffsetMaxMs: 2_000,
  });
  let stopped: Promise<void> | undefined;
  const stop = () =>
    (stopped ??= clockwork
      .stop()
      .then(runner.settle)
      .then(() => closeQueues(queues)));
  onTestFinished(() => stop());
  const expected: Expected = await readLedger(frozen.sandbox);
  const rowsKept = async () => {
    const [row] = await database.db.query<{ rows: number }>(
      "select count(*)::int as rows from tieout.transaction_statuses where account_id = $1",
      [account.id],
    );
    return row?.rows ?? 0;
  };

  return {
    lines,
    hasRead: (share: number) =>
      waitFor("some of it is read", async () => (await rowsKept()) >= share * expected.records.length),
    /** The newest window that someone has begun to read. */
    newestWindow: async () => {
      const [row] = await database.db.query<{ id: number }>(
        "select max(id)::int as id from tieout.sync_windows where account_id = $1 and started_at is not null",
        [account.id],
      );
      return row?.id ?? 0;
    },
    /** All of it is read by the clockwork alone; only the windows of its last moments are read by us. */
    endsWell: async () => {
      await waitFor("all of it is read", async () => (await rowsKept()) === expected.records.length, {
        timeoutMs: 60_000,
      });
      await stop();
      await database.db.query(
        "update tieout.sync_windows set lease_until = clock_timestamp() where account_id = $1 and state = 'walking'",
        [account.id],
      );
      await workAccount(deps, account, never);
      expect(await compareWithLedger(database.db, account.id, expected)).toEqual(tiedOut);
      const [row] = await database.db.query<{ added: number }>(
        "select sum(added)::int as added from tieout.sync_windows where account_id = $1",
        [account.id],
      );
      expect(row?.added).toBe(expected.records.length);
    },
  };
}

/** A queue whose workers never hear of a job. */
function deafEngine(engine: QueueEngine): QueueEngine {
  return {
    ...engine,
    openWorker: (lane, _processor, options) =>
      engine.openWorker(`deaf-${lane}`, async () => undefined, options),
  };
}

const nothing = async () => {
  throw new Error("there is no catalogue here");
};
