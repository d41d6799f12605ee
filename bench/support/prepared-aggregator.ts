import { createHash } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";

/**
 * An aggregator that answers from prepared bytes: every record is written once, in the order of its listing, and a page is a
 * slice of them. So what is measured is the reader, and not who answers it. It says everything in time order, by status date,
 * bounds included, with the place in the list as cursor.
 */
interface Asked {
  transactions: number;
  latencyMs: number;
  from: string;
  to: string;
}

const { transactions, latencyMs, from, to } = JSON.parse(process.argv[2] ?? "") as Asked;
const statuses = ["new", "pending", "paid", "completed"];
const fromMs = Date.parse(from);
const stepMs = (Date.parse(to) - fromMs) / (transactions + statuses.length);

const count = transactions * statuses.length;
const times = new Float64Array(count);
const starts = new Float64Array(count + 1);
const parts: Buffer[] = [];
for (let at = 0, bytes = 0; at < count; at++) {
  const { text, atMs } = recordAt(at);
  const written = Buffer.from(`${text},`);
  parts.push(written);
  times[at] = atMs;
  bytes += written.length;
  starts[at + 1] = bytes;
}
const all = Buffer.concat(parts.splice(0));

const server = createServer((request, response) => {
  setTimeout(() => answer(request, response), latencyMs);
});
server.listen(0, "127.0.0.1", () => {
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  process.send?.({ baseUrl: `http://127.0.0.1:${port}`, records: count });
});

function answer(request: IncomingMessage, response: ServerResponse): void {
  const query = new URL(request.url ?? "/", "http://127.0.0.1").searchParams;
  const limit = Number(query.get("limit") ?? 50);
  const first = Number(query.get("cursor") ?? firstFrom(Date.parse(query.get("startDateTime") ?? from)));
  const end = firstFrom(Date.parse(query.get("endDateTime") ?? to) + 1);
  const last = Math.min(first + limit, end);
  const cursor = last < end ? `,"cursor":"${last}"` : "";
  response.setHeader("content-type", "application/json");
  response.write(`{"limit":${limit}${cursor},"transactions":[`);
  if (last > first) response.write(all.subarray(starts[first], (starts[last] ?? 1) - 1));
  response.end("]}");
}

/** The first record at or after a time. */
function firstFrom(atMs: number): number {
  let low = 0;
  let high = count;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((times[middle] ?? 0) < atMs) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The four statuses of a transaction follow each other, one step apart, and mix with those of its neighbours. */
function recordAt(at: number): { text: string; atMs: number } {
  const place = at % statuses.length;
  const transaction = Math.floor(at / statuses.length) - place;
  const own = transaction < 0 ? transactions + transaction : transaction;
  const atMs = Math.round(fromMs + Math.floor(at / statuses.length) * stepMs + place);
  const digits = createHash("sha256").update(`transaction ${own}`).digest("hex");
  const status = statuses[place];
  const text = JSON.stringify({
    transactionId: asUuid(digits),
    status,
    statusDate: new Date(atMs).toISOString(),
    transactionType: "buy",
    onramp: "moonpay",
    onrampTransactionId: asUuid(digits.slice(32)),
    paymentMethod: "creditcard",
    country: "de",
    sourceCurrency: "eur",
    inAmount: 100 + (own % 900),
    targetCurrency: "usdc_base",
    outAmount: status === "completed" ? 98.25 + (own % 900) : 0,
    transactionHash: status === "completed" ? `0x${digits}` : "",
    walletAddress: `0x${digits.slice(0, 40)}`,
    apiKey: "pk_bench_0123456789",
  });
  return { text, atMs };
}

function asUuid(digits: string): string {
  return digits.slice(0, 32).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}
