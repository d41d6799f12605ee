import { setTimeout as sleep } from "node:timers/promises";
import { pino } from "pino";
import { afterEach, describe, expect, inject, test } from "vitest";
import { closeQueues, countJobs, openQueues, type Queues, startClockwork } from "../../jobs/clockwork.ts";
import type { QueueEngine } from "../../jobs/connection.ts";
import { jobOptions } from "../../jobs/queues.ts";
import { heartbeatAgeSeconds, recordHeartbeat } from "../../src/store/health/heartbeats.ts";
import { availableEngines, openEngine } from "../support/queue-engines.ts";
import { useTestDatabase } from "../support/test-database.ts";
import { waitFor } from "../support/wait-for.ts";
import { wipePostgresQueue, wipeRedis } from "../support/wipe-queue.ts";

const database = useTestDatabase();

/** A schedule two intervals late is restored: with an interval this long, a machine that stalls for a second is not late. */
const unhurried = 2_000;

describe.each(availableEngines())("the clockwork on %s", (kind) => {
  const undo: (() => Promise<void>)[] = [];
  const walked: number[] = [];
  const reconciled: number[] = [];
  let rescues = 0;

  afterEach(async () => {
    for (const step of undo.splice(0).toReversed()) await step();
    walked.length = 0;
    reconciled.length = 0;
    rescues = 0;
    await wipeQueue(kind);
    await database.db.query("delete from tieout.heartbeats");
  });

  test("leaves no worker behind when the queue refuses", async () => {
    let workers = 0;
    const refusing = (engine: QueueEngine): QueueEngine => ({
      ...engine,
      openQueue: (...given) =>
        Object.assign(engine.openQueue(...given), {
          upsertJobScheduler: () => Promise.reject(new Error("refused")),
        }),
      openWorker: (...given) => {
        workers++;
        return engine.openWorker(...given);
      },
    });
    await expect(start({ through: refusing })).rejects.toThrow("refused");
    expect(workers).toBe(0);
  });

  test("runs the heartbeat by itself", async () => {
    await start({});
    await waitFor("a heartbeat", () => heartbeatAge().then((age) => age !== null));
  });

  test("restores its schedules after the queue was wiped", async () => {
    const lines: string[] = [];
    await start({ lines });
    await waitFor("a heartbeat", () => heartbeatAge().then((age) => age !== null));
    await wipeQueue(kind);
    await waitFor("the watchdog has seen it", () => lines.some((line) => line.includes("schedule_restored")));
    // Only now: a job that was running during the wipe writes its heartbeat a moment after it.
    await database.db.query("delete from tieout.heartbeats");
    await waitFor("a heartbeat after the wipe", () => heartbeatAge().then((age) => age !== null));
  });

  test("leaves schedules alone that run", async () => {
    const lines: string[] = [];
    await start({ lines, everyMs: unhurried });
    let rounds = 0;
    await waitFor("some rounds of the watchdog", () => ++rounds > 20, { everyMs: 50 });
    expect(lines.join("")).not.toContain("schedule_restored");
  });

  test("does not take a job for gone that moved from list to list while they were read", async () => {
    let looks = 0;
    const lines: string[] = [];
    const missingEverySecondTime = (engine: QueueEngine): QueueEngine => ({
      ...engine,
      openQueue: (...given) => {
        const queue = engine.openQueue(...given);
        const getJobs = queue.getJobs.bind(queue);
        return Object.assign(queue, {
          getJobs: (...asked: Parameters<typeof getJobs>) => (++looks % 2 === 1 ? [] : getJobs(...asked)),
        });
      },
    });
    await start({ lines, everyMs: unhurried, through: missingEverySecondTime });
    await waitFor("some rounds of the watchdog", () => looks > 10);
    expect(lines.join("")).not.toContain("schedule_restored");
  });

  test("takes no jobs while the clock is wrong, and goes on when it is right again", async () => {
    let offsetMs = 3_600_000;
    let measured = 0;
    await start({
      offset: () => {
        measured++;
        return offsetMs;
      },
    });
    await waitFor("the watchdog saw it", () => measured >= 2);
    // A job that was being fetched may still come; after that, half a second without any is two schedules missed.
    await waitFor("no heartbeat comes any more", async () => {
      await database.db.query("delete from tieout.heartbeats");
      await sleep(500);
      return (await heartbeatAge()) === null;
    });
    offsetMs = 0;
    await waitFor("a heartbeat", () => heartbeatAge().then((age) => age !== null));
  });

  test("gives up a job with a payload that is not what it should be", async () => {
    const { queues, lines } = await start({});
    await queues.clock.add("heartbeat", { canary: "secret" }, { ...jobOptions("heartbeat"), attempts: 5 });
    await queues.clock.add("unheard-of", {}, { attempts: 5 });
    await waitFor("both failed", async () => (await queues.clock.getJobCounts("failed"))["failed"] === 2);
    const failures = lines.filter((line) => line.includes("job_failed"));
    expect(failures).toHaveLength(2);
    expect(failures.join()).toContain('"final":true');
    expect(lines.join()).not.toContain("canary");
  });

  test("plans as soon as it starts, and wakes as many walkers as the plan asks for", async () => {
    await start({});
    await waitFor("two walks of account 7", () => walked.length === 2);
    expect(walked).toEqual([7, 7]);
  });

  test("writes the newest entry of the audit log into the log, and what is wrong with it", async () => {
    const { queues, lines } = await start({});
    await queues.clock.add("audit-head", {}, jobOptions("audit-head"));
    await waitFor("it is done", () => lines.some((line) => line.includes("audit_log_cut_off")));
    expect(lines.join("")).toContain('"event":"audit_head","head":"5:abc"');
    expect(lines.join("")).toContain('"subject":"audit entry 4"');
  });

  test("reconciles every account when the clock says so, and one when someone asks", async () => {
    const { queues } = await start({});
    await queues.clock.add("reconcile-sweep", {}, jobOptions("reconcile-sweep"));
    await waitFor("both accounts", () => reconciled.length === 2);
    expect(new Set(reconciled)).toEqual(new Set([7, 8]));
    await queues.reconcile.add("reconcile", { accountId: 9 }, jobOptions("reconcile"));
    await waitFor("the third", () => reconciled.includes(9));
  });

  test("looks after what is overdue without the queue", async () => {
    await start({});
    await waitFor("a rescue", () => rescues > 0);
    expect(rescues).toBeGreaterThan(0);
  });

  test("counts its jobs", async () => {
    const { queues } = await start({});
    await waitFor("a job was done", async () =>
      (await countJobs(queues)).some(({ state, jobs }) => state === "completed" && jobs > 0),
    );
  });

  test("reconciles an account as soon as a walk has brought something new", async () => {
    await start({ hasNews: true });
    await waitFor("it is reconciled", () => reconciled.includes(7));
  });

  interface Options {
    lines?: string[];
    everyMs?: number;
    hasNews?: boolean;
    offset?: () => number;
    through?: (engine: QueueEngine) => QueueEngine;
  }

  async function start({
    lines = [],
    everyMs = 200,
    hasNews = false,
    offset = () => 0,
    through = (e) => e,
  }: Options) {
    const log = pino({ level: "trace" }, { write: (line: string) => void lines.push(line) });
    const engine = through(openEngine(kind, database));
    const queues: Queues = openQueues(engine, log);
    undo.push(() => closeQueues(queues));
    const clockwork = await startClockwork(engine, queues, {
      log,
      now: Date.now,
      workerName: "test",
      schedules: [{ job: "heartbeat", everyMs }],
      watchdogIntervalMs: 100,
      recordHeartbeat: (heartbeat) => recordHeartbeat(database.db, heartbeat),
      sync: {
        plan: async () => [{ accountId: 7, walkers: 2 }],
        walk: async (accountId) => {
          walked.push(accountId);
          return hasNews;
        },
        refreshCatalogues: async () => undefined,
        planDeepReads: async () => undefined,
        sampleQuotes: async () => undefined,
        rescue: async () => void rescues++,
      },
      runAlerts: async () => undefined,
      keepAuditHead: async () => ({
        head: "5:abc",
        problems: [{ subject: "audit entry 4", problem: "gone" }],
      }),
      exports: { run: async () => undefined, sweep: async () => [] },
      data: {
        backUpWhenDue: async () => undefined,
        applyRetention: async () => ({}),
        writeLake: async () => undefined,
      },
      reconcile: { accountIds: () => [7, 8], run: async (accountId) => void reconciled.push(accountId) },
      measureClockOffsetMs: async () => offset(),
      clockOffsetMaxMs: 2_000,
    });
    undo.push(clockwork.stop);
    return { queues, lines };
  }
});

function heartbeatAge(): Promise<number | null> {
  return heartbeatAgeSeconds(database.db, "heartbeat");
}

function wipeQueue(kind: "postgres" | "redis"): Promise<void> {
  return kind === "redis" ? wipeRedis(inject("redisUrl") ?? "") : wipePostgresQueue(database.db);
}
