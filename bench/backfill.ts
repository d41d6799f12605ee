import { randomInt } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { DAY } from "../src/core/duration.ts";
import { parseInstant, type Instant } from "../src/core/instant.ts";
import { ensureAccounts } from "../src/store/accounts/accounts.ts";
import { ensureMonths } from "../src/store/transactions/months.ts";
import { createPageRecorder } from "../src/store/transactions/page-recorder.ts";
import type { SyncDeps } from "../src/sync/deps.ts";
import { syncOnce } from "../src/sync/sync-once.ts";
import { createTurns } from "../src/sync/take-turns.ts";
import { createUpstream, type Upstream } from "../src/upstream/client.ts";
import { openBenchDatabase } from "./support/bench-database.ts";
import { forkBeside } from "./support/fork-beside.ts";

/**
 * A backfill at 50 ms latency with 16 connections beside a sequential walk of cursors over the same aggregator, which
 * answers from prepared bytes; how many requests it took beside the fewest possible; and the memory of the process that read. `npm run bench backfill 300000` reads
 * 1,200,000 records.
 */
const transactions = Number(process.argv[2] ?? 20_000);
const latencyMs = Number(process.argv[3] ?? 50);
const requestsMax = 16;
const sequentialPages = 60;

const bench = await openBenchDatabase();
const history = { from: new Date(Date.now() - 90 * DAY).toISOString(), to: new Date().toISOString() };
const asked = JSON.stringify({ transactions, latencyMs, ...history });
const { child: aggregator, ready } = await forkBeside("prepared-aggregator", [asked]);
const { baseUrl } = ready as { baseUrl: string };
const upstream = createUpstream({
  baseUrl,
  apiKey: "pk_bench",
  apiSecret: "sk_bench",
  now: Date.now,
  random: share,
  sleep: (ms: number) => sleep(ms),
});

const sequential = await walkSequentially(upstream);
const ids = await ensureAccounts(
  bench.database,
  [{ name: "bench", baseUrl, syncStart: history.from }],
  "bench",
);
await ensureMonths(bench.database);
const deps: SyncDeps = {
  database: bench.database,
  recordPage: createPageRecorder(bench.database),
  log: {
    debug: quiet,
    info: quiet,
    warn: quiet,
    error: (fields) => process.stderr.write(`${JSON.stringify(fields)}\n`),
  },
  sleep: (ms) => sleep(ms),
  random: share,
  takeTurn: createTurns(),
  failpoint: quiet,
  worker: "bench",
  settings: { lagMs: 0, lookbackMs: 0, intervalMs: 60_000, requestsMax, leaseMs: 8_000 },
};
let memoryMax = 0;
const watch = setInterval(() => (memoryMax = Math.max(memoryMax, process.memoryUsage().rss)), 100);
const begun = performance.now();
const result = await syncOnce(
  deps,
  { id: ids.get("bench") ?? 0, name: "bench", upstream },
  { signal: new AbortController().signal },
);
const seconds = (performance.now() - begun) / 1_000;
clearInterval(watch);

const { added, read, pages } = result.windows;
const perSecond = added / seconds;
process.stdout
  .write(`${transactions} transactions, ${added} records, ${latencyMs} ms latency, ${requestsMax} connections; node ${process.versions.node}

sequential walk (${sequentialPages} pages)   ${Math.round(sequential)} records/s
backfill                     ${Math.round(perSecond)} records/s   ${(perSecond / sequential).toFixed(1)} ×   aim ≥ 14 ×
requests / fewest possible   ${pages} / ${Math.ceil(added / 50)} = ${(pages / Math.ceil(added / 50)).toFixed(3)}   aim ≤ 1.1   (${read} records read)
memory of the reader         ${Math.round(memoryMax / 1_048_576)} MB at most   aim ≤ 180 MB
coverage                     ${result.coverage.gapCount === 0 ? "without gaps" : `${result.coverage.gapCount} gaps`}
`);

await upstream.close();
aggregator.kill();
await bench.remove();

/** As a script would: one request after the other, from the oldest record on. */
async function walkSequentially(client: Upstream): Promise<number> {
  const range = { from: instant(history.from), to: instant(history.to) };
  let cursor: string | null = null;
  let records = 0;
  const start = performance.now();
  for (let page = 0; page < sequentialPages; page++) {
    const answer = await client.fetchPage({ ...range, cursor });
    records += answer.rawRecords.length;
    cursor = answer.nextCursor;
    if (cursor === null) break;
  }
  return records / ((performance.now() - start) / 1_000);
}

function instant(text: string): Instant {
  const parsed = parseInstant(text);
  if (parsed === null) throw new Error(`not a time: ${text}`);
  return parsed;
}

function share(): number {
  return randomInt(1_000_000) / 1_000_000;
}

function quiet(): void {}
