import { afterAll, beforeAll, describe, expect, inject, onTestFinished, test } from "vitest";
import { noFaults } from "../../src/sandbox/transactions/faults.ts";
import { verify } from "../../src/sync/verify.ts";
import { aKey } from "../api/an-api.ts";
import { countStatusRows, type Fleet, readsFrom, startFleet, untilTiedOut } from "../support/fleet.ts";
import { freePort } from "../support/free-port.ts";
import { startRedis } from "../support/redis-server.ts";
import type { Running } from "../support/run-tieout.ts";
import { openFrozenSandbox } from "../support/use-sync.ts";
import { waitFor } from "../support/wait-for.ts";

let fleet: Fleet;

beforeAll(async () => {
  fleet = await startFleet({ throwAway: true });
});

afterAll(() => fleet.stop());

describe.runIf(inject("redisUrl") !== null)(
  "two APIs and two workers on a primary, a replica and a Redis",
  () => {
    test("lose nothing when one of each is killed, Redis comes back empty and the replica goes away", async () => {
      const { db, replica } = fleet;
      const { sandbox, fromMs } = await openFrozenSandbox({ transactions: 400 });
      sandbox.switches.faults = { ...noFaults, "latency-ms": 60 };
      const redisPort = await freePort();
      const redis = await startRedis(fleet.folder, [], redisPort);
      const env = {
        ...readsFrom(sandbox, fromMs),
        DATABASE_URL: fleet.postgres.serviceUrl,
        READ_DATABASE_URL: replica.urlFor(fleet.postgres.serviceUrl),
        REDIS_URL: `redis://127.0.0.1:${redisPort}`,
      };
      const start = (command: "serve" | "work") => fleet.start(command, { ...env, PORT: "0" });
      const [first, second] = [start("work"), start("work")];
      const [oneApi, otherApi] = [start("serve"), start("serve")];
      const [oneUrl, otherUrl] = await Promise.all([oneApi.ready(), otherApi.ready()]);
      await Promise.all([first.says(/^Ready\./m), second.says(/^Ready\./m)]);
      const key = await aKey(db, "viewer");
      const ask = async (url: string) => {
        const answer = await fetch(`${url}/v1/transactions?limit=1`, {
          headers: { authorization: `Bearer ${key}` },
        });
        return { status: answer.status, shown: ((await answer.json()) as { data?: unknown[] }).data?.length };
      };

      await waitFor("some pages are kept", async () => (await countStatusRows(db)) > 50);
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
      const emptyRedis = await startRedis(fleet.folder, [], redisPort);
      onTestFinished(() => emptyRedis?.stop());
      expect(await ask(otherUrl)).toEqual({ status: 200, shown: 1 });

      await untilTiedOut(db, sandbox);
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
    });
  },
);

function asked(api: Running): number {
  return api.output().stderr.split('"event":"replica_asked"').length - 1;
}
