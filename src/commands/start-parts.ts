import { randomBytes, randomUUID } from "node:crypto";
import { closeQueues, countJobs, openQueues, type Queues, wakeTo } from "../../jobs/clockwork.ts";
import { postgresEngine, type QueueEngine, redisEngine, refuseUnsafeRedis } from "../../jobs/connection.ts";
import { readRolesOfGroups } from "../access/oidc.ts";
import { createApp, createHealthApp } from "../api/app.ts";
import { createHostCheck } from "../api/known-hosts.ts";
import type { Listening } from "../api/listen.ts";
import { createMemory } from "../core/remember.ts";
import { upstreamEventRoutes } from "../api/upstream-events/routes.ts";
import { webhookRoutes } from "../api/webhooks/routes.ts";
import { SECOND } from "../core/duration.ts";
import { addressWithoutSecrets } from "../core/secret.ts";
import { createMetrics, type Metrics } from "../metrics.ts";
import { endpointUrlCheck } from "../notify/endpoint-url.ts";
import { createEraser } from "../reconcile/erasure/approved-erasure.ts";
import { applicationName } from "../store/application-name.ts";
import { prepareDataFolder } from "../store/embedded/data-folder.ts";
import type { ReplicaReader } from "../store/replica.ts";
import { clockOffsetMs } from "../store/health/checks.ts";
import { isPooled } from "../store/database.ts";
import { heartbeatAgeSeconds, lastSuccesses } from "../store/health/heartbeats.ts";
import { readReconcileFigures, type ReconcileFigures } from "../store/books/figures.ts";
import { countRunningExports } from "../store/exports/exports.ts";
import { readNotifyFigures } from "../store/notify/figures.ts";
import { readAccountFigures } from "../store/health/service-figures.ts";
import type { WebDeps } from "../web/deps.ts";
import { transactionOfEvent } from "../upstream/event.ts";
import { webRoutes } from "../web/routes.tsx";
import { openAuditHeads } from "./audit-heads-file.ts";
import type { CommandContext } from "./context.ts";
import { findErasureKey, openErasureKey } from "./erasure-key.ts";
import { filesLook } from "./files-check.ts";
import { prepareKeys } from "./first-key.ts";
import { openExports, type OpenExports } from "./open-exports.ts";
import { openReplica, replicaCheck } from "./open-replica.ts";
import type { Store } from "./open-store.ts";
import { witnessAudit } from "./witness-audit.ts";
import { readinessChecks } from "./readiness-checks.ts";
import { startWebhooks } from "./start-webhooks.ts";
import { startWorkers } from "./start-workers.ts";
import { statementActions } from "./statement-actions.ts";
import { testConnection } from "./test-connection.ts";
import { openWebhookKey } from "./webhook-key.ts";

/** Which halves of the service this process runs: `up` runs both, `serve` and `work` one each. */
export interface ServiceParts {
  api: boolean;
  workers: boolean;
}

/** What has been started, so that it can be stopped in the opposite order: at the end, or when a later step fails. */
export type Undo = (() => Promise<void>)[];

/** Queue, workers and HTTP, on a database that is there. */
export async function startParts(
  context: CommandContext,
  parts: ServiceParts,
  { store, listening }: { store: Store; listening: Listening | null },
  undo: Undo,
): Promise<void> {
  const { log, now } = context;
  await prepareDataFolder(context.config.dataDir);
  // Behind a pooler nothing is heard; the workers, which are not behind it, write the heads down.
  if (!isPooled(store.url)) undo.push((await witnessAudit(context, store.database)).stop);
  const engine = await chooseQueue(context, store);

  const queues = openQueues(engine, log);
  undo.push(() => closeQueues(queues));
  // Two metrics ask, and any number of scrapers; once is enough for all of them.
  const figures = createMemory<ReconcileFigures>({ now, keepMs: 30 * SECOND });
  const metrics = createMetrics({
    version: context.version,
    countJobs: () => countJobs(queues),
    heartbeatAgeSeconds: () => heartbeatAgeSeconds(store.database, "heartbeat"),
    clockOffsetMs: () => clockOffsetMs(store.database, now),
    accountFigures: () => readAccountFigures(store.database),
    countRunningExports: () => countRunningExports(store.database),
    lastSuccesses: () => lastSuccesses(store.database),
    notifyFigures: () => readNotifyFigures(store.database),
    reconcileFigures: () => figures.get("all", () => readReconcileFigures(store.database)),
  });

  const { key } = await openAuditHeads(context.config);
  const exports = openExports(context, store, key);
  undo.push(exports.close);
  if (parts.workers) {
    await startWorkers(context, { store, engine, queues, metrics, exports }, undo);
    undo.push((await startWebhooks(context, { url: store.url, metrics })).stop);
  }
  if (listening && !parts.api) {
    serveHealth(context, listening, { store, queues, metrics });
  } else if (listening) {
    await prepareKeys(context, store.database, baseUrlOf(context, listening));
    const replica = openReplica(context, store);
    if (replica !== null) undo.push(replica.close);
    const webhookKey = await openWebhookKey(context.config);
    serveApi(context, listening, { store, replica, queues, metrics, exports, webhookKey });
  }
}

