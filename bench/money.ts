/**
 * What a provider owes and the journal made of it, over 100,000 statement lines of 100,000 transactions; and the check that
 * a close asks, which wants the sums without the rows.
 */
import { parseArgs } from "node:util";
import { reconcileAccount } from "../src/reconcile/reconcile.ts";
import { findReport } from "../src/report/catalogue.ts";
import { openReport } from "../src/report/open-report.ts";
import { type GivenParameters, parseRequest } from "../src/report/parameters.ts";
import { readReport } from "../src/report/read-report.ts";
import type { Database } from "../src/store/database.ts";
import { withSnapshot } from "../src/store/exports/copy-report.ts";
import { readJournalBalance } from "../src/store/books/journal-balance.ts";
import { makeBooks } from "./reconcile-books.ts";
import { openBenchDatabase } from "./support/bench-database.ts";

const { values } = parseArgs({ options: { lines: { type: "string", default: "100000" } } });
const options = { statementTimeoutMs: 600_000 };
const period = { from: "2026-01-01", to: "2026-07-01" };

const bench = await openBenchDatabase(4);
try {
  await measureAll(bench.database);
} finally {
  await bench.remove();
}

async function measureAll(database: Database): Promise<void> {
  // Nine in ten are completed, and one in two hundred of those has no line.
  const transactions = Math.ceil(Number(values.lines) / 0.895);
  const accountId = await makeBooks(database, { transactions, lines: transactions });
  await reconcileAccount(database, accountId);
  for (const table of ["matches", "findings", "payouts", "discrepancies"])
    await database.query(`vacuum (analyze) tieout.${table}`);
  const knownAt = new Date(Date.now() - 1_000).toISOString();
  const asked = { from: [period.from], to: [period.to] };
  const closed = { prior_known_at: [knownAt], from: ["2026-05-01"], to: [period.to] };
  print(`node ${process.version}, ${process.platform}-${process.arch}; ${transactions} transactions\n`);
  print("what                                   rows        s");
  await measure("receivable", 1, () => readAll(database, "receivable", asked));
  await measure("receivable, with prior_period", 1, () => readAll(database, "receivable", closed));
  await measure("journal", null, () => readAll(database, "journal", asked));
  await measure("journal, as hledger text", null, () =>
    readAll(database, "journal", { ...asked, layout: ["hledger"] }),
  );
  await measure("journal, whether it balances", 1, async () => {
    const sums = await readJournalBalance(database, { accountIds: [accountId], ...period, knownAt: null });
    if (!sums.every(({ balanced, tied }) => balanced && tied))
      throw new Error("the journal does not balance");
    return sums.length;
  });
}

async function readAll(database: Database, name: string, given: GivenParameters): Promise<number> {
  const report = findReport(name);
  if (report === null) throw new Error(`there is no report ${name}`);
  return withSnapshot(database, options, async (snapshot) => {
    const request = parseRequest(report, "csv", given);
    const opened = await openReport(snapshot, request, { accountIds: null, wallets: true });
    const { totals, body } = await readReport(snapshot, opened, { sums: true, rowsMax: null });
    for await (const _ of body);
    return totals.rows;
  });
}

async function measure(what: string, aim: number | null, work: () => Promise<number>): Promise<void> {
  let seconds = Infinity;
  let rows = 0;
  for (let n = 0; n < 3; n++) {
    const begun = performance.now();
    rows = await work();
    seconds = Math.min(seconds, (performance.now() - begun) / 1_000);
  }
  const missed = aim !== null && seconds > aim ? `  missed: ${aim} s` : "";
  print(`${what.padEnd(34)} ${String(rows).padStart(8)} ${seconds.toFixed(3).padStart(8)}${missed}`);
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}
