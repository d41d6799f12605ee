import { randomBytes } from "node:crypto";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { Redis } from "ioredis";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { makeLink } from "../../src/access/sign-in.ts";
import { noFaults } from "../../src/sandbox/transactions/faults.ts";
import { verify } from "../../src/sync/verify.ts";
import { aKey } from "../api/an-api.ts";
import { countStatusRows, type Fleet, readsFrom, startFleet, untilTiedOut } from "../support/fleet.ts";
import { aPerson } from "../support/people.ts";
import { findPgbouncer, startPgbouncer, type TestPooler } from "../support/pgbouncer.ts";
import { startRedis, type TestRedis } from "../support/redis-server.ts";
import type { Running } from "../support/run-tieout.ts";
import { startS3, type TestS3 } from "../support/s3-server.ts";
import { type BadAnswer, startSteadyCaller, type SteadyCaller } from "../support/steady-caller.ts";
import { startTcpProxy, type TcpProxy } from "../support/tcp-proxy.ts";
import { type FrozenSandbox, startFrozenSandbox } from "../support/use-sync.ts";
import { waitFor } from "../support/wait-for.ts";

/** One list of each kind: written in SQL, and written with the query builder. */
const lists = ["/v1/transactions?limit=1", "/v1/sync/windows?limit=1"];

