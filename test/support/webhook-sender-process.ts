/** A sender in a process of its own, which kills itself at the place it was told. */
import { secret } from "../../src/core/secret.ts";
import { createPoster } from "../../src/notify/post-event.ts";
import { startWebhookSender } from "../../src/notify/webhook-sender.ts";
import { openDatabase } from "../../src/store/database.ts";

export interface SenderOrders {
  readonly databaseUrl: string;
  readonly signingKey: string;
  readonly leaseMs: number;
  readonly failpoint: string;
  readonly at: number;
}

const orders = JSON.parse(process.env["ORDERS"] ?? "") as SenderOrders;
const database = openDatabase(secret(orders.databaseUrl), {
  part: "child",
  connectionsMax: 4,
  statementTimeoutMs: 30_000,
  onError: () => undefined,
});
let times = 0;
startWebhookSender({
  database,
  poster: createPoster({ allowedNetworks: ["127.0.0.0/8"], connectionsMax: 8 }),
  signingKey: orders.signingKey,
  sender: `child ${process.pid}`,
  now: Date.now,
  random: () => 0,
  log: { info: () => undefined, warn: () => undefined },
  concurrency: 4,
  leaseMs: orders.leaseMs,
  failpoint: (name) => {
    if (name === orders.failpoint && ++times === orders.at) process.kill(process.pid, "SIGKILL");
  },
});
