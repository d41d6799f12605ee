import { readFile } from "node:fs/promises";
import { secret } from "../../src/core/secret.ts";
import { findReport } from "../../src/report/catalogue.ts";
import { openReport } from "../../src/report/open-report.ts";
import { parseRequest } from "../../src/report/parameters.ts";
import { reportFormats } from "../../src/report/report.ts";
import { writeReport } from "../../src/report/write-report.ts";
import { openDatabase } from "../../src/store/database.ts";
import { withSnapshot } from "../../src/store/exports/copy-report.ts";
import { writeWholeFile } from "../../src/store/files/whole-file.ts";

/** Writes all transactions to a file in one format, and says how long it took, how much work it was, and how much memory it held at most. */
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
  void withSnapshot(database, { statementTimeoutMs: 0 }, async (snapshot) => {
    const before = await cpuSeconds(snapshot.backendPid);
    const opened = await openReport(snapshot, parseRequest(report, format, {}), {
      accountIds: null,
      wallets: true,
    });
    await writeReport(snapshot, opened, {
      write: (body) => writeWholeFile(path, body),
      onCounted: async () => undefined,
    });
    const seconds = (performance.now() - begun) / 1_000;
    process.send?.({
      seconds,
      cpuSeconds: (await cpuSeconds(snapshot.backendPid)) - before,
      memoryBytes: process.resourceUsage().maxRSS * 1_024,
    });
  });
});
process.send?.("ready");

/** Of this process with all its threads, and of a Postgres session where the system tells (its clock ticks 100 times a second). */
async function cpuSeconds(backendPid: number): Promise<number> {
  const { user, system } = process.cpuUsage();
  const stat = await readFile(`/proc/${backendPid}/stat`, "utf8").catch(() => null);
  // What stands before the last bracket is the name of the program, which may hold anything.
  const fields = stat?.slice(stat.lastIndexOf(")") + 2).split(" ") ?? [];
  return (user + system) / 1_000_000 + (Number(fields[11] ?? 0) + Number(fields[12] ?? 0)) / 100;
}
