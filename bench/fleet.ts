import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { migrateQueue } from "../jobs/connection.ts";
import { DAY, SECOND } from "../src/core/duration.ts";
import { holdAccount, resumeAccount } from "../src/store/accounts/account-switches.ts";
import { ensureAccounts } from "../src/store/accounts/accounts.ts";
import { startRedis } from "../test/support/redis-server.ts";
import { type Running, startProcess } from "../test/support/run-tieout.ts";
import { waitFor } from "../test/support/wait-for.ts";
import { type BenchDatabase, openBenchDatabase } from "./support/bench-database.ts";
import { forkBeside } from "./support/fork-beside.ts";

/**
 * How much faster more workers read: 1, 2, 4 and 8 processes of `tieout work` on one Postgres and one Redis, against an
 * aggregator that takes 100 ms to answer and allows each account few requests at a time. All of it on this machine: from
 * as many workers as it has processors on, they share them. `npm run bench fleet -- --transactions 20000 --workers 1,2`
 */
const { values } = parseArgs({
  options: {
    transactions: { type: "string", default: "3000" },
    accounts: { type: "string", default: "8" },
    workers: { type: "string", default: "1,2,4,8" },
    "latency-ms": { type: "string", default: "100" },
    concurrency: { type: "string", default: "2" },
  },
});
const accountNames = Array.from({ length: Number(values.accounts) }, (_, index) => `fleet-${index + 1}`);
const history = { from: new Date(Date.now() - 30 * DAY).toISOString(), to: new Date().toISOString() };
const latencyMs = Number(values["latency-ms"]);
const { child: aggregator, ready } = await forkBeside("prepared-aggregator", [
  JSON.stringify({ transactions: Number(values.transactions), latencyMs, ...history }),
]);
const { baseUrl, records } = ready as { baseUrl: string; records: number };
const expected = records * accountNames.length;
const author = { actor: "bench", requestId: "bench" };

process.stdout.write(
  `${accountNames.length} accounts of ${records} records, ${latencyMs} ms latency, ${values.concurrency} requests an account; node ${process.versions.node}\n\n`,
);
let first = 0;
for (const workers of values.workers.split(",").map(Number)) {
  const perSecond = await measure(workers);
  first ||= perSecond;
  process.stdout.write(
    `${String(workers).padStart(2)} workers   ${Math.round(perSecond)} records/s   ${(perSecond / first).toFixed(2)} ×\n`,
  );
}
aggregator.kill();
await once(aggregator, "exit");

async function measure(workers: number): Promise<number> {
  const bench = await openBenchDatabase();
  const redis = await startRedis(bench.folder);
  if (redis === null) throw new Error("this bench needs redis-server: apt-get install redis-server");
  const processes: Running[] = [];
  try {
    await bench.database.session((client) => migrateQueue(client));
    const resume = await holdAccounts(bench);
    const env = await environment(bench, redis.url);
    for (let index = 0; index < workers; index++) {
      const own = { ...env, TIEOUT_DATA_DIR: join(bench.folder, `worker-${index}`) };
      processes.push(startProcess(process.execPath, [join("dist", "src", "main.js"), "work"], own));
    }
    await Promise.all(processes.map((worker) => worker.says(/^Ready\./m, { timeoutMs: 300 * SECOND })));
    await resume();
    return await readingSpeed(bench);
  } finally {
    await Promise.all(processes.map((worker) => worker.stop()));
    await redis.stop();
    await bench.remove();
  }
}

/** So that nobody begins before all are there. */
async function holdAccounts({ database }: BenchDatabase): Promise<() => Promise<void>> {
  const wanted = accountNames.map((name) => ({ name, baseUrl, syncStart: history.from }));
  const ids = await ensureAccounts(database, wanted, "bench");
  for (const [name, id] of ids) await holdAccount(database, { id, name, reason: "bench" }, author);
  return async () => {
    for (const [name, id] of ids) await resumeAccount(database, { id, name }, author);
  };
}

async function environment(
  { folder, postgres }: BenchDatabase,
  redisUrl: string,
): Promise<Record<string, string>> {
  const accountsFile = join(folder, "accounts.json");
  const accounts = accountNames.map((name) => ({
    name,
    baseUrl,
    apiKey: `pk_${name}`,
    apiSecret: "sk_bench",
    syncStart: history.from,
  }));
  await writeFile(accountsFile, JSON.stringify(accounts), { mode: 0o600 });
  return {
    DATABASE_URL: postgres.url,
    REDIS_URL: redisUrl,
    TIEOUT_ACCOUNTS_FILE: accountsFile,
    SYNC_INTERVAL: "1s",
    SYNC_LAG: "0s",
    SYNC_CONCURRENCY: values.concurrency,
    QUOTE_SHARE_PERCENT: "0",
    LOG_LEVEL: "error",
  };
}

/** From the first record to the last, by the database's clock. */
async function readingSpeed({ database }: BenchDatabase): Promise<number> {
  await waitFor(
    "everything is read",
    async () => {
      const [row] = await database.query<{ count: number }>(
        "select count(*)::int as count from tieout.transaction_statuses",
      );
      return (row?.count ?? 0) >= expected;
    },
    { timeoutMs: 3_600 * SECOND, everyMs: 500 },
  );
  const [row] = await database.query<{ seconds: number }>(
    `select extract(epoch from max(first_seen_at) - min(first_seen_at))::double precision as seconds
     from tieout.transaction_statuses`,
  );
  return expected / (row?.seconds ?? Number.NaN);
}