async function chooseQueue(context: CommandContext, store: Store): Promise<QueueEngine> {
  const { redisUrl } = context.config;
  if (redisUrl === null) {
    context.say("Queue: on Postgres");
    return postgresEngine(store.url, applicationName("queue"));
  }
  await refuseUnsafeRedis(redisUrl);
  context.say(`Queue: ${addressWithoutSecrets(redisUrl.reveal())}`);
  return redisEngine(redisUrl);
}

/** Where people find us: links that are handed on begin with it. */
function baseUrlOf({ config }: CommandContext, { url }: Listening): string {
  return config.publicUrl ?? url;
}

/** The company's own sign-in service, where one is configured. */
function signInService({ oidc, publicUrl }: CommandContext["config"]): Pick<WebDeps, "oidc"> {
  if (oidc === null) return {};
  const redirectUrl = `${publicUrl ?? ""}/sign-in/oidc/callback`;
  return { oidc: { ...oidc, redirectUrl, rolesOfGroups: readRolesOfGroups(oidc.rolesOfGroups) } };
}

/** What watches the workers asks them, not the API: each process has its own figures of what it read. */
function serveHealth(
  context: CommandContext,
  listening: Listening,
  parts: { store: Store; queues: Queues; metrics: Metrics },
): void {
  const app = createHealthApp({
    ...askedOfEveryProcess(context, { ...parts, isWorker: true }),
    isOurHost: createHostCheck({ listensOn: context.config.host, publicUrl: null }),
  });
  listening.serve(app.fetch);
  context.say(`Health and figures: ${listening.url}/readyz, ${listening.url}/metrics`);
}

function askedOfEveryProcess(
  context: CommandContext,
  parts: {
    isWorker: boolean;
    store: Store;
    queues: Queues;
    metrics: Metrics;
    replica?: ReplicaReader | null;
  },
) {
  const { isWorker, store, queues, metrics, replica = null } = parts;
  const { log, now, version } = context;
  return {
    now,
    newRequestId: randomUUID,
    version: { version, node: process.versions.node, schema_version: store.schemaVersion },
    readiness: [
      // A worker without its queue cannot work. The API can: what is asked of it is a row, and workers find that later.
      ...readinessChecks(context, store, queues).map((check) =>
        check.name === "queue" ? { ...check, critical: isWorker } : check,
      ),
      ...replicaCheck(replica),
      filesLook(context),
    ],
    database: store.database,
    metrics,
    log,
  };
}

function serveApi(
  context: CommandContext,
  listening: Listening,
  parts: {
    store: Store;
    replica: ReplicaReader | null;
    queues: Queues;
    metrics: Metrics;
    exports: OpenExports;
    webhookKey: string;
  },
): void {
  const { config } = context;
  const erasureKey = () => findErasureKey(config);
  const openKey = () => openErasureKey(config);
  const app = createApp({
    ...askedOfEveryProcess(context, { ...parts, isWorker: false }),
    trustedProxies: config.trustedProxies,
    isOurHost: createHostCheck({ listensOn: config.host, publicUrl: config.publicUrl }),
    erasureKey,
    openErasureKey: openKey,
    approvalHandlers: { erase: createEraser(openKey) },
    readDatabase: parts.replica ?? parts.store.database,
    wakeReconcile: (accountId) => wakeTo(parts.queues)("reconcile", { accountId }),
    baseUrl: baseUrlOf(context, listening),
    home: "/overview",
    extensions: [
      ...parts.exports.extensions(wakeTo(parts.queues)),
      webRoutes({
        randomBytes,
        reportDatabase: parts.exports.database,
        statements: statementActions(parts.store.database, erasureKey),
        testConnection: (account) => testConnection(context, account),
        ...signInService(config),
      }),
      webhookRoutes({
        signingKey: parts.webhookKey,
        randomBytes,
        checkUrl: endpointUrlCheck(config.webhooks.allowedNetworks),
      }),
      upstreamEventRoutes({
        secrets: config.webhooks.upstreamSecrets,
        transactionOf: transactionOfEvent,
        wakeSync: (accountId) => wakeTo(parts.queues)("walk", { accountId }),
      }),
    ],
  });
  listening.serve(app.fetch);
}
