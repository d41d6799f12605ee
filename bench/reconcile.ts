/**
 * A full reconcile of 1,000,000 lines against 5,000,000 transactions, beside one bare hash join of the same tables in the
 * same run; then the same again with nothing new, and one new file of 10,000 lines.
 */
import { rm } from "node:fs/promises";
import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { secret } from "../src/core/secret.ts";
import { type ProviderResult, reconcileAccount } from "../src/reconcile/reconcile.ts";
import { type Database, openDatabase } from "../src/store/database.ts";
import { startEmbeddedPostgres } from "../src/store/embedded/embedded-postgres.ts";
import { migrateDatabase } from "../src/store/migrate.ts";
import { openFolder } from "../test/support/open-folder.ts";
import { addLines, makeBooks } from "./reconcile-books.ts";

const { values } = parseArgs({
  options: {
    transactions: { type: "string", default: "5000000" },
    lines: { type: "string", default: "1000000" },
    providers: { type: "string", default: "1" },
    trace: { type: "boolean", default: false },
  },
});
const transactions = Number(values.transactions);
const lines = Number(values.lines);
const providers = Number(values.providers);

const folder = await openFolder("tieout-bench-");
const postgres = await startEmbeddedPostgres(folder, { throwAway: true });
const database = openDatabase(secret(postgres.superuserUrl), {
  part: "bench",
  connectionsMax: 4,
  statementTimeoutMs: 0,
  onError: () => undefined,
});
try {
  await migrateDatabase(database, resolve("migrations"));
  const made = await timed(() =>
    makeBooks(database, { transactions, lines: lines + 10_000 * 10, providers }),
  );
  print(`books made in ${made.seconds.toFixed(0)} s`);
  // The last ten thousand come later, as a file of their own.
  const bare = await timed(() => bareJoin(database));
  print(`bare hash join: ${bare.seconds.toFixed(2)} s, ${bare.result} pairs`);
  const run = () => timed(() => reconcileAccount(values.trace ? traced(database) : database, made.result));
  const full = await run();
  print(
    `full reconcile: ${full.seconds.toFixed(2)} s, ${(full.seconds / bare.seconds).toFixed(1)} × the join (aim ≤ 6)`,
  );
  print(JSON.stringify(sumCounts(full.result)));
  const again = await run();
  print(`again, nothing new: ${again.seconds.toFixed(2)} s (aim ≤ 0.3)`);
  // A file of one provider, whose transactions lie among those of the others.
  const span = 11_170 * providers;
  const first = transactions - lines - 10_000 * 10 - span;
  await addLines(database, made.result, { from: first, to: first + span - 1, file: 2 });
  const more = await run();
  print(`one new file of 10,000 lines: ${more.seconds.toFixed(2)} s (aim ≤ 3)`);
  print(JSON.stringify(sumCounts(more.result)));
  print(`memory of this process: ${Math.round(process.memoryUsage().rss / 1024 / 1024)} MB (aim < 250)`);
} finally {
  await database.close();
  await postgres.leave();
  await rm(folder, { recursive: true, force: true });
}

async function bareJoin(db: Database): Promise<number> {
  await db.query("set jit = off");
  const [row] = await db.query<{ pairs: number }>(
    `select count(*)::int as pairs
     from tieout.statement_lines as l
     join tieout.transactions as t
       on t.account_id = l.account_id
      and t.provider_transaction_id = l.provider_transaction_id`,
  );
  return row?.pairs ?? 0;
}

function sumCounts(results: readonly ProviderResult[]): Record<string, number> {
  const sums: Record<string, number> = {};
  for (const [name, count] of results.flatMap(({ counts }) => Object.entries(counts)))
    sums[name] = (sums[name] ?? 0) + count;
  return sums;
}

async function timed<T>(work: () => Promise<T>): Promise<{ seconds: number; result: T }> {
  const begun = performance.now();
  const result = await work();
  return { seconds: (performance.now() - begun) / 1_000, result };
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}

/** Shows what each statement of a run costs. */
function traced(db: Database): Database {
  return {
    ...db,
    transaction: (work) =>
      db.transaction((tx, client) => {
        const query: typeof tx.query = async (text, given, name) => {
          const { seconds, result } = await timed(() => tx.query(text, given, name));
          const head = text.trim().replaceAll(/\s+/g, " ").slice(0, 110);
          if (seconds > 0.05) print(`  ${seconds.toFixed(2)} s  ${head}`);
          return result as never;
        };
        return work({ ...tx, query }, client);
      }),
  };
}
