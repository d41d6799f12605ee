import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { RunningSandbox } from "../../../src/sandbox/server.ts";
import { checkGroups } from "../../../src/upstream/conformance/groups.ts";
import { runConformance } from "../../../src/upstream/conformance/run.ts";
import { catalogueFaults } from "./catalogue-faults.ts";
import { earlierFaults } from "./earlier-faults.ts";
import { credentials, nowMs, startGoodServer } from "./good-server.ts";
import { providerFaults } from "./provider-faults.ts";
import { recordFaults } from "./record-faults.ts";
import { tradeFaults } from "./trade-faults.ts";
import { transactionFaults } from "./transaction-faults.ts";
import { type Fault, type Memory, startWrongServer } from "./wrong-server.ts";

const faults = [
  ...catalogueFaults,
  ...providerFaults,
  ...tradeFaults,
  ...transactionFaults,
  ...recordFaults,
  ...earlierFaults,
];
const memory: Memory = new Map();
let sandbox: RunningSandbox;

beforeAll(async () => {
  sandbox = await startGoodServer();
});

afterAll(() => sandbox.close());

describe("a wrong server is found out", { timeout: 30_000 }, () => {
  test("in at least 30 ways", () => {
    expect(faults.length).toBeGreaterThanOrEqual(30);
    expect(new Set(faults.map((fault) => fault.name)).size).toBe(faults.length);
  });

  test("and every check has been seen to fail", () => {
    const seen = new Set(faults.flatMap((fault) => fault.reports));
    const checks = checkGroups.flatMap((group) => group.checks.map((check) => check.id));
    expect(checks.filter((id) => !seen.has(id))).toEqual([]);
  });

  test.each(faults.map((fault) => [fault.name, fault] as const))("when %s", async (_name, fault) => {
    expect((await differencesOf(fault)).toSorted()).toEqual(fault.reports.toSorted());
  });
});

async function differencesOf(fault: Fault): Promise<string[]> {
  const server = await startWrongServer({ origin: sandbox.url, memory }, fault);
  try {
    const report = await runConformance({
      baseUrl: server.origin,
      legacyBaseUrl: `${server.origin}/legacy`,
      ...credentials,
      allowWrites: true,
      only: fault.only,
      now: () => nowMs,
    });
    return report.results.filter(({ outcome }) => outcome.verdict === "differ").map(({ id }) => id);
  } finally {
    await server.close();
  }
}
