import { closeQueues, openQueues } from "../../jobs/clockwork.ts";
import { postgresEngine, redisEngine, refuseUnsafeRedis } from "../../jobs/connection.ts";
import { checkReadiness, type ReadinessCheck } from "../api/health/readiness.ts";
import { applicationName } from "../store/application-name.ts";
import { checkNotify, checkNotifyQueue } from "../store/health/checks.ts";
import { connectionsProbe } from "./connections-check.ts";
import type { CommandContext } from "./context.ts";
import { filesProbe } from "./files-check.ts";
import { openStore } from "./open-store.ts";
import { answer } from "./write-out.ts";
import { readinessChecks } from "./readiness-checks.ts";

/** Looks at everything that has to be right, and says of each thing that is not what to do. */
export async function doctor(context: CommandContext, options: { json: boolean }): Promise<boolean> {
  const { redisUrl } = context.config;
  // The configuration was read before we came here, so it is right; a refused database ends the command by itself.
  if (redisUrl) await refuseUnsafeRedis(redisUrl);
  const store = await openStore({ ...context, say: () => undefined }, { migrate: false, queue: true });
  const engine = redisUrl ? redisEngine(redisUrl) : postgresEngine(store.url, applicationName("queue"));
  const queues = openQueues(engine, context.log);
  try {
    const checks: ReadinessCheck[] = [
      {
        name: "machine",
        critical: true,
        run: async () => ({ node: process.versions.node, platform: platformName() }),
      },
      ...readinessChecks(context, store, queues),
      connectionsProbe(context),
      filesProbe(context),
      // Everything works until it is full; then no write that tells others can be committed.
      { name: "notify_queue", critical: false, run: () => checkNotifyQueue(store.database) },
      { name: "notifications", critical: engine.kind === "postgres", run: () => checkNotify(store.database) },
    ];
    const report = await checkReadiness(checks, context.now);
    answer(options, report, asLines(report));
    return report.status === "ready";
  } finally {
    await closeQueues(queues);
    await store.close();
  }
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

function platformName(): string {
  return `${process.platform}-${process.arch}`;
}