describe.runIf(inject("redisUrl") !== null)("APIs and workers whose servers fail over", () => {
  let fleet: Fleet;
  let frozen: FrozenSandbox;
  let s3: TestS3;
  let pooler: TestPooler | null = null;
  let redisAddress: TcpProxy;
  const redises: TestRedis[] = [];
  const keys: string[] = [];
  /** One of them goes through pgbouncer, where there is one. */
  const apis: { running: Running; url: string; caller: SteadyCaller }[] = [];
  const workers: Running[] = [];

  beforeAll(async () => {
    [fleet, frozen, s3] = await Promise.all([
      startFleet({ throwAway: false }),
      startFrozenSandbox({ transactions: 400 }),
      startS3(),
    ]);
    // Slow, so that something is being read whenever a server goes away.
    frozen.sandbox.switches.faults = { ...noFaults, "latency-ms": 500 };
    const [first] = [await addRedis(), await addRedis()];
    await follow(1, 0);
    redisAddress = await startTcpProxy(portOf(first));
    const address = fleet.through(fleet.postgres.serviceUrl);
    if (findPgbouncer()) {
      for (const setting of [
        "timezone = 'UTC'",
        "search_path = tieout, public",
        "statement_timeout = '1min'",
      ])
        await fleet.db.query(`alter role tieout_service set ${setting}`);
      pooler = await startPgbouncer(fleet.folder, address, { sessions: 12 });
    }
    // All at once, on a database that nobody has used yet.
    workers.push(startWorker(), startWorker());
    const started = [address, pooler?.url ?? address].map(startApi);
    // An odd number, so that every one of them asks for every list.
    while (keys.length < 9) keys.push(await aKey(fleet.db, "accountant", { name: `caller ${keys.length}` }));
    for (const running of started) {
      const url = await running.ready();
      apis.push({ running, url, caller: startSteadyCaller(url, keys, lists) });
    }
    await Promise.all(workers.map((worker) => worker.says(/^Ready\./m)));
  });

  afterAll(async () => {
    await Promise.all(apis.map(({ caller }) => caller.stop()));
    await fleet.stop();
    await Promise.all([pooler?.stop(), s3.stop(), frozen.sandbox.close(), redisAddress.close()]);
    await Promise.all(redises.map((each) => each.stop()));
  });

  const common = () => ({
    ...s3.env,
    ...readsFrom(frozen.sandbox, frozen.fromMs),
    READ_DATABASE_URL: fleet.replica.urlFor(fleet.postgres.serviceUrl),
    REDIS_URL: redisAddress.url.replace("http:", "redis:"),
    PORT: "0",
  });
  const startApi = (DATABASE_URL: string) => fleet.start("serve", { ...common(), DATABASE_URL });
  const startWorker = () =>
    fleet.start("work", { ...common(), DATABASE_URL: fleet.through(fleet.postgres.serviceUrl) });

  async function addRedis(): Promise<TestRedis> {
    const folder = join(fleet.folder, `redis-${redises.length}`);
    await mkdir(folder);
    const redis = await startRedis(folder);
    if (redis === null) throw new Error("there was a redis-server a moment ago");
    redises.push(redis);
    return redis;
  }

  async function follow(replica: number, primary: number): Promise<void> {
    await tell(replica, (redis) => redis.replicaof("127.0.0.1", portOf(redises[primary])));
    await waitFor("one Redis follows the other", async () =>
      (await tell(replica, (redis) => redis.info("replication"))).includes("master_link_status:up"),
    );
  }

  async function tell<T>(index: number, say: (redis: Redis) => Promise<T>): Promise<T> {
    const redis = new Redis(redises[index]?.url ?? "");
    try {
      return await say(redis);
    } finally {
      redis.disconnect();
    }
  }

  /** What callers were told meanwhile. Only ever "not now, try again". */
  async function untilAllAnswer(): Promise<BadAnswer[]> {
    const bad = (await Promise.all(apis.map(({ caller }) => caller.untilWell()))).flat();
    expect(bad.filter(({ status, retryAfter }) => status !== 503 || retryAfter === null)).toEqual([]);
    return bad;
  }

  async function untilMoreIsRead(): Promise<void> {
    const before = await windowsRead(fleet);
    await waitFor("reading goes on", async () => (await windowsRead(fleet)) > before, { timeoutMs: 120_000 });
  }

  async function askForExport(url: string): Promise<string> {
    const answer = await fetch(`${url}/v1/exports`, {
      method: "POST",
      headers: { authorization: `Bearer ${keys[0]}`, "content-type": "application/json" },
      body: JSON.stringify({ report: "transactions", parameters: { partial: true } }),
    });
    expect(answer.status).toBe(202);
    return ((await answer.json()) as { id: string }).id;
  }

  /** Which worker wrote it. */
  async function untilWritten(id: string): Promise<string> {
    return waitFor(
      `${id} is written`,
      async () => {
        const [row] = await fleet.db.query<{ worker: string }>(
          "select worker from tieout.exports where id = $1 and state = 'succeeded'",
          [id],
        );
        return row?.worker;
      },
      { timeoutMs: 180_000, everyMs: 100 },
    );
  }

  async function linkTo(url: string, id: string): Promise<string> {
    const answer = await fetch(`${url}/v1/exports/${id}`, {
      headers: { authorization: `Bearer ${keys[0]}` },
    });
    return ((await answer.json()) as { download_url: string }).download_url;
  }

  const one = () => apis[0]?.url ?? "";
  const other = () => apis[1]?.url ?? "";

  test("a session and an export outlive the API and the worker that made them", async () => {
    await waitFor("something is read", async () => (await countStatusRows(fleet.db)) > 0);
    const cookie = await signIn(fleet, one());
    const id = await askForExport(one());
    const worker = await untilWritten(id);
    const link = await linkTo(one(), id);
    const writer = workers.findIndex(({ child }) => worker.endsWith(`:${child.pid}`));
    await apis[0]?.caller.stop();
    await Promise.all([apis[0]?.running.stop("SIGKILL"), workers[writer]?.stop("SIGKILL")]);

    const download = await fetch(other() + link);
    expect([download.status, (await download.text()).split("\n").length > 1]).toEqual([200, true]);
    const overview = await fetch(`${other()}/overview`, { headers: { cookie }, redirect: "manual" });
    expect(overview.status).toBe(200);
    const stranger = await fetch(`${other()}/overview`, { redirect: "manual" });
    expect(stranger.status).toBe(303);

    workers[writer] = startWorker();
    const running = startApi(fleet.through(fleet.postgres.serviceUrl));
    const url = await running.ready();
    apis[0] = { running, url, caller: startSteadyCaller(url, keys, lists) };
    await workers[writer]?.says(/^Ready\./m);
    await untilAllAnswer();
  });

  test("a primary that crashes costs callers nothing once it is back, and no work", async () => {
    const cookie = await signIn(fleet, one());
    await fleet.crashPrimary();
    await Promise.all(apis.map(({ caller }) => caller.untilRefused()));
    await fleet.startPrimary();
    await untilAllAnswer();
    await untilMoreIsRead();
    expect((await fetch(`${other()}/overview`, { headers: { cookie } })).status).toBe(200);
  });

  test("a Redis that is replaced by its replica, first in good order and then killed, costs no answer", async () => {
    // In good order: connections stay open, and lead to one that takes no more writes.
    redisAddress.leadTo(portOf(redises[1]));
    await tell(1, (redis) => redis.replicaof("NO", "ONE"));
    await follow(0, 1);
    await untilWritten(await askForExport(one()));
    await untilMoreIsRead();

    await redises[1]?.stop();
    const asked = await askForExport(one());
    redisAddress.leadTo(portOf(redises[0]));
    await tell(0, (redis) => redis.replicaof("NO", "ONE"));
    await untilWritten(await askForExport(one()));
    await untilWritten(asked);
    await untilMoreIsRead();
    expect(await untilAllAnswer()).toEqual([]);
  });

  test("a replica that takes the place of its primary goes on where that ended, and nothing is lost", async () => {
    const cookie = await signIn(fleet, one());
    await waitFor("the replica has the session", () => hasCaughtUp(fleet));
    await fleet.crashPrimary();
    const promoted = new URL(fleet.replica.urlFor(fleet.postgres.superuserUrl));
    // The address moves first, as it may: for a while it leads to a server that takes no writes.
    fleet.address.leadTo(Number(promoted.port));
    await waitFor("the address leads to the replica", () => fleet.db.query("select 1").catch(() => null));
    await fleet.db.query("select pg_promote()");
    await untilAllAnswer();
    expect((await fetch(`${other()}/overview`, { headers: { cookie } })).status).toBe(200);
    await untilWritten(await askForExport(one()));

    frozen.sandbox.switches.faults = noFaults;
    await untilTiedOut(fleet.db, frozen.sandbox);
    expect(await verify(fleet.db)).toMatchObject({ mismatches: [] });
    const ended = [...apis.map(({ running }) => running), ...workers].map(({ child }) => child.exitCode);
    expect(ended).toEqual([null, null, null, null]);
  });
});

