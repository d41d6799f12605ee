import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { createWriteStream } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { parseArgs } from "node:util";
import { Client } from "pg";
import { to as copyTo } from "pg-copy-streams";
import { findReport } from "../src/report/catalogue.ts";
import { openReport } from "../src/report/open-report.ts";
import { parseRequest } from "../src/report/parameters.ts";
import { reportStatement } from "../src/report/report-sql.ts";
import type { Database } from "../src/store/database.ts";
import { inlineValues, withSnapshot } from "../src/store/exports/copy-report.ts";
import { openBenchDatabase } from "./support/bench-database.ts";
import { fillTransactions } from "./support/fill-transactions.ts";
import { forkBeside } from "./support/fork-beside.ts";

/**
 * A CSV export over HTTP, side by side with the same query by `psql \copy` (or, without psql, by a bare COPY client), and
 * what the server's memory does meanwhile.
 *
 *   npm run bench export -- [--rows 200000] [--rounds 3] [--memory-rows 5000000]
 */
const { values: flags } = parseArgs({
  options: {
    rows: { type: "string", default: "200000" },
    rounds: { type: "string", default: "3" },
    "memory-rows": { type: "string" },
  },
});
const rows = Number(flags.rows);
const rounds = Number(flags.rounds);
const memoryRows = flags["memory-rows"] === undefined ? null : Number(flags["memory-rows"]);

const bench = await openBenchDatabase();
const { database, folder, postgres } = bench;
let server: ChildProcess | undefined;
try {
  await fillTransactions(database, rows);
  const query = await sameQuery(database);
  const started = await startServer(postgres.url);
  server = started.child;
  const http: number[] = [];
  const direct: number[] = [];
  for (let round = 0; round < rounds; round++) {
    http.push(await timed(() => download(started.url, started.key, join(folder, "http.csv"))));
    direct.push(await timed(() => copyDirectly(query, join(folder, "direct.csv"))));
  }
  const [served, copied] = await Promise.all(
    ["http.csv", "direct.csv"].map((name) => readFile(join(folder, name))),
  );
  // The statement's first row counts the others; the server keeps it to itself.
  const rowBytes = served?.subarray(served.indexOf("\n")) ?? Buffer.alloc(0);
  if (!copied?.subarray(-rowBytes.length).equals(rowBytes)) throw new Error("the files differ");
  const other = has("psql") ? "psql \\copy" : "COPY client";
  process.stdout
    .write(`CSV export of ${rows} rows, ${mb(rowBytes.length)} MB, median of ${rounds} (node ${process.versions.node})

                       s      rows/s   ratio     aim
${other.padEnd(14)} ${cell(median(direct))} ${rate(median(direct))}
over HTTP      ${cell(median(http))} ${rate(median(http))}   ${(median(direct) / median(http)).toFixed(2)}   ≥ 0.80
`);
  if (memoryRows !== null) {
    await fillTransactions(database, memoryRows);
    await memory(started, "before");
    const before = await memory(started, "reset");
    await download(started.url, started.key, "/dev/null");
    const peak = await memory(started, "peak");
    process.stdout.write(
      `memory of the server while exporting ${memoryRows} rows: ${mb(before)} MB before, ${mb(peak)} MB at most, ` +
        `growth ${mb(peak - before)} MB (aim < 64)\n`,
    );
  }
} finally {
  server?.kill();
  await bench.remove();
}

/** The statement that the server runs, as text: COPY takes no bound values. */
async function sameQuery(db: Database): Promise<string> {
  const report = findReport("transactions");
  if (report === null) throw new Error("there is no report of transactions");
  const request = parseRequest(report, "csv", {});
  return withSnapshot(db, { statementTimeoutMs: 60_000 }, async (snapshot) => {
    // The server's key is a viewer's: wallets are masked.
    const opened = await openReport(snapshot, request, { accountIds: null, wallets: false });
    return inlineValues(reportStatement(opened, { sums: false, rowsMax: null }));
  });
}

async function copyDirectly(query: string, path: string): Promise<void> {
  if (has("psql")) {
    const command = `\\copy (${query.replaceAll("\n", " ")}) to '${path}' (format csv, header true)`;
    const child = spawn("psql", ["-q", "-X", "-c", "set timezone = 'UTC'", "-c", command, postgres.url], {
      stdio: "inherit",
    });
    const [code] = (await once(child, "exit")) as [number];
    if (code !== 0) throw new Error("psql failed");
    return;
  }
  const client = new Client({ connectionString: postgres.url, options: "-c timezone=UTC" });
  await client.connect();
  await pipeline(
    client.query(copyTo(`copy (${query}) to stdout (format csv, header true)`)),
    createWriteStream(path),
  );
  await client.end();
}

async function download(url: string, key: string, path: string): Promise<void> {
  const address = `${url}/v1/reports/transactions.csv`;
  const header = `Bearer ${key}`;
  if (!has("curl")) {
    const { status, body } = await fetch(address, { headers: { authorization: header } });
    if (status !== 200 || body === null) throw new Error(`the download failed: ${status}`);
    return pipeline(body, createWriteStream(path));
  }
  const child = spawn("curl", ["-sSf", "-o", path, "-H", `Authorization: ${header}`, address], {
    stdio: "inherit",
  });
  const [code] = (await once(child, "exit")) as [number];
  if (code !== 0) throw new Error("the download failed");
}

interface BenchServer {
  child: ChildProcess;
  url: string;
  key: string;
}

async function startServer(databaseUrl: string): Promise<BenchServer> {
  const { child, ready } = await forkBeside("report-server", [databaseUrl]);
  return { child, ...(ready as { url: string; key: string }) };
}

/** `reset` collects garbage and starts measuring anew; `peak` is the most that was used since. */
async function memory({ child }: BenchServer, what: "before" | "reset" | "peak"): Promise<number> {
  child.send(what);
  const [bytes] = (await once(child, "message")) as [number];
  return bytes;
}

function has(program: string): boolean {
  return spawnSync(program, ["--version"]).status === 0;
}

async function timed(work: () => Promise<void>): Promise<number> {
  const begun = performance.now();
  await work();
  return (performance.now() - begun) / 1_000;
}

function median(values: number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}

function cell(seconds: number): string {
  return seconds.toFixed(2).padStart(9);
}

function rate(seconds: number): string {
  return Math.round(rows / seconds)
    .toString()
    .padStart(11);
}

function mb(bytes: number): string {
  return (bytes / 1_048_576).toFixed(0);
}
