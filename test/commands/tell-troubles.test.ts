import { expect, onTestFinished, test } from "vitest";
import { tellTroubles } from "../../src/commands/tell-troubles.ts";
import { createLog } from "../../src/log.ts";
import { anAccount } from "../api/some-records.ts";
import { useTestDatabase } from "../support/test-database.ts";
import { waitFor } from "../support/wait-for.ts";
import { wrapDatabase } from "../support/wrap-database.ts";

const database = useTestDatabase();

test("an outage is told once at the terminal with its reason, whatever fails meanwhile, and its end as well", async () => {
  const id = await anAccount(database.db, "eu");
  const fail = (since: string, error: string) =>
    database.db.query(
      `update tieout.accounts set failing_since = ${since}, last_error = '${error}' where id = $1`,
      [id],
    );
  const lines: string[] = [];
  let looks = 0;
  const context = { say: (line: string) => void lines.push(line), log: createLog({ level: "silent" }) };
  const watched = wrapDatabase(database.db, (next, ...statement) => {
    looks++;
    return next(...statement);
  });
  await fail("clock_timestamp() - interval '3 minutes'", "connect ECONNREFUSED");
  const telling = tellTroubles(context, watched, [{ name: "eu" }], { everyMs: 20 });
  onTestFinished(telling.stop);
  await waitFor("it is told", () => lines.length === 1);
  await fail("failing_since", "timed out");
  const before = looks;
  await waitFor("it looked again", () => looks > before + 2);
  await fail("null", "");
  await waitFor("the end is told", () => lines.length > 1);
  expect(lines).toEqual([
    expect.stringMatching(
      /^Waiting: account eu: no answer since 20\S+Z: connect ECONNREFUSED: check its address and the network; tieout keeps trying$/,
    ),
    "Reading again: account eu answers",
  ]);
});
