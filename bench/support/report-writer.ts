import { secret } from "../../src/core/secret.ts";
import { findReport } from "../../src/report/catalogue.ts";
import { openReport } from "../../src/report/open-report.ts";
import { parseRequest } from "../../src/report/parameters.ts";
import { reportFormats } from "../../src/report/report.ts";
import { writeReport } from "../../src/report/write-report.ts";
import { openDatabase } from "../../src/store/database.ts";
import { withSnapshot } from "../../src/store/exports/copy-report.ts";

/** Writes all transactions to a file in one format, and says how long it took and how much memory it held at most. */
const [, , url = "", wanted = "", path = ""] = process.argv;
const report = findReport("transactions");
const format = reportFormats.find((one) => one === wanted);
if (report === null || format === undefined) throw new Error(`no such format: ${wanted}`);
const database = openDatabase(secret(url), {
  part: "bench-writer",
  connectionsMax: 2,
  statementTimeoutMs: 0,
  onError: () => undefined,
});
process.once("message", () => {
  const begun = performance.now();
  const { signal } = new AbortController();
  void withSnapshot(database, { statementTimeoutMs: 0 }, async (snapshot) => {
    const opened = await openReport(snapshot, parseRequest(report, format, {}), {
      accountIds: null,
      wallets: true,
    });
    await writeReport(snapshot, opened, { path, signal, onCounted: async () => undefined });
    const seconds = (performance.now() - begun) / 1_000;
    process.send?.({ seconds, memoryBytes: process.resourceUsage().maxRSS * 1_024 });
  });
});
process.send?.("ready");
