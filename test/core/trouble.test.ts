import { expect, test } from "vitest";
import { MINUTE } from "../../src/core/duration.ts";
import { createTrouble } from "../../src/core/trouble.ts";

test("a trouble that lasts is told when it begins, still lasts, comes again, changes, and is over; not each time", () => {
  const lines: object[] = [];
  const log = { info: (line: object) => lines.push(line), warn: (line: object) => lines.push(line) };
  let nowMs = 0;
  const trouble = createTrouble({ log, now: () => nowMs }, { event: "e" });
  trouble.over();
  for (let n = 0; n < 20; n++) {
    nowMs = n * 0.5 * MINUTE;
    trouble.came(`table ${n} has no room`, "full");
  }
  nowMs = 10 * MINUTE;
  trouble.came("table 3 has no room", "full");
  nowMs = 12 * MINUTE;
  trouble.came("table 4 has no room", "full");
  trouble.came("gone");
  trouble.came("gone");
  trouble.over();
  trouble.over();
  expect(lines).toEqual([
    { event: "e", reason: "table 0 has no room" },
    { event: "e", reason: "table 3 has no room", untold: 19 },
    { event: "e", reason: "table 4 has no room" },
    { event: "e", reason: "gone" },
    { event: "e", state: "over", untold: 1 },
  ]);
});
