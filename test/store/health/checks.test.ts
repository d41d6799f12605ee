import { expect, test } from "vitest";
import { checkNotify, clockOffsetMs, refuseWrongClock } from "../../../src/store/health/checks.ts";
import { heartbeatAgeSeconds, recordHeartbeat } from "../../../src/store/health/heartbeats.ts";
import { useTestDatabase } from "../../support/test-database.ts";

const database = useTestDatabase();

test("a clock that agrees with the database's is accepted", async () => {
  expect(Math.abs(await refuseWrongClock(database.db, Date.now))).toBeLessThan(2_000);
});

test.each([
  [3_600_000, "ahead of"],
  [-4_000, "behind"],
])("a clock that is %i ms off is refused", async (skewMs, says) => {
  const skewed = () => Date.now() + skewMs;
  await expect(refuseWrongClock(database.db, skewed)).rejects.toMatchObject({
    code: "clock_skew",
    message: expect.stringMatching(
      new RegExp(`clock is \\d+\\.\\d s ${says} the database's: set both`),
    ) as string,
  });
  expect(Math.abs((await clockOffsetMs(database.db, skewed)) - skewMs)).toBeLessThan(1_000);
});

test("a heartbeat's age is counted by the database's clock, whatever the worker's says", async () => {
  expect(await heartbeatAgeSeconds(database.db, "heartbeat")).toBeNull();
  await recordHeartbeat(database.db, { job: "heartbeat", worker: "w", workerAtMs: 0 });
  expect(await heartbeatAgeSeconds(database.db, "heartbeat")).toBeLessThan(10);
});

test("a notification goes from one session to another", async () => {
  await expect(checkNotify(database.db)).resolves.toBeUndefined();
});
