import { expect, test } from "vitest";
import { createMetrics, type MetricSources } from "../src/metrics.ts";

const sources: MetricSources = {
  version: "0.0.0",
  countJobs: async () => [],
  heartbeatAgeSeconds: async () => 3,
  clockOffsetMs: async () => 0,
  accountFigures: async () => [],
  countRunningExports: async () => 0,
  lastSuccesses: async () => [],
  notifyFigures: async () => ({
    pending: 3,
    oldestSeconds: 5,
    disabled: 1,
    alerts: [{ kind: "data_old", open: 2 }],
  }),
  reconcileFigures: async () => ({
    providers: [
      { provider: "moonpay", completed: 200, matched: 150 },
      { provider: "idle", completed: 0, matched: 0 },
    ],
    open: [{ provider: "moonpay", code: "hash_mismatch", discrepancies: 7 }],
  }),
};

test("shows the matched share by provider, and open discrepancies by provider and code", async () => {
  const { body } = await createMetrics(sources).render();
  expect(body).toContain('tieout_match_ratio{provider="moonpay"} 0.75');
  expect(body).toContain('tieout_match_ratio{provider="idle"} 0');
  expect(body).toContain('tieout_discrepancies_open{provider="moonpay",code="hash_mismatch"} 7');
});

test("leaves out what cannot be had, and shows the rest", async () => {
  const broken = { ...sources, reconcileFigures: () => Promise.reject(new Error("no database")) };
  const { body } = await createMetrics(broken).render();
  expect(body).not.toContain("tieout_match_ratio{");
  expect(body).toContain("tieout_heartbeat_age_seconds 3");
});
