import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { anAccount } from "../api/some-records.ts";
import { openFolder } from "../support/open-folder.ts";
import { runTieout } from "../support/run-tieout.ts";
import { useTestDatabase } from "../support/test-database.ts";

const database = useTestDatabase();
const folder = await openFolder("tieout-words-");

beforeAll(async () => {
  await anAccount(database.db, "acme");
});

afterAll(() => rm(folder, { recursive: true, force: true }));

test.each([
  [
    "a setting",
    ["settings", "set", "calendar", "@FILE", "--reason", "x"],
    { zone: 5, colour: "red" },
    ["calendar.zone must be a text, not a number", "calendar has no field colour"],
  ],
  [
    "a profile",
    ["statement", "preview", "test/fixtures/statements/moonpay.csv", "--profile", "FILE"],
    { name: "own", version: 1, columns: [], required: [], identity: { mode: "some" }, colour: "red" },
    [
      "provider: is missing",
      "columns: must be an object, not a list",
      "identity.mode: must be one of unique, counted",
      "profile: has no field colour",
    ],
  ],
  [
    "a fee schedule",
    ["fees", "import", "FILE", "--reason", "x", "--preview"],
    { provider: "kappa", terms: [{ kind: 1, colour: "red" }] },
    ["terms.0 kind: must be one of share, processing_fee, total_fee", "terms.0: has no field colour"],
  ],
  [
    "a profile of a bank",
    ["receipt", "preview", "test/fixtures/statements/moonpay.csv", "--profile", "FILE"],
    { name: 5, columns: { amount: 5 }, colour: "red" },
    [
      "name: must be a text, not a number; columns.amount: must be a list, not a number; profile: has no field colour",
    ],
  ],
  [
    "the sandbox's accounts",
    ["sandbox", "--port", "0", "--accounts", "FILE"],
    [{ name: 5, apiKey: "k", apiSecret: "s", colour: "red" }],
    ["[0].name: must be a text, not a number", "[0]: has no field colour"],
  ],
])("what is wrong with %s is said in words, field by field", async (_, args, content, words) => {
  const file = join(folder, "given.json");
  await writeFile(file, JSON.stringify(content));
  const { code, stderr } = await runTieout(
    args.map((arg) => arg.replace("FILE", file)),
    { DATABASE_URL: database.url.reveal() },
  );
  expect(code).not.toBe(0);
  for (const each of words) expect(stderr).toContain(each);
  expect(stderr).not.toMatch(/Invalid|Unrecognized|expected \w+, received/);
});