function portOf(redis: TestRedis | undefined): number {
  return Number(new URL(redis?.url ?? "").port);
}

/** As a person does: with a link, through the form. */
async function signIn(fleet: Fleet, url: string): Promise<string> {
  const personId = await aPerson(fleet.db, "accountant");
  const link = await fleet.db.transaction((tx) =>
    makeLink(tx, randomBytes, { purpose: "sign_in", personId, createdBy: "test" }),
  );
  const answer = await fetch(`${url}/sign-in`, {
    method: "POST",
    headers: { origin: url },
    body: new URLSearchParams({ link }),
    redirect: "manual",
  });
  expect(answer.status).toBe(303);
  return answer.headers
    .getSetCookie()
    .map((cookie) => cookie.split(";")[0])
    .join("; ");
}

/** Windows are read again and again, so this grows for as long as anyone works. */
async function windowsRead({ db }: Fleet): Promise<number> {
  const [row] = await db.query<{ count: number }>(
    "select count(*)::int as count from tieout.sync_windows where state = 'sealed'",
  );
  return row?.count ?? 0;
}

async function hasCaughtUp({ db }: Fleet): Promise<boolean> {
  const [row] = await db.query<{ done: boolean }>(
    "select bool_and(replay_lsn = pg_current_wal_lsn()) as done from pg_stat_replication",
  );
  return row?.done === true;
}
