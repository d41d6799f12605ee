import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { checkGroups } from "../../src/conformance/groups.ts";
import { type ConformanceReport, runConformance } from "../../src/conformance/run.ts";
import type { RunningSandbox } from "../../src/sandbox/server.ts";
import { catalogueFaults } from "./catalogue-faults.ts";
import { earlierFaults } from "./earlier-faults.ts";
import { credentials, nowMs, otherCredentials, startGoodServer } from "./good-server.ts";
import { accountLies } from "./lies-about-accounts.ts";
import { gatewayLies } from "./lies-about-gateways.ts";
import { recordLies } from "./lies-about-records.ts";
import { catalogueLies } from "./lies-about-the-catalogue.ts";
import { tradeLies } from "./lies-about-trades.ts";
import { providerFaults } from "./provider-faults.ts";
import { recordFaults } from "./record-faults.ts";
import { tradeFaults } from "./trade-faults.ts";
import { transactionFaults } from "./transaction-faults.ts";
import { type Fault, type Memory, startWrongServer } from "./wrong-server.ts";

/** Answers of another shape than the specification's. */
const faults = [
  ...catalogueFaults,
  ...providerFaults,
  ...tradeFaults,
  ...transactionFaults,
  ...recordFaults,
  ...earlierFaults,
];
/** Answers of the right shape that are not so. */
const lies = [...catalogueLies, ...tradeLies, ...recordLies, ...accountLies, ...gatewayLies];
const all = [...faults, ...lies];

const memory: Memory = new Map();
let sandbox: RunningSandbox;
beforeAll(async () => {
  sandbox = await startGoodServer();
});
afterAll(() => sandbox.close());

describe("a liar is found out", () => {
  test("in at least 60 lies, each told once", () => {
    expect(lies.length).toBeGreaterThanOrEqual(60);
    expect(new Set(all.map((fault) => fault.name)).size).toBe(all.length);
  });

  test("and every check has been seen to fail", () => {
    const seen = new Set(all.flatMap((fault) => fault.reports));
    const checks = checkGroups.flatMap((group) => group.checks.map((check) => check.id));
    expect(checks.filter((id) => !seen.has(id))).toEqual([]);
    expect([...seen].filter((id) => !checks.includes(id))).toEqual([]);
  });

  test("while the same proxy passes when it tells the truth", async () => {
    const truth: Fault = { name: "truth", reports: checkGroups.map(({ name }) => name), at: /./ };
    const report = await runAgainst(truth);
    expect(differing(report)).toEqual([]);
    expect(report.results.filter(({ outcome }) => outcome.verdict === "not-applicable")).toEqual([]);
  });

  test.each(all.map((fault) => [fault.name, fault] as const))("when %s", async (_name, fault) => {
    expect(differing(await runAgainst(fault)).toSorted()).toEqual(fault.reports.toSorted());
  });
});

function differing({ results }: ConformanceReport): string[] {
  return results.filter(({ outcome }) => outcome.verdict === "differ").map(({ id }) => id);
}

async function runAgainst(fault: Fault): Promise<ConformanceReport> {
  const server = await startWrongServer({ origin: sandbox.url, memory }, fault);
  try {
    return await runConformance({
      baseUrl: server.origin,
      legacyBaseUrl: `${server.origin}/legacy`,
      ...credentials,
      other: otherCredentials,
      allowWrites: true,
      only: fault.reports,
      now: () => nowMs,
    });
  } finally {
    await server.close();
  }
}
