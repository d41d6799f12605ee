import { type Queues, startClockwork, watchdogIntervalMs } from "../../jobs/clockwork.ts";
import type { QueueEngine } from "../../jobs/connection.ts";
import { schedulesFor } from "../../jobs/schedule.ts";
import type { Metrics } from "../metrics.ts";
import { clockOffsetMaxMs, clockOffsetMs } from "../store/clock.ts";
import { forgetSilentWorkers, recordHeartbeat } from "../store/heartbeats.ts";
import { createReconcileRunner } from "../reconcile/reconcile-runner.ts";
import { createSyncRunner } from "../sync/sync-runner.ts";
import type { CommandContext } from "./context.ts";
import { openAccounts } from "./open-accounts.ts";
import type { OpenExports } from "./open-exports.ts";
import type { Store } from "./open-store.ts";
import { showSync } from "./show-sync.ts";
import { openSyncDatabase, syncDeps, workerName } from "./sync-deps.ts";

/** Accounts, workers, schedules and their watchdog. Pushes onto `undo` what has to be stopped, in order. */
export async function startWorkers(
  context: CommandContext,
  parts: { store: Store; engine: QueueEngine; queues: Queues; metrics: Metrics; exports: OpenExports },
  undo: (() => Promise<void>)[],
): Promise<void> {
  const { config, log, now, say } = context;
  const { database, url } = parts.store;
  const syncDatabase = openSyncDatabase(context, url);
  undo.push(syncDatabase.close);
  const { accounts, close } = await openAccounts(context, syncDatabase);
  undo.push(close);
  const runner = createSyncRunner(syncDeps(context, syncDatabase), accounts);
  undo.push(runner.settle);

  const schedules = schedulesFor({ syncIntervalMs: config.sync.intervalMs });
  const clockwork = await startClockwork(parts.engine, parts.queues, {
    log,
    now,
    workerName: workerName(),
    schedules,
    watchdogIntervalMs,
    recordHeartbeat: async (heartbeat) => {
      await recordHeartbeat(database, heartbeat);
      await forgetSilentWorkers(database);
    },
    sync: {
      ...runner,
      planDeepReads: () => runner.planDeepReads({ dayOfMonth: new Date(now()).getUTCDate() }),
    },
    exports: parts.exports.jobs,
    reconcile: createReconcileRunner({ database, log, now }, accounts),
    measureClockOffsetMs: () => clockOffsetMs(database, now),
    clockOffsetMaxMs,
    onClockOffset: parts.metrics.setClockOffsetMs,
  });
  undo.push(clockwork.stop);
  say(`Workers: started, ${schedules.length} schedules, reading every ${config.sync.intervalMs / 1_000} s`);
  undo.push(showSync(context, database, accounts).stop);
}
