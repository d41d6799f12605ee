/**
 * Closing a month of 100,000 transactions and as many statement lines, with a history before it: how long the checklist, the
 * receivable and the pack take, and how long it takes to find out that nothing has changed since.
 */
import { generateKeyPairSync } from "node:crypto";
import { copyFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { findPeriod } from "../src/close/period.ts";
import { checkPeriod, preparePeriod } from "../src/close/prepare.ts";
import { readRows } from "../src/close/report-rows.ts";
import { approvePeriod } from "../src/close/sign.ts";
import { withPack } from "../src/close/sign-off.ts";
import { verifyPack } from "../src/close/verify-pack.ts";
import { reconcileAccount } from "../src/reconcile/reconcile.ts";
import { withSnapshot } from "../src/store/exports/copy-report.ts";
import { listChanges } from "../src/store/periods/period-reads.ts";
import { makeBooks } from "./reconcile-books.ts";
import { openBenchDatabase } from "./support/bench-database.ts";

const { values } = parseArgs({
  options: { transactions: { type: "string", default: "100000" } },
});
/** `makeBooks` spreads transactions over 151 days, the last 31 of which are the month. */
const ofMonth = Number(values.transactions);
const month = "2026-05";
const aims = { checklist: 1, receivable: 1, changes: 1, prepare: 30, pack: 30 };

const bench = await openBenchDatabase(8);
try {
  const { database } = bench;
  const total = Math.round((ofMonth * 151) / 31);
  const accountId = await makeBooks(database, { transactions: total, lines: ofMonth });
  await reconcileAccount(database, accountId);
  await database.query(
    `insert into tieout.sync_windows (account_id, kind, range_from, range_to, state, started_at, sealed_at, ended_by)
     values ($1, 'deep', '2026-05-01', '2026-06-01', 'sealed', clock_timestamp(), clock_timestamp(), 'absent')`,
    [accountId],
  );
  await database.query("update tieout.accounts set sync_start = '2026-05-01' where id = $1", [accountId]);
  await database.query("vacuum analyze");
  const reader = { database, accountIds: null };
  const find = () => findPeriod(reader, { account: null, month });
  const period = await find();
  print(
    `node ${process.version}, ${process.platform}-${process.arch}; ${ofMonth} transactions and lines in the month, ${total} in all\n`,
  );

  const checklist = await measured("checklist", 5, () => checkPeriod(database, period));
  for (const { line, state, says } of checklist.lines) print(`  ${state.padEnd(6)} ${line}: ${says}`);
  await measured("receivable", 5, () =>
    withSnapshot(database, { statementTimeoutMs: 60_000 }, (snapshot) =>
      readRows(snapshot, "receivable", { ...period, knownAt: snapshot.knownAt }),
    ),
  );
  const accepted = checklist.lines.map(({ line }) => ({ line, reason: "a benchmark" }));
  await measured("prepare", 1, () =>
    preparePeriod(database, period, accepted, { actor: "person:1", name: "Alice" }),
  );
  await measured("changes", 5, async () => {
    const { row } = await find();
    return listChanges(database, { accountId, to: period.to, knownAt: row?.knownAt ?? "" });
  });
  await approvePeriod(database, await find(), { actor: "person:2", name: "Bob" });
  const key = generateKeyPairSync("ed25519").privateKey;
  const path = join(bench.folder, "pack.zip");
  await measured("pack", 2, async () =>
    withPack(database, key, await find(), (pack) => copyFile(pack.path, path)),
  );
  const { size } = await stat(path);
  print(`  ${(size / 1024 / 1024).toFixed(1)} MB`);
  await measured("verify", 1, () => verifyPack(path, null));
} finally {
  await bench.remove();
}

async function measured<T>(name: string, times: number, work: () => Promise<T>): Promise<T> {
  let bestMs = Infinity;
  let result: T | undefined;
  for (let round = 0; round < times; round++) {
    const begun = performance.now();
    result = await work();
    bestMs = Math.min(bestMs, performance.now() - begun);
  }
  const aim = aims[name as keyof typeof aims];
  const judged = aim === undefined ? "" : `  (aim ≤ ${aim} s${bestMs > aim * 1_000 ? ", missed" : ""})`;
  print(`${name.padEnd(12)} ${(bestMs / 1_000).toFixed(3).padStart(8)} s${judged}`);
  return result as T;
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
