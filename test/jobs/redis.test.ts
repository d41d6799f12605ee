import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, inject, test } from "vitest";
import { refuseUnsafeRedis } from "../../jobs/connection.ts";
import { secret } from "../../src/core/secret.ts";
import { freePort } from "../support/free-port.ts";
import { startRedis } from "../support/redis-server.ts";

test("a Redis that does not answer is named, without its password", async () => {
  const url = `redis://:canary@127.0.0.1:${await freePort()}`;
  const error = await refuseUnsafeRedis(secret(url)).catch((caught: unknown) => caught);
  expect(error).toMatchObject({
    code: "queue_unreachable",
    message: expect.stringContaining("does not answer") as string,
  });
  expect((error as Error).message).not.toContain("canary");
});

describe.runIf(inject("redisUrl") !== null)("a Redis at hand", () => {
  test("is accepted when it never drops keys", async () => {
    await expect(refuseUnsafeRedis(secret(inject("redisUrl") ?? ""))).resolves.toBeUndefined();
  });

  test.each([
    ["may drop keys", ["--maxmemory-policy", "allkeys-lru"], "allkeys-lru): set it to noeviction"],
    ["does not know us", ["--requirepass", "canary"], "refused the password: correct REDIS_URL"],
  ])("is refused when it %s", async (_, flags, says) => {
    const folder = await mkdtemp(join(tmpdir(), "tieout-redis-"));
    const redis = await startRedis(folder, flags);
    const error = await refuseUnsafeRedis(secret(redis?.url ?? "")).catch((caught: unknown) => caught);
    await redis?.stop();
    await rm(folder, { recursive: true });
    expect(error).toMatchObject({ message: expect.stringContaining(says) as string });
  });
});
