import { Client } from "pg";
import { ensureAccounts } from "../src/store/accounts/accounts.ts";
import { openBenchDatabase } from "./support/bench-database.ts";
import { fillHistory } from "./support/fill-history.ts";
import { makePages, recordAll } from "./support/pages-to-record.ts";
import { walPosition, walSince } from "./support/wal.ts";

/**
 * Recording new records into tables that hold few status rows beside tables that hold many: `npm run bench growth 5000000`.
 * Both are filled the same way, over the last twelve months, in clusters of their own, and take turns. Right after a
 * checkpoint every page that is touched goes to the log whole, which is where large indexes hurt; so rounds that each begin
 * with one are measured, and then rounds without any, until the pages in use have been written once: the steady state.
 */
const many = Number(process.argv[2] ?? 500_000);
const few = Number(process.argv[3] ?? 50_000);
const records = 20_000;
const rounds = 3;
/** Rounds between the last checkpoint and the first that counts as steady. */
const settlingRounds = 4;

interface Figures {
  rates: number[];
  bytes: number[];
}

const books = [await open(few), await open(many)];
let recorded = 0;
for (let round = 0; round < rounds; round++) await measure("checkpoint", { checkpoint: true });
for (let round = 0; round < settlingRounds; round++) await measure(null, { checkpoint: false });
for (let round = 0; round < rounds; round++) await measure("steady", { checkpoint: false });

const after = books.map(({ checkpoint }) => median(checkpoint));
const steady = books.map(({ steady: figures }) => median(figures));
process.stdout
  .write(`${records} new records a round, median of ${rounds}, node ${process.versions.node}, ${process.platform}-${process.arch}

                         after a checkpoint              steady
status rows          records/s   WAL a record   records/s   WAL a record
${line(0)}
${line(1)}

                                               seen      aim
speed after a checkpoint, many against few     ${((after[1]?.rate ?? 0) / (after[0]?.rate ?? 1)).toFixed(2)}      ≥ 0.8
WAL a record after a checkpoint, many rows     ${kilobytes(after[1]?.bytes)}   ≤ 3 kB
WAL a record in steady state, many rows        ${kilobytes(steady[1]?.bytes)}   ≤ 1.5 kB
`);
for (const { bench, superuser } of books) {
  await superuser.end();
  await bench.remove();
}

async function measure(
  into: "checkpoint" | "steady" | null,
  options: { checkpoint: boolean },
): Promise<void> {
  // As the worst case has it: every record of the round is new, and none of its ids is near another.
  const pages = makePages(records, { first: recorded, fromMs: Date.now() - 30 * 60_000 });
  recorded += records / 4;
  for (const book of books) {
    if (options.checkpoint) await book.superuser.query("checkpoint");
    const walBefore = await walPosition(book.bench.database);
    const begun = performance.now();
    await recordAll(book.bench.database, book.accountId, pages);
    const seconds = (performance.now() - begun) / 1_000;
    if (into === null) continue;
    book[into].rates.push(records / seconds);
    book[into].bytes.push((await walSince(book.bench.database, walBefore)) / records);
  }
}

async function open(rows: number) {
  const bench = await openBenchDatabase();
  const accounts = await ensureAccounts(
    bench.database,
    [{ name: "growing", baseUrl: "https://bench.example", syncStart: "2026-01-01T00:00:00Z" }],
    "bench",
  );
  await bench.database.query("update tieout.accounts set request_limit = 64");
  const accountId = accounts.get("growing") ?? 0;
  await fillHistory(bench.database, { accountId, statusRows: rows });
  // Only a superuser may ask for a checkpoint.
  const superuser = new Client({ connectionString: bench.postgres.superuserUrl });
  await superuser.connect();
  const figures = (): Figures => ({ rates: [], bytes: [] });
  return { rows, bench, accountId, superuser, checkpoint: figures(), steady: figures() };
}

function line(at: 0 | 1): string {
  const rows = books[at]?.rows ?? 0;
  const cells = [after[at], steady[at]].map(
    (figures) => `${number(figures?.rate).padStart(9)}   ${kilobytes(figures?.bytes).padStart(12)}`,
  );
  return `${number(rows).padStart(11)}          ${cells.join("   ")}`;
}

function median({ rates, bytes }: Figures): { rate: number; bytes: number } {
  const middle = (all: number[]) => all.toSorted((a, b) => a - b)[Math.floor(all.length / 2)] ?? 0;
  return { rate: middle(rates), bytes: middle(bytes) };
}

function number(value = 0): string {
  return Math.round(value).toLocaleString("en");
}

function kilobytes(bytes = 0): string {
  return `${(bytes / 1_000).toFixed(2)} kB`;
}
