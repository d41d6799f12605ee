import { loadavg } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { aGuise, gatherCrowd } from "../test/support/hostile/crowd.ts";
import { faultOf } from "../test/support/hostile/judge.ts";
import { giants } from "../test/support/hostile/giants.ts";
import { type Guise, type HostileRequest, hostileRequest } from "../test/support/hostile/requests.ts";
import { createSender, type HostileAnswer, type SendHostile } from "../test/support/hostile/send.ts";
import { readSurface } from "../test/support/hostile/surface.ts";
import { everyRole } from "../test/support/people.ts";
import { startTieout } from "../test/support/run-tieout.ts";
import { takeReceipts } from "../test/web/receipt-file.ts";
import { seedPage } from "../test/web/seed-page.ts";
import { takeStatement } from "../test/web/statement-file.ts";
import { openBenchDatabase } from "./support/bench-database.ts";
import { routesOfService } from "./support/service-routes.ts";
import { longest, type Sighting, type Watch, watchLivez } from "./support/watch.ts";

/**
 * Hostile requests to the program as it is run, on a Postgres of its own: `npm run bench fuzz -- --requests 20000 --seed 1`.
 * Looks for answers of 500 and above, for anything of our inside in an answer, and for answers that take longer than 2 s;
 * meanwhile another process asks `/livez`. What was slow is sent again by itself: only what is slow then, each time, is
 * slow because of the request. `--only N` sends request N of the seed alone, and shows it. Exits 1 when anything was found.
 */
const { values } = parseArgs({
  options: {
    requests: { type: "string", default: "20000" },
    seed: { type: "string", default: "20261116" },
    only: { type: "string" },
    "at-once": { type: "string", default: "4" },
  },
});
const seed = Number(values.seed);
const count = Number(values.requests);
const answerMsMax = 2_000;
const livezMsMax = 100;
const suspectsMax = 60;
const timesAgain = 3;
/** Of each role; a key may ask 100 times a minute, and a person 600 times. */
const ofEachRole = 40;

type Source = Parameters<typeof hostileRequest>[0];

interface Sent {
  request: HostileRequest;
  answer: HostileAnswer;
  begunAt: number;
  endedAt: number;
}

const bench = await openBenchDatabase();
const service = startTieout(["serve"], {
  DATABASE_URL: bench.postgres.url,
  TIEOUT_DATA_DIR: join(bench.folder, "service"),
  PORT: "0",
  TRUSTED_PROXIES: "127.0.0.1",
  LOG_LEVEL: "error",
});
try {
  const { database } = bench;
  await takeStatement(database, await seedPage(database, Date.now()));
  await takeReceipts(database);
  const origin = await service.ready();
  const guises = await gatherCrowd(database, ofEachRole);
  const targets = await readSurface(routesOfService(database), askAs(origin, guises));
  const from = { targets, guises, origin };
  if (values.only === undefined) await fuzz(origin, from);
  else await showOne(origin, hostileRequest(from, seed, Number(values.only)));
} finally {
  await service.stop();
  await bench.remove();
}

async function fuzz(origin: string, from: Source): Promise<void> {
  const { send, close } = createSender(origin);
  const watch = await watchLivez(origin);
  const run = await sendAll(from, send, watch);
  const slow = run.sent.filter(({ answer }) => answer.tookMs > answerMsMax);
  const holding = inFlight(run.sent, run.sightings);
  process.stderr.write(`sending ${slow.length} slow and ${holding.length} suspicious requests again\n`);
  const alone: Alone[] = [];
  for (const { request } of new Set([...slow, ...holding]))
    alone.push(await again(watch, send, describe(request), request));
  const giant: Alone[] = [];
  // Someone new: the others may have been signed out by what was sent.
  for (const one of giants(await aGuise(bench.database, "everything", everyRole, null), origin))
    giant.push(await again(watch, send, one.name, one));
  await watch.stop();
  await close();
  report(from, run, slow.length, alone, giant);
}

interface Run {
  sent: Sent[];
  /** 5xx, anything of our inside, and headers that are too large. */
  found: string[];
  unsendable: number;
  seconds: number;
  sightings: Sighting[];
}

async function sendAll(from: Source, send: SendHostile, watch: Watch): Promise<Run> {
  const run: Run = { sent: [], found: [], unsendable: 0, seconds: 0, sightings: [] };
  const [beganAt, begun] = [Date.now(), performance.now()];
  let next = 0;
  const sendOn = async () => {
    while (next < count) {
      const request = hostileRequest(from, seed, next++);
      if (next % 1_000 === 0) process.stderr.write(`${next} sent\n`);
      const begunAt = Date.now();
      const answer = await send(request);
      if (answer === null) {
        run.unsendable += 1;
        continue;
      }
      const fault = faultOf(answer);
      if (fault !== null) {
        const line = `${describe(request)} → ${fault}: ${answer.text.slice(0, 300)}`;
        run.found.push(line);
        process.stderr.write(`${line}\n`);
      }
      run.sent.push({ request, answer: { ...answer, text: "" }, begunAt, endedAt: Date.now() });
    }
  };
  await Promise.all(Array.from({ length: Number(values["at-once"]) }, sendOn));
  run.seconds = (performance.now() - begun) / 1_000;
  run.sightings = await watch.since(beganAt);
  return run;
}

