/**
 * Every report of one month, live and as it was known a moment ago, beside a COPY of the same rows out of a plain table in
 * the same run. With `--url` it reads a database that is there already, such as that of the demo.
 */
import { parseArgs } from "node:util";
import { secret } from "../src/core/secret.ts";
import { reconcileAccount } from "../src/reconcile/reconcile.ts";
import { reports } from "../src/report/catalogue.ts";
import { openReport } from "../src/report/open-report.ts";
import { type GivenParameters, parseRequest } from "../src/report/parameters.ts";
import { readReport } from "../src/report/read-report.ts";
import type { Report } from "../src/report/report.ts";
import { reportStatement } from "../src/report/report-sql.ts";
import { type Database, openDatabase } from "../src/store/database.ts";
import { inlineValues, withSnapshot } from "../src/store/exports/copy-report.ts";
import { addLines, makeBooks } from "./reconcile-books.ts";
import { openBenchDatabase } from "./support/bench-database.ts";

const { values } = parseArgs({
  options: {
    transactions: { type: "string", default: "5000000" },
    lines: { type: "string", default: "1000000" },
    url: { type: "string" },
    from: { type: "string", default: "2026-05-01" },
    to: { type: "string", default: "2026-06-01" },
    only: { type: "string" },
  },
});
const aim = values.url === undefined ? { times: 4, seconds: 5 } : { times: Infinity, seconds: 0.3 };
const sees = { accountIds: null, wallets: true };
const options = { statementTimeoutMs: 600_000 };

if (values.url === undefined) {
  const bench = await openBenchDatabase(4);
  try {
    await fill(bench.database);
    await measureAll(bench.database);
  } finally {
    await bench.remove();
  }
} else {
  const database = openDatabase(secret(values.url), {
    part: "bench",
    connectionsMax: 4,
    statementTimeoutMs: 600_000,
    onError: () => undefined,
  });
  try {
    await measureAll(database);
  } finally {
    await database.close();
  }
}

async function fill(database: Database): Promise<void> {
  const transactions = Number(values.transactions);
  const lines = Number(values.lines);
  const accountId = await makeBooks(database, { transactions, lines: lines - 10_000 });
  await reconcileAccount(database, accountId);
  // A second file, so that not all is known since the same moment.
  const first = transactions - lines - 11_170;
  await addLines(database, accountId, { from: first, to: first + 11_169, file: 2 });
  await reconcileAccount(database, accountId);
  for (const table of ["matches", "findings", "payouts", "payout_history", "due_dates", "discrepancies"]) {
    await database.query(`vacuum (analyze) tieout.${table}`);
  }
}

async function measureAll(database: Database): Promise<void> {
  const knownAt = new Date(Date.now() - 1_000).toISOString();
  print(
    `node ${process.version}, ${process.platform}-${process.arch}; aim: ≤ ${aim.times} × COPY and ≤ ${aim.seconds} s\n`,
  );
  print("report                   moment      rows        s   × COPY of them");
  for (const report of reports) {
    if (values.only !== undefined && !values.only.split(",").includes(report.name)) continue;
    for (const past of report.moment === undefined ? [null] : [null, knownAt]) {
      const given = parametersFor(report, past);
      const { rows, seconds } = await best(3, () => readAll(database, report, given));
      const copied = await best(3, await copyOf(database, report, given));
      const times = seconds / copied.seconds;
      const missed = seconds > aim.seconds || (times > aim.times && seconds > 0.1) ? "  missed" : "";
      print(
        [
          report.name.padEnd(24),
          past === null ? "live" : "past",
          String(rows).padStart(11),
          seconds.toFixed(3).padStart(8),
          `${times.toFixed(1).padStart(7)}${missed}`,
        ].join(" "),
      );
    }
  }
}

function parametersFor({ period, moment }: Report, knownAt: string | null): GivenParameters {
  return {
    partial: ["true"],
    ...(period === null ? {} : { from: [values.from], to: [values.to] }),
    ...(knownAt === null ? {} : { known_at: [knownAt] }),
    ...(knownAt === null || moment === "period_end" ? {} : { as_at: [values.to] }),
  };
}

async function readAll(database: Database, report: Report, given: GivenParameters): Promise<number> {
  return withSnapshot(database, options, async (snapshot) => {
    const opened = await openReport(snapshot, parseRequest(report, "csv", given), sees);
    const { totals, body } = await readReport(snapshot, opened, { sums: false, rowsMax: null });
    for await (const _ of body);
    return totals.rows;
  });
}

/** The same rows in a table of their own, for a COPY that has nothing to work out. */
async function copyOf(
  database: Database,
  report: Report,
  given: GivenParameters,
): Promise<() => Promise<number>> {
  const statement = await withSnapshot(database, options, async (snapshot) =>
    reportStatement(await openReport(snapshot, parseRequest(report, "csv", given), sees), {
      sums: false,
      rowsMax: null,
    }),
  );
  await database.query("drop table if exists public.copied");
  await database.query(`create unlogged table public.copied as ${inlineValues(statement)}`);
  return () =>
    withSnapshot(database, options, async (snapshot) => {
      for await (const _ of snapshot.copy({ text: "select * from public.copied", values: [] }, "csv"));
      return 0;
    });
}

async function best(tries: number, work: () => Promise<number>): Promise<{ rows: number; seconds: number }> {
  let seconds = Infinity;
  let rows = 0;
  for (let n = 0; n < tries; n++) {
    const begun = performance.now();
    rows = await work();
    seconds = Math.min(seconds, (performance.now() - begun) / 1_000);
  }
  return { rows, seconds };
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}
