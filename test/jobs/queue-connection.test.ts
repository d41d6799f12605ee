import { describe, expect, test, type TestContext } from "vitest";
import { postgresEngine, watchConnection } from "../../jobs/connection.ts";
import { secret } from "../../src/core/secret.ts";
import type { Log } from "../../src/log.ts";
import { startLastWordServer } from "../support/last-word-server.ts";
import { type Mishaps, startTcpProxy } from "../support/tcp-proxy.ts";
import { useTestDatabase } from "../support/test-database.ts";
import { waitFor } from "../support/wait-for.ts";

const database = useTestDatabase();

// From before the first byte of the handshake until after the answer to the first question, which is some 700 bytes in.
const places = Array.from({ length: 16 }, (_, place) => 1 + place * 70);

describe("a line that is cut while a queue and a worker first ask for their tables", () => {
  test.concurrent.for(places.flatMap((bytes) => [{ cutAfterBytes: bytes }, { resetAfterBytes: bytes }]))(
    "%o: the process stays, and the first job is done once the line is back",
    async (mishap, context) => {
      const line = await openLine(context, mishap);
      await waitFor("it was cut and tried again", () => line.connections() >= 4);
      line.mend();
      await line.doesOneJob(`cut-${Object.keys(mishap)[0]}-${Object.values(mishap)[0]}`);
    },
  );
});

test("tables that are not there yet keep a worker waiting, not busy; and are found once they are there", async (context) => {
  await database.db.query("alter schema queue rename to queue_elsewhere");
  const line = await openLine(context);
  try {
    await waitFor("it was refused", () => line.refusals() >= 2);
    const before = line.refusals();
    await new Promise((resolve) => setTimeout(resolve, 2_000));
    expect(line.refusals() - before).toBeLessThan(20);
  } finally {
    await database.db.query("alter schema queue_elsewhere rename to queue");
  }
  await line.doesOneJob("late-tables");
});

test("a server that takes no writes is asked now and then, and told of once; and is used once it takes them", async (context) => {
  const name = new URL(database.url.reveal()).pathname.slice(1);
  const lines: object[] = [];
  const log = { warn: (line: object) => lines.push(line) } as unknown as Log;
  await database.db.query(`alter database "${name}" set default_transaction_read_only = on`);
  const line = await openLine(context);
  watchConnection(line.worker, { lane: line.lane, log, now: Date.now });
  try {
    await waitFor("it was refused", () => line.refusals() >= 2);
    const before = line.refusals();
    await new Promise((resolve) => setTimeout(resolve, 2_000));
    expect(line.refusals() - before).toBeLessThan(20);
    expect(lines).toMatchObject([{ event: "queue_connection", lane: line.lane }]);
  } finally {
    await database.db.query(`alter database "${name}" reset default_transaction_read_only`);
    await database.db.query(
      "select pg_terminate_backend(pid) from pg_stat_activity where application_name in ('tieout:start', $1)",
      [line.lane],
    );
  }
  await line.doesOneJob("writes-again");
});

test("a server whose first word is its last ends neither a queue nor a worker", async () => {
  const server = await startLastWordServer();
  const engine = postgresEngine(secret(server.url), "tieout:test");
  const opened = [engine.openQueue("last"), engine.openWorker("last", async () => undefined, { name: "w" })];
  for (const one of opened) one.on("error", () => undefined);
  await waitFor("both have asked again", () => server.clients() >= 4);
  await Promise.all(opened.map((one) => one.close()));
  server.close();
});

test("a database that is starting is asked now and then, not without a pause; and is used once it is up", async (context) => {
  const starting = await startLastWordServer("starting");
  context.onTestFinished(() => starting.close());
  const line = await openLine(context);
  await line.doesOneJob("before");
  line.leadTo(starting.port);
  await database.db.query(
    "select pg_terminate_backend(pid) from pg_stat_activity where application_name in ('tieout:start', $1)",
    [line.lane],
  );
  await waitFor("it was refused", () => starting.clients() >= 2);
  const before = starting.clients();
  await new Promise((resolve) => setTimeout(resolve, 2_000));
  expect(starting.clients() - before).toBeLessThan(30);
  line.leadTo(line.port);
  await line.doesOneJob("after");
});

/** A worker that missed the notification of a job looks for jobs by itself after a minute. */
const workerLooksWithinMs = 90_000;

/** Closed by the test that is given: of several that run at once, Vitest cannot know which one asked. */
async function openLine({ onTestFinished }: Pick<TestContext, "onTestFinished">, mishap: Mishaps = {}) {
  const real = new URL(database.url.reveal());
  const port = Number(real.port);
  const proxy = await startTcpProxy(port, mishap);
  real.port = new URL(proxy.url).port;
  const engine = postgresEngine(secret(real.href), "tieout:start");
  const lane = `cut${new URL(proxy.url).port}`;
  const done: string[] = [];
  let refusals = 0;
  const queue = engine.openQueue(lane);
  const worker = engine.openWorker(lane, async (job) => void done.push(job.name), {
    name: "w",
    // A job that was handed out on a line that was then cut comes back as stalled.
    lockDuration: 1_000,
    stalledInterval: 500,
    maxStalledCount: 20,
  });
  queue.on("error", () => undefined);
  worker.on("error", () => void refusals++);
  onTestFinished(async () => {
    await Promise.all([worker.close(true), queue.close()].map((closed) => closed.catch(() => undefined)));
    await proxy.close();
  });
  return {
    lane,
    port,
    worker,
    leadTo: (target: number) => proxy.leadTo(target),
    connections: () => proxy.connections,
    refusals: () => refusals,
    mend: () => proxy.set({}),
    async doesOneJob(name: string) {
      await waitFor("the queue takes a job", () =>
        queue.add(name, {}).then(
          () => true,
          () => false,
        ),
      );
      await waitFor("the job is done", () => done.includes(name), { timeoutMs: workerLooksWithinMs });
    },
  };
}
