import { expect, test } from "vitest";
import { runChaos } from "../support/chaos.ts";
import { tiedOut } from "../support/ledger-oracle.ts";

test("killed workers, database restarts, a wiped queue and bad answers lose nothing and double nothing", async () => {
  const report = await runChaos({
    seed: "chaos-1",
    transactions: 3_000,
    workers: 3,
    kills: 20,
    restarts: 3,
    queueWipes: 1,
    faults: "429=0.05,5xx=0.05,reset=0.04,truncated=0.04,html=0.02,duplicates=0.1",
    faultsThatStay: "malformed=0.01",
    faultSeconds: 20,
    healSecondsMax: 120,
    say: () => undefined,
  });
  const where = `seed chaos-1; the evidence is in ${report.evidence}`;
  // Windows of the present are open again every second; what matters lies before the end of the ledger.
  expect({ ...report.verdict, unfinished: [] }, where).toEqual(tiedOut);
  expect(report.mismatches, where).toBe(0);
  expect(report.evidence).toBeNull();
  expect(report.statusRows).toBeGreaterThan(9_000);
});
