import { closeQueues, openQueues } from "../../jobs/clockwork.ts";
import { postgresEngine, redisEngine, refuseUnsafeRedis } from "../../jobs/connection.ts";
import { checkReadiness, type ReadinessCheck } from "../api/health/readiness.ts";
import { applicationName } from "../store/application-name.ts";
import { checkNotify, checkNotifyQueue } from "../store/health/checks.ts";
import { connectionsProbe } from "./connections-check.ts";
import type { CommandContext } from "./context.ts";
import { filesProbe } from "./files-check.ts";
import { openReplica, replicaCheck } from "./open-replica.ts";
import { openStore } from "./open-store.ts";
import { answer } from "./write-out.ts";
import { readinessChecks } from "./readiness-checks.ts";

/**
 * Looks at everything that has to be right, and says of each thing that is not what to do. A dead database or Redis is one
 * finding among the others: otherwise the next one would show only once it is mended.
 */
export async function doctor(context: CommandContext, options: { json: boolean }): Promise<boolean> {
  const { redisUrl } = context.config;
  const machine = { node: process.versions.node, platform: `${process.platform}-${process.arch}` };
  const checks: ReadinessCheck[] = [{ name: "machine", critical: true, run: async () => machine }];
  const dead: unknown[] = [];
  const undo: (() => Promise<void>)[] = [];
  const refusedBy = (name: string) => (error: unknown) => {
    dead.push(error);
    const run = async () => {
      throw error;
    };
    checks.push({ name, critical: true, run });
    return null;
  };
  try {
    const opened = openStore({ ...context, say: () => undefined }, { migrate: false, queue: true });
    const store = await opened.catch(refusedBy("database"));
    if (store) undo.push(store.close);
    const redis =
      redisUrl && (await refuseUnsafeRedis(redisUrl).then(() => redisEngine(redisUrl), refusedBy("queue")));
    if (store) {
      const engine = redisUrl ? redis : postgresEngine(store.url, applicationName("queue"));
      const queues = engine && openQueues(engine, context.log);
      if (queues) undo.push(() => closeQueues(queues));
      const replica = openReplica(context, store);
      if (replica) undo.push(replica.close);
      checks.push(...readinessChecks(context, store, queues).map(asDeployed), ...replicaCheck(replica));
    }
    checks.push(connectionsProbe(context), filesProbe(context));
    if (store)
      checks.push(
        // Everything works until it is full; then no write that tells others can be committed.
        { name: "notify_queue", critical: false, run: () => checkNotifyQueue(store.database) },
        { name: "notifications", critical: redisUrl === null, run: () => checkNotify(store.database) },
      );
    const report = await checkReadiness(checks, context.now);
    answer(options, report, asLines(report));
    // Also the last line, as for every other command.
    if (dead.length > 0) throw dead[0];
    return report.status === "ready";
  } finally {
    for (const stop of undo.toReversed()) await stop();
  }
}

/** A service that is up may go on showing what it has; one that is about to start should be able to write. */
function asDeployed(check: ReadinessCheck): ReadinessCheck {
  return check.name === "writes" ? { ...check, critical: true } : check;
}

function asLines(report: Awaited<ReturnType<typeof checkReadiness>>): string {
  return Object.entries(report.checks)
    .map(([name, { state, critical, reason, details = {} }]) => {
      const mark = state === "ok" ? "ok     " : critical ? "FAILING" : "warning";
      const said = reason ? [reason] : Object.entries(details).map(([key, value]) => `${key} ${value}`);
      return `${mark}  ${name.padEnd(14)}${said.join(", ")}`.trimEnd();
    })
    .join("\n");
}
