import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { signingKeyFingerprint } from "../src/core/webhook-signature.ts";
import { createPoster } from "../src/notify/post-event.ts";
import { startWebhookSender } from "../src/notify/webhook-sender.ts";
import { createEndpoint } from "../src/store/notify/endpoints.ts";
import { openBenchDatabase } from "./support/bench-database.ts";

/**
 * Webhooks from one process to one receiver on this machine: how many a minute when many wait, and how long from commit to
 * arrival when they come one by one. `npm run bench webhooks 20000`.
 */
const events = Number(process.argv[2] ?? 20_000);
const oneByOne = 1_000;
const signingKey = "bench";

const bench = await openBenchDatabase();
const { database } = bench;
const arrivals = new Map<string, number>();
const receiver = createServer((request, response) => {
  arrivals.set(String(request.headers["webhook-id"]), performance.now());
  request.resume().on("end", () => response.writeHead(204).end());
});
await new Promise<void>((resolve) => receiver.listen(0, "127.0.0.1", resolve));
const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}`;
await createEndpoint(
  database,
  {
    id: "bench0000000",
    url,
    description: "",
    events: ["*"],
    accountIds: null,
    keyFingerprint: signingKeyFingerprint(signingKey),
  },
  { actor: "bench" },
);

await tell(events);
const begun = performance.now();
const poster = createPoster({ allowedNetworks: ["127.0.0.0/8"], connectionsMax: 64 });
const sender = startWebhookSender({
  database,
  poster,
  signingKey,
  sender: "bench",
  now: Date.now,
  random: () => 0,
  log: { info: () => undefined, warn: () => undefined },
});
while (arrivals.size < events) await sleep(5);
const seconds = (performance.now() - begun) / 1000;

const delays: number[] = [];
for (let n = 0; n < oneByOne; n++) {
  const [id] = await tell(1);
  const committed = performance.now();
  while (!arrivals.has(`evt_${id}`)) await sleep(1);
  delays.push((arrivals.get(`evt_${id}`) ?? 0) - committed);
}
delays.sort((a, b) => a - b);
const at = (share: number) => (delays[Math.floor(share * (delays.length - 1))] ?? 0).toFixed(1);
process.stdout.write(`${events} events, one sender, one receiver, node ${process.versions.node}

delivered a minute                ${Math.round((arrivals.size - oneByOne) / (seconds / 60)).toLocaleString("en")}   aim ≥ 10,000
from commit to arrival            p50 ${at(0.5)} ms, p99 ${at(0.99)} ms   aim p99 ≤ 1,000 ms
`);

await sender.stop();
await poster.close();
receiver.closeAllConnections();
receiver.close();
await bench.remove();

async function tell(count: number): Promise<number[]> {
  const rows = await database.query<{ id: number }>(
    `insert into tieout.events (type, subject, data)
     select 'transaction.changed', 'transaction ' || n || ' ' || clock_timestamp(), '{"transaction_id": "01TX", "status": "completed"}'
     from generate_series(1, $1::int) as n
     returning id::int as id`,
    [count],
  );
  return rows.map(({ id }) => id);
}
