import { ensureAccounts } from "../src/store/accounts/accounts.ts";
import { openBenchDatabase } from "./support/bench-database.ts";
import { fillBooks } from "./support/page-books.ts";
import { makePages, recordAll } from "./support/pages-to-record.ts";

/**
 * Recording new records into tables that hold few rows beside tables that hold many: `npm run bench growth 5000000`. Both
 * are filled the same way, in clusters of their own, and take turns.
 */
const many = Number(process.argv[2] ?? 500_000);
const few = Number(process.argv[3] ?? 50_000);
const records = 20_000;
const rounds = 3;

const rates = new Map<number, number[]>();
const books = [await open(few), await open(many)];
for (let round = 0; round < rounds; round++) {
  for (const { rows, bench, accountId } of books) {
    const pages = makePages(records, (round * records) / 4);
    const begun = performance.now();
    await recordAll(bench.database, accountId, pages);
    const seconds = (performance.now() - begun) / 1_000;
    rates.set(rows, [...(rates.get(rows) ?? []), records / seconds]);
  }
}
const [fewRate, manyRate] = [median(few), median(many)];
process.stdout
  .write(`${records} new records, median of ${rounds}, node ${process.versions.node}, ${process.platform}-${process.arch}

rows in each table     records/s   ratio   aim
${few.toLocaleString("en").padStart(18)}   ${Math.round(fewRate).toLocaleString("en").padStart(9)}
${many.toLocaleString("en").padStart(18)}   ${Math.round(manyRate).toLocaleString("en").padStart(9)}    ${(manyRate / fewRate).toFixed(2)}   ≥ 0.7
`);
for (const { bench } of books) await bench.remove();

async function open(rows: number) {
  const bench = await openBenchDatabase();
  await fillBooks(bench.database, { transactions: rows, discrepancies: 0 });
  const accounts = await ensureAccounts(
    bench.database,
    [{ name: "growing", baseUrl: "https://bench.example", syncStart: "2026-01-01T00:00:00Z" }],
    "bench",
  );
  await bench.database.query("update tieout.accounts set request_limit = 64");
  return { rows, bench, accountId: accounts.get("growing") ?? 0 };
}

function median(rows: number): number {
  return rates.get(rows)?.toSorted((a, b) => a - b)[Math.floor(rounds / 2)] ?? 0;
}
