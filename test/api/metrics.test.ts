import { beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { countSync } from "../../src/commands/count-sync.ts";
import { HOUR } from "../../src/core/duration.ts";
import { formatInstant } from "../../src/core/instant.ts";
import { createMetrics } from "../../src/metrics.ts";
import { noTraces } from "../../src/trace.ts";
import { clockOffsetMs } from "../../src/store/health/checks.ts";
import { countRunningExports } from "../../src/store/exports/exports.ts";
import { heartbeatAgeSeconds, lastSuccesses, recordHeartbeat } from "../../src/store/health/heartbeats.ts";
import { readAccountFigures } from "../../src/store/health/service-figures.ts";
import { insertWindows } from "../../src/store/windows/sync-windows.ts";
import { readReconcileFigures } from "../../src/store/books/figures.ts";
import { workAccount } from "../../src/sync/work-account.ts";
import { startHttpServer } from "../support/http-server.ts";
import { aRecord } from "../support/model-aggregator.ts";
import { never, syncDeps } from "../support/sync-deps.ts";
import { readNotifyFigures } from "../../src/store/notify/figures.ts";
import { useTestDatabase } from "../support/test-database.ts";
import { addAccount, openFrozenSandbox, passTime, syncToEnd } from "../support/use-sync.ts";
import { aKey, useApi } from "./an-api.ts";

const database = useTestDatabase();
const metrics = createMetrics({
  version: "1.2.3",
  countJobs: async () => [{ queue: "sync", state: "waiting", jobs: 3 }],
  heartbeatAgeSeconds: () => heartbeatAgeSeconds(database.db, "heartbeat"),
  clockOffsetMs: () => clockOffsetMs(database.db, Date.now),
  accountFigures: () => readAccountFigures(database.db),
  countRunningExports: () => countRunningExports(database.db),
  lastSuccesses: () => lastSuccesses(database.db),
  notifyFigures: () => readNotifyFigures(database.db),
  reconcileFigures: () => readReconcileFigures(database.db),
});
const api = useApi(database, { metrics });
const count = countSync({ metrics, now: Date.now, tracer: noTraces });
let key = "";
beforeAll(async () => {
  key = await aKey(database.db, "admin");
});

/** Figures by name and labels, as Prometheus reads them. */
async function scrape(): Promise<Map<string, number>> {
  const { text, status } = await api.get("/metrics", key);
  expect(status).toBe(200);
  const lines = text.split("\n").filter((line) => line !== "" && !line.startsWith("#"));
  return new Map(lines.map((line) => [line.replace(/ \S+$/, ""), Number(/\S+$/.exec(line)?.[0])]));
}

describe("after a real sync, /metrics says", () => {
  test("how much was read, how current it is and how the aggregator answered", async () => {
    const { sandbox } = await openFrozenSandbox({ transactions: 120 });
    const account = await addAccount(database.db, sandbox, {
      client: { onAttempt: (attempt) => count.attempts("eu")(attempt) },
    });
    const { windows } = await syncToEnd(
      { ...syncDeps(database.db), observe: count.pages(() => "eu") },
      account,
    );
    const figures = await scrape();
    const of = (name: string, labels = "") => figures.get(`${name}${labels && `{${labels}}`}`);
    expect(of("tieout_pages_recorded_total", 'account="eu"')).toBe(windows.pages);
    expect(of("tieout_status_rows_total", 'account="eu",result="new"')).toBe(windows.added);
    expect(of("tieout_status_rows_total", 'account="eu",result="seen"')).toBe(windows.read - windows.added);
    expect(of("tieout_status_rows_total", 'account="eu",result="quarantined"')).toBe(0);
    const named = `account="${account.name}"`;
    expect(of("tieout_sync_lag_seconds", named)).toBeLessThan(60);
    for (const state of ["planned", "walking", "failed"])
      expect(of("tieout_sync_windows", `${named},state="${state}"`)).toBe(0);
    expect(of("tieout_upstream_clock_offset_seconds", named)).toBe(0);
    // At least one request more than pages: the first one, which asks for the clock.
    const answers = 'endpoint="GET /transactions",status="200"';
    expect(of("tieout_upstream_request_duration_seconds_count", answers)).toBeGreaterThan(windows.pages);
    expect(of("tieout_exports_running")).toBe(0);
    expect(Math.abs(of("tieout_clock_offset_seconds") ?? 9)).toBeLessThan(2);
    expect(of("tieout_queue_jobs", 'queue="sync",state="waiting"')).toBe(3);
    expect(of("tieout_build_info", `version="1.2.3",node="${process.versions.node}"`)).toBe(1);
  });

  test("how late records came, and which words nobody has heard of", async () => {
    const at = (ageMs: number) => formatInstant(Date.now() - ageMs);
    const transactions = [
      aRecord({ transactionId: "on time", statusDate: at(20_000) }),
      aRecord({ transactionId: "late", statusDate: at(2 * HOUR), status: "Dancing" }),
      aRecord({ transactionId: "odd", statusDate: at(2 * HOUR), transactionType: "swap" }),
      { transactionId: "no status" },
    ];
    const answers = [{ body: { transactions } }, { status: 429 }, { body: { transactions: [] } }];
    const server = await startHttpServer(answers);
    onTestFinished(() => server.close());
    const account = await addAccount(database.db, server, {
      client: { onAttempt: (attempt) => count.attempts("us")(attempt) },
    });
    const nowMs = Date.now();
    const before = await scrape();
    const live = { kind: "live" as const, fromMs: nowMs - 3 * HOUR, toMs: nowMs };
    const older = { kind: "backfill" as const, fromMs: nowMs - 4 * HOUR, toMs: nowMs - 3 * HOUR };
    await insertWindows(database.db, account.id, [live, older]);
    const deps = { ...syncDeps(database.db, { random: () => 1 }), observe: count.pages(() => "us") };
    await workAccount(deps, account, never);
    await passTime(database.db, account.id);
    const figures = await scrape();
    const grown = (name: string) => (figures.get(name) ?? 0) - (before.get(name) ?? 0);
    expect(grown("tieout_record_lateness_seconds_count")).toBe(3);
    expect(grown('tieout_record_lateness_seconds_bucket{le="30"}')).toBe(1);
    expect(grown('tieout_record_lateness_seconds_bucket{le="21600"}')).toBe(3);
    expect(grown('tieout_unknown_values_total{field="status"}')).toBe(1);
    expect(grown('tieout_unknown_values_total{field="transaction_type"}')).toBe(1);
    expect(figures.get('tieout_status_rows_total{account="us",result="quarantined"}')).toBe(1);
    expect(figures.get('tieout_upstream_rate_limited_total{account="us"}')).toBe(1);
  });

  test("when each job last succeeded, and how long requests took, by route and never by address", async () => {
    const begunSeconds = Date.now() / 1_000 - 1;
    await recordHeartbeat(database.db, { job: "plan", worker: "a:1", workerAtMs: Date.now() });
    await api.get("/v1/transactions/one-of-many", key);
    const figures = await scrape();
    expect(figures.get('tieout_last_success_timestamp_seconds{job="plan"}')).toBeGreaterThan(begunSeconds);
    expect([...figures.keys()].filter((name) => name.includes("aggregator-clock"))).toEqual([]);
    const route = 'method="GET",route="/v1/transactions/:id",status="404"';
    const routes = [...figures.keys()].filter((name) =>
      name.startsWith("tieout_http_request_duration_seconds_count"),
    );
    expect(routes.join("\n")).toContain(route);
    expect([...figures.keys()].join("\n")).not.toContain("one-of-many");
  });
});

test("a figure that cannot be had is left out, and the others are there", async () => {
  const away = () => Promise.reject(new Error("the database is away"));
  const broken = createMetrics({
    version: "1.2.3",
    countJobs: away,
    heartbeatAgeSeconds: away,
    clockOffsetMs: away,
    accountFigures: away,
    countRunningExports: away,
    lastSuccesses: away,
    notifyFigures: away,
    reconcileFigures: away,
  });
  broken.countRateLimited("eu");
  const { body } = await broken.render();
  const values = body.split("\n").filter((line) => line !== "" && !line.startsWith("#"));
  expect(values.filter((line) => !line.includes("lateness"))).toEqual([
    expect.stringContaining("tieout_build_info"),
    'tieout_upstream_rate_limited_total{account="eu"} 1',
  ]);
});
