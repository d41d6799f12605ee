import { rm } from "node:fs/promises";
import { describe, expect, inject, test } from "vitest";
import { aKey } from "../api/an-api.ts";
import { freePort } from "../support/free-port.ts";
import { openFolder } from "../support/open-folder.ts";
import { startRedis } from "../support/redis-server.ts";
import { startTieout, withDataDir } from "../support/run-tieout.ts";
import { useTestDatabase } from "../support/test-database.ts";
import { waitFor } from "../support/wait-for.ts";

const database = useTestDatabase();

async function lookAt(url: string) {
  const answer = await fetch(`${url}/readyz`);
  const { checks } = (await answer.json()) as { checks: { queue: { state: string; reason?: string } } };
  return { status: answer.status, queue: checks.queue };
}

describe.runIf(inject("redisUrl") !== null)("a Redis that goes away while the service runs", () => {
  test("is reported, and used again when it is back", async () => {
    const folder = await openFolder("tieout-redis-");
    const port = await freePort();
    const first = await startRedis(folder, [], port);
    await withDataDir(async (dataDir) => {
      const running = startTieout(["up"], {
        DATABASE_URL: database.url.reveal(),
        REDIS_URL: `redis://127.0.0.1:${port}`,
        TIEOUT_DATA_DIR: dataDir,
        PORT: "0",
      });
      const url = await running.ready();
      await waitFor("it is ready", async () => (await fetch(`${url}/readyz`)).status === 200);
      await first?.stop();
      await waitFor("it is reported", async () => (await lookAt(url)).queue.state === "failing");
      // All that is asked of the API is done: it must not be taken out of service.
      const { status: answered, queue } = await lookAt(url);
      expect(answered).toBe(200);
      expect(queue.reason).toMatch(/the queue does not answer|no answer within/);
      expect((await fetch(`${url}/livez`)).status).toBe(200);

      // Written, and so accepted. Reconnecting takes longer each time, and no caller waits for it.
      const key = await aKey(database.db, "admin");
      const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
      const body = JSON.stringify({ report: "discrepancies", format: "csv" });
      const asked = async () => {
        const begun = performance.now();
        const { status } = await fetch(`${url}/v1/exports`, { method: "POST", headers, body });
        return { status, soon: performance.now() - begun < 5_000 };
      };
      for (let n = 0; n < 5; n++) expect(await asked()).toEqual({ status: 202, soon: true });

      const second = await startRedis(folder, [], port);
      await waitFor("it is used again", async () => (await lookAt(url)).queue.state === "ok");
      expect((await running.stop()).stderr).toContain("Stopped.");
      await second?.stop();
    });
    await rm(folder, { recursive: true, force: true });
  });

  // BullMQ waits for ever for a connection to end that is just being made again.
  test("keeps no worker from ending, which says that it cannot work", { timeout: 60_000 }, async () => {
    const folder = await openFolder("tieout-redis-");
    const port = await freePort();
    const redis = await startRedis(folder, [], port);
    await withDataDir(async (dataDir) => {
      const running = startTieout(["work"], {
        DATABASE_URL: database.url.reveal(),
        REDIS_URL: `redis://127.0.0.1:${port}`,
        TIEOUT_DATA_DIR: dataDir,
        WORK_PORT: "0",
      });
      const [, url = ""] = await running.says(/Health and figures: (\S+)\/readyz/);
      await waitFor("it is ready", async () => (await fetch(`${url}/readyz`)).status === 200);
      await redis?.stop();
      await waitFor("it is not ready", async () => (await fetch(`${url}/readyz`)).status === 503);
      const { code, stderr } = await running.stop();
      expect(stderr).toContain("Stopped.");
      expect(code).toBe(0);
    });
    await rm(folder, { recursive: true, force: true });
  });
});