function report(
  from: Source,
  run: Run,
  slow: number,
  alone: readonly Alone[],
  giant: readonly Alone[],
): void {
  const { sent, found, sightings, seconds } = run;
  const all = [...alone, ...giant];
  const wrong = [
    ...found,
    ...all.filter(({ status }) => status >= 500).map(({ name }) => `5xx when sent alone: ${name}`),
    ...alone
      .filter(({ answerMs }) => answerMs > answerMsMax)
      .map(({ name }) => `slow when sent alone: ${name}`),
    ...all
      .filter(({ livezMs }) => livezMs > livezMsMax)
      .map(({ name, livezMs }) => `holds up /livez for ${livezMs.toFixed(0)} ms: ${name}`),
  ];
  const worst = all.toSorted((a, b) => b.livezMs - a.livezMs)[0];
  const byStatus = new Map<number, number>();
  for (const { answer } of sent) byStatus.set(answer.status, (byStatus.get(answer.status) ?? 0) + 1);
  const statuses = [...byStatus].toSorted(([a], [b]) => a - b).map(([status, many]) => `${status}: ${many}`);
  const tookMs = sent.map(({ answer }) => answer.tookMs).toSorted((a, b) => a - b);
  const at = (share: number) => (tookMs[Math.floor((tookMs.length - 1) * share)] ?? 0).toFixed(0);
  const load = loadavg().map((one) => one.toFixed(1));
  const rows = giant.map(
    ({ name, status, answerMs, livezMs }) =>
      `${name.padEnd(56)} ${String(status).padStart(6)} ${answerMs.toFixed(0).padStart(10)} ${livezMs.toFixed(0).padStart(10)}`,
  );
  process.stdout
    .write(`${count.toLocaleString("en")} hostile requests to ${from.targets.length} routes, seed ${seed}, ${values["at-once"]} at once, as ${new Set(from.guises.map(({ name }) => name)).size} kinds of visitors
${seconds.toFixed(0)} s, ${(sent.length / seconds).toFixed(0)} a second; load of the machine ${load.join(" ")} (node ${process.versions.node}, ${process.platform}-${process.arch})

answers            ${statuses.join(", ")}; refused by the client: ${run.unsendable}
5xx, our inside    ${found.length}
answer in ms       p50 ${at(0.5)}, p99 ${at(0.99)}, longest ${at(1)}; over ${answerMsMax}: ${slow}
/livez in ms       longest ${longest(sightings, "livezMs").toFixed(0)} of ${sightings.length} meanwhile; an idle server beside it: longest ${longest(sightings, "idleMs").toFixed(0)}
/livez, one alone  longest ${worst?.livezMs.toFixed(0) ?? 0} ms (aim < ${livezMsMax}) of ${all.length} requests, the least of ${timesAgain} times each: ${worst?.name}

large by design, one at a time, the least of ${timesAgain} times     status  answer ms  /livez ms
${rows.join("\n")}

wrong: ${wrong.length}
${wrong.join("\n")}
`);
  if (wrong.length > 0) process.exitCode = 1;
}

/** What was on its way when `/livez` took too long and an idle server did not; those of the longest waits first. */
function inFlight(sent: readonly Sent[], sightings: readonly Sighting[]): Sent[] {
  const chosen = new Set<Sent>();
  const waits = sightings.filter(({ livezMs, idleMs }) => livezMs > livezMsMax && livezMs > 2 * idleMs);
  for (const { endedAt, livezMs } of waits.toSorted((a, b) => b.livezMs - a.livezMs))
    for (const one of sent)
      if (one.begunAt < endedAt && one.endedAt > endedAt - livezMs && chosen.size < suspectsMax)
        chosen.add(one);
  return [...chosen];
}

/** The least of a few times: what the machine does in between is not always there. */
interface Alone {
  name: string;
  status: number;
  answerMs: number;
  livezMs: number;
}

/** Sends it by itself, a few times, while someone watches. */
async function again(
  watch: Watch,
  send: SendHostile,
  name: string,
  request: Parameters<SendHostile>[0],
): Promise<Alone> {
  const least: Alone = { name, status: 0, answerMs: Infinity, livezMs: Infinity };
  process.stderr.write(`alone: ${name}\n`);
  for (let time = 0; time < timesAgain; time += 1) {
    const beganAt = Date.now();
    const answer = await send(request);
    const livezMs = longest(await watch.since(beganAt), "livezMs");
    least.status = Math.max(least.status, answer?.status ?? 0);
    least.answerMs = Math.min(least.answerMs, answer?.tookMs ?? 0);
    least.livezMs = Math.min(least.livezMs, livezMs);
  }
  return least;
}

function askAs(origin: string, guises: readonly Guise[]): (path: string) => Promise<string> {
  const all = guises.filter(({ name }) => name === "everything");
  let asked = 0;
  return async (path) => {
    const { cookie, key } = all[asked++ % all.length] ?? {};
    const headers = { cookie: cookie ?? "", authorization: `Bearer ${key}` };
    return (await fetch(origin + path, { headers })).text();
  };
}

async function showOne(origin: string, request: HostileRequest): Promise<void> {
  const { send, close } = createSender(origin);
  const answer = await send(request);
  await close();
  process.stdout.write(
    `${JSON.stringify({ ...request, body: request.body?.toString() ?? null }, null, 2)}\n`,
  );
  process.stdout.write(`${answer?.status} in ${answer?.tookMs.toFixed(0)} ms\n${answer?.text}\n`);
  process.stdout.write(service.output().stderr);
}

function describe({ number, guise, method, path }: HostileRequest): string {
  return `request ${number} as ${guise}: ${method} ${path.slice(0, 200)}`;
}
