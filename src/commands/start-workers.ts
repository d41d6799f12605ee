import { enqueueTo, type Queues, startClockwork, watchdogIntervalMs } from "../../jobs/clockwork.ts";
import type { QueueEngine } from "../../jobs/connection.ts";
import { schedulesFor } from "../../jobs/schedule.ts";
import type { Metrics } from "../metrics.ts";
import { lapseChanged } from "../close/sign.ts";
import { urlOf } from "../api/listen.ts";
import { formatInstant } from "../core/instant.ts";
import { forgetRefusals } from "../store/accounts/account-pace.ts";
import { keepAuditHead } from "../store/people/audit-head.ts";
import { clockOffsetMaxMs, clockOffsetMs } from "../store/health/checks.ts";
import { forgetSilentWorkers, recordHeartbeat } from "../store/health/heartbeats.ts";
import { createMailer, type Mailer } from "../notify/mailer.ts";
import { runAlerts } from "../notify/run-alerts.ts";
import { createReconcileRunner } from "../reconcile/reconcile-runner.ts";
import { sampleIntervalMs } from "../sync/sample-quotes.ts";
import { createSyncRunner } from "../sync/sync-runner.ts";
import type { Config } from "../config.ts";
import { applyRetention } from "../store/retention.ts";
import { backUpWhenDue } from "./backup.ts";
import type { CommandContext } from "./context.ts";
import { countSync } from "./count-sync.ts";
import { closeDemoMonths } from "./demo-close.ts";
import { importDemoReceipts } from "./demo-receipts.ts";
import { importDemoStatements } from "./demo-statements.ts";
import { keepConfiguredLake } from "./lake.ts";
import { openAccounts } from "./open-accounts.ts";
import type { OpenExports } from "./open-exports.ts";
import type { Store } from "./open-store.ts";
import { showSync } from "./show-sync.ts";
import { openSyncDatabase, syncDeps, workerName } from "./sync-deps.ts";
import { tellTroubles } from "./tell-troubles.ts";
import { openTracer, traceRecording } from "./trace-workers.ts";
import { watchSecrets } from "./watch-secrets.ts";

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
  const tracer = openTracer(context);
  undo.push(() => tracer.close());
  const count = countSync({ metrics: parts.metrics, now, tracer });
  const opened = await openAccounts(context, syncDatabase, { attempts: count.attempts });
  const { accounts, sandbox } = opened;
  undo.push(opened.close);
  // A start may bring a corrected secret, or follow one that was mended on the other side: ask at once.
  await forgetRefusals(
    syncDatabase,
    accounts.map(({ id }) => id),
  );
  const names = new Map(accounts.map(({ id, name }) => [id, name]));
  const observe = count.pages((id) => names.get(id) ?? "");
  const runner = createSyncRunner(
    { ...traceRecording(tracer, syncDeps(context, syncDatabase)), observe },
    accounts,
  );
  undo.push(runner.settle);

  const schedules = schedulesFor({
    syncIntervalMs: config.sync.intervalMs,
    sampleIntervalMs: config.sync.quoteSharePercent > 0 ? sampleIntervalMs : null,
    lakeIntervalMs: config.lake.scheduled ? config.lake.intervalMs : null,
  });
  const clockwork = await startClockwork(parts.engine, parts.queues, {
    log,
    tracer,
    now,
    workerName: workerName(),
    schedules,
    watchdogIntervalMs,
    recordHeartbeat: async (heartbeat) => {
      await recordHeartbeat(database, heartbeat);
      if (heartbeat.job === "heartbeat") await forgetSilentWorkers(database);
    },
    keepAuditHead: () => keepAuditHead(database),
    runAlerts: () =>
      runAlerts({ database, mailer: openMailer(config), pageUrl: pageUrlOf(config), now, log }),
    sync: {
      ...runner,
      sampleQuotes: (stopping) =>
        runner.sampleQuotes({ share: config.sync.quoteSharePercent / 100, now, stopping }),
    },
    exports: parts.exports.jobs,
    reconcile: lapsingAfter(createReconcileRunner({ database, log, now }, accounts), async (accountId) => {
      const lapsed = await lapseChanged(database, { accountIds: [accountId] }, formatInstant(now()));
      for (const { account, month } of lapsed) log.info({ event: "period_lapsed", account, month });
    }),
    data: {
      backUpWhenDue: async (stopping) => void (await backUpWhenDue(context, parts.store, stopping)),
      applyRetention: (stopping) => applyRetention(database, config.retention, stopping),
      writeLake: (stopping) => keepConfiguredLake(context, database, stopping),
    },
    measureClockOffsetMs: () => clockOffsetMs(database, now),
    clockOffsetMaxMs,
  });
  undo.push(clockwork.stop);
  const wake = () => enqueueTo(parts.queues)("plan", {});
  undo.push(watchSecrets(context, { database: syncDatabase, opened, wake }).stop);
  say(`Workers: started, ${schedules.length} schedules, reading every ${config.sync.intervalMs / 1_000} s`);
  const showMore = async (stopping: AbortSignal): Promise<void> => {
    if (sandbox === null) return;
    for (const account of accounts) {
      await importDemoStatements({ context, database, sandbox, stopping }, account);
      await importDemoReceipts({ context, database, sandbox, stopping }, account);
      await closeDemoMonths({ context, database, stopping }, account);
    }
  };
  const { isTroubled, stop } = tellTroubles(context, database, accounts);
  undo.push(stop, showSync(context, database, accounts, { isTroubled, showMore }).stop);
}

function openMailer({ mail: { smtpUrl, from } }: Config): Mailer | null {
  return smtpUrl === null || from === null ? null : createMailer({ smtpUrl, from });
}

/** For links in e-mails; the workers may run without a server. */
function pageUrlOf({ publicUrl, host, port }: Config): string {
  return publicUrl ?? urlOf(host, port);
}

/** A month that was prepared is looked at whenever the books may have changed beneath it. */
function lapsingAfter<Runner extends { run(accountId: number, stopping: AbortSignal): Promise<void> }>(
  runner: Runner,
  lapse: (accountId: number) => Promise<void>,
): Runner {
  return {
    ...runner,
    run: async (accountId: number, stopping: AbortSignal) => {
      await runner.run(accountId, stopping);
      await lapse(accountId);
    },
  };
}
