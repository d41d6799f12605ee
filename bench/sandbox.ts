/**
 * Pages of 50 per second from a sandbox with ten million transactions, at the beginning, in the middle and at the end
 * of its history: a page must cost the same everywhere. The server is a process of its own, so that "one core" means
 * its processor time alone, and the figures are held against the aim. `npm run bench sandbox`.
 */
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { availableParallelism, loadavg } from "node:os";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { Pool } from "undici";

const { values } = parseArgs({
  options: {
    transactions: { type: "string", default: "10000000" },
    seconds: { type: "string", default: "6" },
    connections: { type: "string", default: "4" },
    dist: { type: "string", default: "dist" },
  },
});
const transactions = Number(values.transactions);
const seconds = Number(values.seconds);
const connections = Number(values.connections);
const fromMs = Date.parse("2023-01-01T00:00:00.000Z");
const toMs = Date.parse("2025-01-01T00:00:00.000Z");
const headers = { authorization: "pk_sandbox", "x-service-secret": "sk_sandbox" };

/** Pages of 50 a second for each core used, from the first to the last page, and the memory of the whole server. */
const aim = { perCpuSecond: 2000, rssMb: 300 };

interface Usage {
  readonly cpuSeconds: number;
  readonly rssMb: number;
}

interface Result extends Usage {
  readonly part: string;
  readonly pages: number;
  readonly perSecond: number;
  readonly perCpuSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

const sandbox = await startChild();
const pool = new Pool(sandbox.url, { connections });
try {
  console.log(
    `${transactions.toLocaleString("en")} transactions, first answer after ${sandbox.readyMs.toFixed(0)} ms; ` +
      `${connections} connections, ${seconds} s each, Node ${process.version}, ${availableParallelism()} cores\n`,
  );
  const span = toMs - fromMs;
  const parts: [string, number][] = [
    ["first", fromMs],
    ["middle", fromMs + span / 2],
    ["last", toMs - span / 100],
  ];
  // The compiler of the engine learns what is hot; nobody waits for that in a server that has run for a minute.
  await measure("warm-up", fromMs + span / 4, Math.min(seconds, 3));
  const results: Result[] = [];
  for (const [part, startMs] of parts) results.push(await measure(part, startMs, seconds));
  print(results);
} finally {
  await pool.close();
  sandbox.process.kill("SIGKILL");
}

async function measure(part: string, startMs: number, forSeconds: number): Promise<Result> {
  const before = await usageOf(sandbox.process);
  const started = performance.now();
  const endAt = started + forSeconds * 1000;
  const latencies: number[] = [];
  await Promise.all(
    Array.from({ length: connections }, async (_, walker) => {
      const start = new Date(startMs + walker * 3_600_000).toISOString();
      let cursor: string | null = null;
      while (performance.now() < endAt) {
        const askedAt = performance.now();
        const text = await getPage(
          `/transactions?startDateTime=${start}${cursor === null ? "" : `&cursor=${cursor}`}`,
        );
        latencies.push(performance.now() - askedAt);
        cursor = cursorOf(text);
      }
    }),
  );
  const elapsed = (performance.now() - started) / 1000;
  const after = await usageOf(sandbox.process);
  const cpuSeconds = after.cpuSeconds - before.cpuSeconds;
  latencies.sort((a, b) => a - b);
  return {
    part,
    pages: latencies.length,
    perSecond: latencies.length / elapsed,
    perCpuSecond: latencies.length / cpuSeconds,
    p50Ms: latencies[Math.floor(latencies.length * 0.5)] ?? 0,
    p99Ms: latencies[Math.floor(latencies.length * 0.99)] ?? 0,
    cpuSeconds,
    rssMb: after.rssMb,
  };
}

async function getPage(path: string): Promise<string> {
  const { statusCode, body } = await pool.request({ method: "GET", path, headers });
  const text = await body.text();
  if (statusCode !== 200) throw new Error(`${statusCode} ${text}`);
  return text;
}

/** The page is not parsed: the client must be quicker than the server it measures. */
function cursorOf(text: string): string | null {
  const at = text.lastIndexOf('"cursor":"');
  return at < 0 ? null : text.slice(at + 10, text.indexOf('"', at + 10));
}

function print(results: readonly Result[]): void {
  printTable(results);
  const slowest = Math.min(...results.map(({ perCpuSecond }) => perCpuSecond));
  const largest = Math.max(...results.map(({ rssMb }) => rssMb));
  const verdict = (isMet: boolean) => (isMet ? "met" : "not met");
  console.log(
    `\npages per CPU second, slowest part: ${slowest.toFixed(0)} (aim: at least ${aim.perCpuSecond}, ` +
      `${verdict(slowest >= aim.perCpuSecond)}); RSS, largest: ${largest.toFixed(0)} MB (aim: below ${aim.rssMb}, ` +
      `${verdict(largest < aim.rssMb)})`,
  );
  const busy = loadavg()[0] ?? 0;
  if (busy > availableParallelism()) {
    console.log(
      `The machine was busy (load ${busy.toFixed(1)}): shared caches and cores make every CPU second do less.`,
    );
  }
}

function printTable(results: readonly Result[]): void {
  const first = results[0];
  console.log("part     pages/s   ratio  pages per CPU second   ratio   p50 ms   p99 ms   RSS MB");
  for (const each of results) {
    const ratio = first ? each.perSecond / first.perSecond : 1;
    const cpuRatio = first ? each.perCpuSecond / first.perCpuSecond : 1;
    console.log(
      each.part.padEnd(7) +
        each.perSecond.toFixed(0).padStart(9) +
        ratio.toFixed(2).padStart(8) +
        each.perCpuSecond.toFixed(0).padStart(22) +
        cpuRatio.toFixed(2).padStart(8) +
        each.p50Ms.toFixed(2).padStart(9) +
        each.p99Ms.toFixed(2).padStart(9) +
        each.rssMb.toFixed(0).padStart(9),
    );
  }
}

async function startChild(): Promise<{ process: ChildProcess; url: string; readyMs: number }> {
  const entry = resolve(values.dist, "src/sandbox/server.js");
  if (!existsSync(entry)) throw new Error(`${entry} is missing; run npm run build first`);
  const started = performance.now();
  const program = `
    import { startSandbox } from ${JSON.stringify(pathToFileURL(entry).href)};
    const sandbox = await startSandbox({
      now: Date.now, port: 0, seed: "bench", transactions: ${transactions}, fromMs: ${fromMs}, toMs: ${toMs},
    });
    process.on("message", () => {
      const { user, system } = process.cpuUsage();
      process.send({ cpuSeconds: (user + system) / 1e6, rssMb: process.memoryUsage.rss() / 1e6 });
    });
    process.on("disconnect", () => process.exit());
    process.send({ url: sandbox.url });`;
  const child = spawn(process.execPath, ["--input-type=module", "--eval", program], {
    stdio: ["ignore", "inherit", "inherit", "ipc"],
  });
  const [message] = (await once(child, "message")) as [{ url: string }];
  const response = await fetch(`${message.url}/transactions`, { headers });
  await response.text();
  return { process: child, url: message.url, readyMs: performance.now() - started };
}

async function usageOf(child: ChildProcess): Promise<Usage> {
  child.send("usage");
  const [usage] = (await once(child, "message")) as [Usage];
  return usage;
}
