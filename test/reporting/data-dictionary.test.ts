import { expect, test } from "vitest";
import { statementsOn } from "../../src/store/database.ts";
import { readCommitted } from "../support/committed-file.ts";
import { makeDataDictionary } from "../support/data-dictionary.ts";
import { useTestDatabase } from "../support/test-database.ts";

const database = useTestDatabase();

test("the data dictionary is what the database says of itself (UPDATE_DOCS=1 writes it)", async () => {
  const made = await makeDataDictionary(database.db);
  expect(made).toContain("### reporting.daily_summary");
  expect(made).toContain("### tieout.sync_windows");
  expect(made.indexOf("### reporting.")).toBeLessThan(made.indexOf("### tieout."));
  expect(await readCommitted("docs/data-dictionary.md", made)).toBe(made);
});

test("a new column shows up in it, whatever characters its comment has", async () => {
  const made = await database.db.session(async (client) => {
    await client.query("begin");
    await client.query("alter table tieout.accounts add column colour text");
    await client.query("comment on column tieout.accounts.colour is E'red | green\\nor blue'");
    const dictionary = await makeDataDictionary(statementsOn(client));
    await client.query("rollback");
    return dictionary;
  });
  expect(made).toContain("| `colour` | text | red \\| green or blue |");
});
