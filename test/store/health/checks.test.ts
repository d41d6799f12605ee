import { expect, test } from "vitest";
import {
  checkNotify,
  checkWrites,
  clockOffsetMs,
  refuseWrongClock,
} from "../../../src/store/health/checks.ts";
import { heartbeatAgeSeconds, recordHeartbeat } from "../../../src/store/health/heartbeats.ts";
import { useTestDatabase } from "../../support/test-database.ts";
import { wrapDatabase } from "../../support/wrap-database.ts";

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

test("a server that takes writes is told from one whose disk has no room, and from one that is read only", async () => {
  await expect(checkWrites(database.db)).resolves.toBeUndefined();
  // What a transaction may put on the disk stands in for a disk that is nearly full.
  const nearlyFull = wrapDatabase(database.db, async (next, ...statement) => {
    await next("set local temp_file_limit = '500kB'");
    return next(...statement);
  });
  await expect(checkWrites(nearlyFull)).rejects.toMatchObject({ code: "53400" });
  const readOnly = wrapDatabase(database.db, async (next, ...statement) => {
    await next("set local transaction_read_only = on");
    return next(...statement);
  });
  await expect(checkWrites(readOnly)).rejects.toThrow("takes no writes");
});
