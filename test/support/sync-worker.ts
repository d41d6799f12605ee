/** A worker in a process of its own, which stops itself for good, or for a while, at the place it was told. */
import { secret } from "../../src/core/secret.ts";
import { openDatabase } from "../../src/store/database.ts";
import { createUpstream } from "../../src/upstream/client.ts";
import { workAccount } from "../../src/sync/work-account.ts";
import { never, syncDeps } from "./sync-deps.ts";

export interface WorkerOrders {
  readonly databaseUrl: string;
  readonly accountId: number;
  readonly baseUrl: string;
  readonly leaseMs: number;
  readonly failpoint: string;
  readonly at: number;
  readonly signal: "SIGKILL" | "SIGSTOP";
}

const orders = JSON.parse(process.env["ORDERS"] ?? "") as WorkerOrders;
const database = openDatabase(secret(orders.databaseUrl), {
  part: "child",
  connectionsMax: 4,
  statementTimeoutMs: 30_000,
  onError: () => undefined,
});
const upstream = createUpstream({
  baseUrl: orders.baseUrl,
  apiKey: "pk_sandbox",
  apiSecret: "sk_sandbox",
  now: Date.now,
  random: () => 0.01,
  sleep: () => Promise.resolve(),
});
let times = 0;
const deps = syncDeps(database, {
  worker: "child",
  settings: { leaseMs: orders.leaseMs },
  failpoint: (name) => {
    if (name === orders.failpoint && ++times === orders.at) process.kill(process.pid, orders.signal);
  },
});
const log = { ...deps.log, warn: (line: object) => void process.stderr.write(`${JSON.stringify(line)}\n`) };
await workAccount({ ...deps, log }, { id: orders.accountId, name: "child", upstream }, never);
process.stderr.write("nothing left to do\n");
await upstream.close();
await database.close();
