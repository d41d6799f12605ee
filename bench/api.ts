import { join } from "node:path";
import { parseArgs } from "node:util";
import type { Database } from "../src/store/database.ts";
import { listTransactions } from "../src/store/transactions/transaction-reads.ts";
import { type BenchDatabase, openBenchDatabase } from "./support/bench-database.ts";
import { forkBeside } from "./support/fork-beside.ts";
import { asManyAsItTakes, atFixedRate, type Load } from "./support/load.ts";
import { fillBooks } from "./support/page-books.ts";
import { startSandboxProcess } from "./support/sandbox-process.ts";

/**
 * Lists of the read API with many rows beside few, and beside a bare `node:http` and `pg` server that runs the same query;
 * pages of the mirror beside those of the sandbox.
 *
 *   npm run bench api -- --rows 5000000 --few 50000
 */
const { values: flags } = parseArgs({
  options: {
    rows: { type: "string", default: "200000" },
    few: { type: "string", default: "50000" },
    "per-second": { type: "string", default: "100" },
    seconds: { type: "string", default: "10" },
  },
});
const sizes = { few: Number(flags.few), many: Number(flags.rows) };
const perSecond = Number(flags["per-second"]);
const seconds = Number(flags.seconds);
const connections = 4;
const rounds = 3;

const bench = await openBenchDatabase();
const small = await openBenchDatabase();
const children: { kill(): void }[] = [];
try {
  await fillBooks(bench.database, { transactions: sizes.many, lines: 0 });
  await fillBooks(small.database, { transactions: sizes.few, lines: 0 });
  const ofMany = await startApi(bench.postgres.url);
  const ofFew = await startApi(small.postgres.url);

  const latency = { few: [] as Load[], many: [] as Load[] };
  const speed = { bare: [] as Load[], ours: [] as Load[], mirror: [] as Load[], sandbox: [] as Load[] };
  const bare = await startBareServer(small);
  const sandbox = await startSandboxProcess(["--transactions", "50000"], join(bench.folder, "sandbox"));
  children.push({ kill: () => void sandbox.stop() });
  const sandboxKey = { authorization: sandbox.apiKey, "x-service-secret": sandbox.apiSecret };
  const mirrorKey = { authorization: ofFew.copyingKey, "x-service-secret": ofFew.copyingKey };
  for (let round = 0; round < rounds; round++) {
    latency.few.push(await lists(ofFew));
    latency.many.push(await lists(ofMany));
    speed.bare.push(await sameList(bare, {}));
    speed.ours.push(await sameList(ofFew.url, bearer(ofFew)));
    speed.sandbox.push(await pages(sandbox.baseUrl, "/transactions", sandboxKey));
    speed.mirror.push(await pages(ofFew.url, "/mirror/transactions", mirrorKey));
  }
  const [p99Few, p99Many] = [median(latency.few, "p99Ms"), median(latency.many, "p99Ms")];
  const at = (loads: Load[]) => median(loads, "perSecond");
  process.stdout
    .write(`median of ${rounds} rounds of ${seconds} s, node ${process.versions.node}, ${process.platform}-${process.arch}

first pages of a list, by provider and status, ${perSecond} requests/s
  ${count(sizes.few)} transactions      p50 ${ms(median(latency.few, "p50Ms"))}   p99 ${ms(p99Few)}
  ${count(sizes.many)} transactions      p50 ${ms(median(latency.many, "p50Ms"))}   p99 ${ms(p99Many)}   ratio ${(p99Many / p99Few).toFixed(2)}   aim ≤ 1.3

list, as many as it takes, ${connections} connections
  bare node:http and pg    ${count(at(speed.bare))} requests/s
  GET /v1/transactions     ${count(at(speed.ours))} requests/s   ratio ${(at(speed.ours) / at(speed.bare)).toFixed(2)}   aim ≥ 0.6

pages of 50, ${connections} walkers
  sandbox                  ${count(at(speed.sandbox))} pages/s
  GET /mirror/transactions ${count(at(speed.mirror))} pages/s   ratio ${(at(speed.mirror) / at(speed.sandbox)).toFixed(2)}   aim ≥ 0.3
`);
} finally {
  for (const child of children) child.kill();
  await bench.remove();
  await small.remove();
}

interface RunningApi {
  url: string;
  key: string;
  /** The mirror shows wallets. */
  copyingKey: string;
}

async function startApi(databaseUrl: string): Promise<RunningApi> {
  const { child, ready } = await forkBeside("report-server", [databaseUrl]);
  children.push(child);
  return ready as RunningApi;
}

/** It runs what our own server asks the database for the first page of a list, letter by letter. */
async function startBareServer({ database, postgres }: BenchDatabase): Promise<string> {
  const asked: { text: string; values: unknown[] }[] = [];
  const listening: Database = {
    ...database,
    query: (text, values = [], name) => {
      asked.push({ text, values });
      return database.query(text, values, name);
    },
  };
  await listTransactions(
    { database: listening, accountIds: null },
    { filters: { ranges: [] }, sort: "-status_date", page: { limit: 25, after: null } },
  );
  const { child, ready } = await forkBeside("bare-server", [
    JSON.stringify({ url: postgres.url, ...asked.at(-1) }),
  ]);
  children.push(child);
  return (ready as { url: string }).url;
}

function lists(api: RunningApi): Promise<Load> {
  const providers = ["moonpay", "transak", "banxa", "ramp", "mercuryo", "simplex", "topper", "guardarian"];
  const statuses = ["completed", "failed", "canceled", "pending"];
  const path = (number: number) =>
    number % 3 === 0
      ? "/v1/transactions"
      : `/v1/transactions?provider=${providers[number % 8]}&status=${statuses[(number >> 3) % 4]}`;
  return atFixedRate(api.url, { headers: bearer(api), path, perSecond, seconds });
}

function sameList(origin: string, headers: Record<string, string>): Promise<Load> {
  const path = "/v1/transactions";
  const paths = Array.from({ length: connections }, () => path);
  return asManyAsItTakes(origin, { headers, paths, next: () => path, seconds });
}

/** Walkers that each follow their own cursor, from different days on. */
function pages(origin: string, path: string, headers: Record<string, string>): Promise<Load> {
  const starts = Array.from({ length: connections }, (_, walker) => {
    const from = new Date(Date.now() - (80 - walker * 15) * 86_400_000).toISOString();
    return `${path}?startDateTime=${from}`;
  });
  const next = (body: string, first: string) => {
    const at = body.lastIndexOf('"cursor":"');
    return at < 0
      ? first
      : `${first}&cursor=${encodeURIComponent(body.slice(at + 10, body.indexOf('"', at + 10)))}`;
  };
  return asManyAsItTakes(origin, { headers, paths: starts, next, seconds });
}

function bearer({ key }: RunningApi): Record<string, string> {
  return { authorization: `Bearer ${key}` };
}

function median(loads: readonly Load[], figure: keyof Load): number {
  const sorted = loads.map((load) => load[figure]).toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}

function count(value: number): string {
  return Math.round(value).toLocaleString("en").padStart(9);
}

function ms(value: number): string {
  return `${value.toFixed(1)} ms`;
}
