import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { createMetrics } from "../src/metrics.ts";

interface Rules {
  groups: { rules: { alert: string; expr: string; annotations: Record<string, string> }[] }[];
}

interface Board {
  panels: { title: string; targets: { expr: string; legendFormat: string }[] }[];
}

/** Every series that `/metrics` can show, with its labels: each figure is given one value of every kind. */
async function servedSeries(): Promise<Map<string, Set<string>>> {
  const metrics = createMetrics({
    version: "1",
    countJobs: async () => [{ queue: "clock", state: "waiting", jobs: 1 }],
    heartbeatAgeSeconds: async () => 1,
    clockOffsetMs: async () => 1,
    accountFigures: async () => [
      { account: "a", lagSeconds: 1, planned: 1, walking: 1, failed: 1, clockAheadSeconds: 1 },
    ],
    countRunningExports: async () => 1,
    lastSuccesses: async () => [{ job: "plan", atSeconds: 1 }],
    reconcileFigures: async () => ({
      providers: [{ provider: "p", completed: 1, matched: 1 }],
      open: [{ provider: "p", code: "c", discrepancies: 1 }],
    }),
    notifyFigures: async () => ({
      pending: 1,
      oldestSeconds: 1,
      disabled: 1,
      alerts: [{ kind: "data_old", open: 1 }],
    }),
  });
  metrics.observeRequest({ method: "GET", route: "/", status: 200 }, 1);
  metrics.observeUpstream({ endpoint: "e", status: "200" }, 1);
  metrics.countRateLimited("a");
  metrics.observeWebhook({ result: "delivered", seconds: 1 });
  metrics.countPage({
    account: "a",
    added: 1,
    seen: 1,
    quarantined: 1,
    latenessSeconds: [1],
    unknownFields: ["status"],
  });
  const { body } = await metrics.render();
  const series = new Map<string, Set<string>>();
  for (const [, name = "", labels = ""] of body.matchAll(/^(tieout_\w+)(?:\{(.*)\})? /gm)) {
    const known = series.get(name) ?? new Set<string>();
    for (const [, label = ""] of labels.matchAll(/(\w+)="/g)) known.add(label);
    series.set(name, known);
  }
  return series;
}

/** Names and labels that an expression uses, as far as they are not there. */
function missingIn(series: ReadonlyMap<string, ReadonlySet<string>>, expression: string, legend = "") {
  const names = [...expression.matchAll(/\btieout_\w+/g)].map(([name]) => name);
  const labels = [
    ...[...expression.matchAll(/\bby \(([^)]*)\)/g)].flatMap(([, list = ""]) => list.split(/,\s*/)),
    ...[...expression.matchAll(/[{,]\s*(\w+)\s*=~?"/g)].map(([, label = ""]) => label),
    ...[...legend.matchAll(/\{\{\s*(?:\$labels\.)?(\w+)\s*\}\}/g)].map(([, label = ""]) => label),
  ];
  const known = new Set(names.flatMap((name) => [...(series.get(name) ?? [])]));
  return [
    ...(names.length === 0 ? ["no metric at all"] : []),
    ...names.filter((name) => !series.has(name)),
    ...labels.filter((label) => !known.has(label)).map((label) => `label ${label}`),
  ];
}

test("the alert rules for Prometheus use metrics and labels that exist, and say what to do", async () => {
  const series = await servedSeries();
  const { groups } = parse(await readFile("ops/prometheus-rules.yml", "utf8")) as Rules;
  const rules = groups.flatMap((group) => group.rules);
  expect(rules.length).toBeGreaterThan(8);
  for (const { alert, expr, annotations } of rules) {
    const said = Object.values(annotations).join(" ");
    expect([alert, missingIn(series, expr, said)]).toEqual([alert, []]);
    expect(annotations["action"]).toMatch(/\w/);
  }
});

test("the board for Grafana uses metrics and labels that exist, and shows every metric there is", async () => {
  const series = await servedSeries();
  const { panels } = JSON.parse(await readFile("ops/grafana-dashboard.json", "utf8")) as Board;
  for (const { title, targets } of panels)
    for (const { expr, legendFormat } of targets)
      expect([title, missingIn(series, expr, legendFormat)]).toEqual([title, []]);
  const shown = JSON.stringify(panels);
  const elsewhere = [
    "tieout_pages_recorded",
    "tieout_unknown_values",
    "tieout_last_success",
    "tieout_webhook_endpoints",
  ];
  const unseen = [...series.keys()]
    .map((name) => name.replace(/_(bucket|sum|count|total)$/, ""))
    .filter((name) => !shown.includes(name) && !elsewhere.some((start) => name.startsWith(start)));
  expect(unseen).toEqual([]);
});

test("a name or label that does not exist is found", async () => {
  const series = await servedSeries();
  expect(missingIn(series, 'tieout_sync_lagg{acount="a"}')).toEqual(["tieout_sync_lagg", "label acount"]);
  expect(missingIn(series, "sum by (state) (tieout_sync_lag_seconds)")).toEqual(["label state"]);
});
