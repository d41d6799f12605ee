import { expect, test } from "vitest";
import { runTieout } from "../support/run-tieout.ts";
import { useTestDatabase } from "../support/test-database.ts";

const database = useTestDatabase();

test.each([
  ["people", "There are no people yet: tieout people link lets the first one in."],
  ["approvals", "No proposal waits."],
  ["webhooks", "There are no endpoints yet: tieout webhooks create adds one."],
  ["reader", "There are no readers yet: tieout reader add makes one."],
  ["fees", "There are no fee schedules yet: tieout fees import reads one."],
  ["rates", "There are no rates yet: tieout rates import reads some."],
  ["statement", "There are no statements yet: tieout statement import reads one."],
  ["receipt", "There are no bank files yet: tieout receipt import reads one."],
  ["keys", "There are no keys yet: tieout keys create makes one."],
])("%s list says that there is nothing, and leaves stdout to programs", async (command, says) => {
  const list = (...more: string[]) =>
    runTieout([command, "list", ...more], { DATABASE_URL: database.url.reveal() });
  expect(await list()).toMatchObject({
    code: 0,
    stdout: "",
    stderr: expect.stringContaining(says) as string,
  });
  expect((await list("--json")).stdout).toBe("[]\n");
});

test("a statement that is not there is named as the list names it", async () => {
  const { stderr } = await runTieout(["statement", "withdraw", "stm_999", "--reason", "x"], {
    DATABASE_URL: database.url.reveal(),
  });
  expect(stderr).toContain("there is no statement stm_999: see tieout statement list");
});
