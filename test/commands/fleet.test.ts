import { rm } from "node:fs/promises";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { afterAll, beforeAll, describe, expect, inject, onTestFinished, test } from "vitest";
import { formatInstant } from "../../src/core/instant.ts";
import { secret } from "../../src/core/secret.ts";
import { noFaults } from "../../src/sandbox/transactions/faults.ts";
import type { Database } from "../../src/store/database.ts";
import { type EmbeddedPostgres, startEmbeddedPostgres } from "../../src/store/embedded/embedded-postgres.ts";
import { verify } from "../../src/sync/verify.ts";
import { aKey } from "../api/an-api.ts";
import { freePort } from "../support/free-port.ts";
import { compareWithLedger, readLedger, tiedOut } from "../support/ledger-oracle.ts";
import { openFolder } from "../support/open-folder.ts";
import { startRedis } from "../support/redis-server.ts";
import { startReplica, type TestReplica } from "../support/replica.ts";
import { type Running, runTieout, startTieout } from "../support/run-tieout.ts";
import { openTestDatabase } from "../support/test-database.ts";
import { openFrozenSandbox } from "../support/use-sync.ts";
import { waitFor } from "../support/wait-for.ts";

let folder = "";
let postgres: EmbeddedPostgres;
let replica: TestReplica;
let db: Database;
const running: Running[] = [];

beforeAll(async () => {
  folder = await openFolder("tieout-fleet-");
  postgres = await startEmbeddedPostgres(join(folder, "data"), { throwAway: true });
  const migrated = await runTieout(["migrate"], { DATABASE_URL: postgres.url });
  if (migrated.code !== 0) throw new Error(migrated.stderr);
  replica = await startReplica(postgres, folder);
  db = openTestDatabase(secret(Object.assign(new URL(postgres.superuserUrl), { pathname: "/tieout" }).href));
});

afterAll(async () => {
  await Promise.all(running.map((each) => each.stop()));
  await db.close();
  await replica.stop();
  await postgres.leave();
  await rm(folder, { recursive: true, force: true });
});

describe.runIf(inject("redisUrl") !== null)(
  "two APIs and two workers on a primary, a replica and a Redis",
  () => {
    test("lose nothing when one of each is killed, Redis comes back empty and the replica goes away", async () => {
      const { sandbox, fromMs } = await openFrozenSandbox({ transactions: 400 });
      sandbox.switches.faults = { ...noFaults, "latency-ms": 60 };
      const redisPort = await freePort();
      const redis = await startRedis(folder, [], redisPort);
      const env = {
        DATABASE_URL: postgres.serviceUrl,
        READ_DATABASE_URL: replica.urlFor(postgres.serviceUrl),
        REDIS_URL: `redis://127.0.0.1:${redisPort}`,
        UPSTREAM_BASE_URL: sandbox.url,
        UPSTREAM_API_KEY: "pk_sandbox",
        UPSTREAM_API_SECRET: "sk_sandbox",
        SYNC_START: formatInstant(fromMs),
        SYNC_INTERVAL: "5s",
        SYNC_CONCURRENCY: "2",
      };
      const start = (command: string, more: Record<string, string>) => {
        const started = startTieout([command], {
          ...env,
          TIEOUT_DATA_DIR: join(folder, `${command}-${running.length}`),
          ...more,
        });
        running.push(started);
        return started;
      };
      const [first, second] = [start("work", {}), start("work", {})];
      const [oneApi, otherApi] = [start("serve", { PORT: "0" }), start("serve", { PORT: "0" })];
      const [oneUrl, otherUrl] = await Promise.all([oneApi.ready(), otherApi.ready()]);
      await Promise.all([first.says(/^Ready\./m), second.says(/^Ready\./m)]);
      const key = await aKey(db, "viewer");
      const ask = async (url: string) => {
        const answer = await fetch(`${url}/v1/transactions?limit=1`, {
          headers: { authorization: `Bearer ${key}` },
        });
        return { status: answer.status, shown: ((await answer.json()) as { data?: unknown[] }).data?.length };
      };

      await waitFor("some pages are kept", async () => (await countRows()) > 50);
      await waitFor(
        "the replica is asked",
        async () => {
          await Promise.all([ask(oneUrl), ask(otherUrl)]);
          return otherApi.output().stderr.includes('"event":"replica_asked"');
        },
        { timeoutMs: 60_000 },
      );
      expect(await ask(otherUrl)).toEqual({ status: 200, shown: 1 });

      await first.stop("SIGKILL");
      await oneApi.stop("SIGKILL");
      await redis?.stop();
      await replica.stop();
      const emptyRedis = await startRedis(folder, [], redisPort);
      onTestFinished(() => emptyRedis?.stop());
      expect(await ask(otherUrl)).toEqual({ status: 200, shown: 1 });

      const expected = await readLedger(sandbox);
      const [account] = await db.query<{ id: number }>("select id from tieout.accounts");
      // Windows are planned all the time: there is an end when for a moment none is left.
      const tiesOut = async () =>
        isDeepStrictEqual(await compareWithLedger(db, account?.id ?? 0, expected), tiedOut);
      await waitFor("everything is read and ties out", tiesOut, { timeoutMs: 240_000, everyMs: 250 });
      expect(await verify(db)).toMatchObject({ mismatches: [] });

      await replica.start();
      const before = asked(otherApi);
      await waitFor(
        "the replica is asked again",
        async () => {
          expect(await ask(otherUrl)).toEqual({ status: 200, shown: 1 });
          return asked(otherApi) > before;
        },
        { timeoutMs: 60_000, everyMs: 250 },
      );
      await Promise.all([second.stop(), otherApi.stop()]);
      await emptyRedis?.stop();
    }, 300_000);
  },
);

async function countRows(): Promise<number> {
  const [row] = await db.query<{ count: number }>(
    "select count(*)::int as count from tieout.transaction_statuses",
  );
  return row?.count ?? 0;
}

function asked(api: Running): number {
  return api.output().stderr.split('"event":"replica_asked"').length - 1;
}
