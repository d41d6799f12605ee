import { expect, test } from "vitest";
import { anAccount } from "../api/some-records.ts";
import { runTieout } from "../support/run-tieout.ts";
import { useTestDatabase } from "../support/test-database.ts";

const database = useTestDatabase();

test("a setting is shown with the time at which it was set, as the API writes times", async () => {
  await anAccount(database.db, "eu");
  const settings = async (...args: string[]) => {
    const run = await runTieout(["settings", ...args, "--json"], { DATABASE_URL: database.url.reveal() });
    expect(run.code).toBe(0);
    return JSON.parse(run.stdout) as unknown;
  };
  const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/) as string;
  const shown = { account: "eu", name: "functional_currency", value: "EUR", version: 1, set_at: time };
  expect(await settings("set", "functional_currency", "EUR", "--reason", "ours")).toMatchObject(shown);
  expect(await settings("show", "functional_currency")).toMatchObject(shown);
  expect(await settings("show", "calendar")).toMatchObject({ version: 0, set_at: null });
});
