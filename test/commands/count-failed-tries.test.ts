import { expect, test } from "vitest";
import { countFailedTries } from "../../src/commands/count-failed-tries.ts";

test("failed tries are counted instead of logged, except for those who want everything; all else is logged as it is", () => {
  const lines: unknown[] = [];
  const write = (level: string) => (fields: object) => void lines.push([level, fields]);
  const { log, count } = countFailedTries({
    debug: write("debug"),
    info: write("info"),
    warn: write("warn"),
    error: write("error"),
  });
  const failed = { event: "window_failed", window_id: 7 };
  log.warn(failed);
  log.error(failed);
  log.warn({ event: "lease_lost" });
  log.error({ event: "account_refused" });
  expect(count()).toBe(2);
  expect(lines).toEqual([
    ["debug", failed],
    ["debug", failed],
    ["warn", { event: "lease_lost" }],
    ["error", { event: "account_refused" }],
  ]);
});
