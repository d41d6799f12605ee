import type { Handler } from "./handler.ts";
import type { JobName } from "./queues.ts";

/** What each job does. A lost one loses time and nothing else: the next makes up for it. */
export const handlers: { [Name in JobName]: Handler<Name> } = {
  /** Proves, end to end, that the queue delivers and a worker works: `doctor` and `/readyz` report how long ago. */
  heartbeat: (deps) =>
    deps.recordHeartbeat({ job: "heartbeat", worker: deps.workerName, workerAtMs: deps.now() }),

  /** Plans what the clock asks for, and wakes as many walkers as have something to do. */
  plan: async (deps, _payload, enqueue) => {
    for (const { accountId, walkers } of await deps.sync.plan()) {
      for (let n = 0; n < walkers; n++) await enqueue("walk", { accountId });
    }
  },

  /** Walks windows of one account until there is none to claim; what is new is reconciled at once. */
  walk: async (deps, { accountId }, enqueue) => {
    if (await deps.sync.walk(accountId, deps.stopping)) await enqueue("reconcile", { accountId });
  },

  /** Reads once a day what the accounts may use: assets, fiats, payment types, providers. */
  catalogue: (deps) => deps.sync.refreshCatalogues(),

  /** Asks the providers, a few times an hour, what they would pay for what the accounts trade. */
  quotes: (deps) => deps.sync.sampleQuotes(deps.stopping),

  /** Plans the nightly deep re-read; its windows are walked like any others. */
  "deep-read": (deps) => deps.sync.planDeepReads(),

  /** Checks the alert rules against what is true now, and sends what is due. */
  alerts: (deps) => deps.runAlerts(),

  /**
   * Writes the newest entry of the audit log into the log of the service, so that it also lives where those who could
   * change the database cannot: `verify --audit-head` compares the two.
   */
  "audit-head": async (deps) => {
    const { head, problems } = await deps.keepAuditHead();
    if (head !== null) deps.log.info({ event: "audit_head", head });
    for (const problem of problems) deps.log.error({ event: "audit_log_cut_off", ...problem });
  },

  backup: (deps) => deps.data.backUpWhenDue(deps.stopping),

  retention: async (deps) => {
    const removed = await deps.data.applyRetention(deps.stopping);
    if (Object.values(removed).some((rows) => rows > 0))
      deps.log.info({ event: "retention_applied", ...removed });
  },

  /** Brings the lake up to date. */
  lake: (deps) => deps.data.writeLake(deps.stopping),

  /** Writes one export, and then whatever else waits. */
  export: (deps, { exportId }) => deps.exports.run(exportId, deps.stopping),

  /** Removes what has expired, and wakes a worker for exports whose own wake-up was lost. */
  "export-sweep": async (deps, _payload, enqueue) => {
    for (const exportId of await deps.exports.sweep()) await enqueue("export", { exportId });
  },

  /** Matches and judges what is new of an account. */
  reconcile: (deps, { accountId }) => deps.reconcile.run(accountId, deps.stopping),

  /** For every account: even without news, things become due with time, and a wake-up may have been lost. */
  "reconcile-sweep": async (deps, _payload, enqueue) => {
    for (const accountId of deps.reconcile.accountIds()) await enqueue("reconcile", { accountId });
  },
};
