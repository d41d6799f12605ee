import { chmod, mkdir } from "node:fs/promises";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { startReplica, type TestReplica } from "../test/support/replica.ts";
import { openBenchDatabase } from "./support/bench-database.ts";
import { forkBeside } from "./support/fork-beside.ts";
import { asManyAsItTakes } from "./support/load.ts";
import { fillBooks } from "./support/page-books.ts";

/**
 * How many reads the API answers with its primary alone, with one replica, and with two APIs that have a replica each; all of
 * them on this machine, so from as many servers as it has processors on, they share them.
 * `npm run bench replicas -- --rows 100000 --seconds 10`
 */
const { values } = parseArgs({
  options: { rows: { type: "string", default: "100000" }, seconds: { type: "string", default: "10" } },
});
const rows = Number(values.rows);
const seconds = Number(values.seconds);
const rounds = 3;
/** Four connections in all, however many APIs share them. */
const connections = 4;
const reads = {
  "first page of a list": "/v1/transactions",
  "sums of 30 days": "/v1/summary",
};

const bench = await openBenchDatabase();
const replicas: TestReplica[] = [];
const children: { kill(): void }[] = [];
try {
  await fillBooks(bench.database, { transactions: rows, lines: 0 });
  const { url } = bench.postgres;
  for (const name of ["first", "second"]) {
    const folder = join(bench.folder, name);
    await mkdir(folder);
    await chmod(folder, 0o711);
    replicas.push(await startReplica(bench.postgres, folder));
  }
  const readUrls = replicas.map((replica) => replica.urlFor(url));
  const primaryOnly = await startApi(url);
  const [first, second] = await Promise.all(readUrls.map((readUrl) => startApi(url, readUrl)));
  if (!first || !second) throw new Error("there are two replicas");
  const layouts = { "primary alone": [primaryOnly], "1 replica": [first], "2 replicas": [first, second] };

  process.stdout.write(
    `${rows} transactions, median of ${rounds} rounds of ${seconds} s, ${connections} connections; node ${process.versions.node}\n`,
  );
  for (const [title, path] of Object.entries(reads)) {
    process.stdout.write(`\n${title}\n`);
    const seen = new Map<string, number[]>();
    for (let round = 0; round < rounds; round++) {
      for (const [name, apis] of Object.entries(layouts))
        seen.set(name, [...(seen.get(name) ?? []), await readsPerSecond(apis, path)]);
    }
    const reference = median(seen.get("primary alone"));
    for (const [name, speeds] of seen) {
      const speed = median(speeds);
      process.stdout.write(
        `  ${name.padEnd(14)} ${String(Math.round(speed)).padStart(6)} requests/s   ${(speed / reference).toFixed(2)} ×\n`,
      );
    }
  }
} finally {
  for (const child of children) child.kill();
  for (const replica of replicas) await replica.stop();
  await bench.remove();
}

interface RunningApi {
  url: string;
  key: string;
}

async function startApi(...urls: string[]): Promise<RunningApi> {
  const { child, ready } = await forkBeside("report-server", urls);
  children.push(child);
  return ready as RunningApi;
}

async function readsPerSecond(apis: readonly RunningApi[], path: string): Promise<number> {
  const paths = Array.from({ length: connections / apis.length }, () => path);
  const loads = await Promise.all(
    apis.map(({ url, key }) =>
      asManyAsItTakes(url, { headers: { authorization: `Bearer ${key}` }, paths, next: () => path, seconds }),
    ),
  );
  return loads.reduce((sum, { perSecond }) => sum + perSecond, 0);
}

function median(speeds: readonly number[] = []): number {
  return speeds.toSorted((a, b) => a - b)[Math.floor(speeds.length / 2)] ?? Number.NaN;
}
