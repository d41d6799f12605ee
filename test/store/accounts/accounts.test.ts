import { expect, test } from "vitest";
import { ensureAccounts } from "../../../src/store/accounts/accounts.ts";
import { useTestDatabase } from "../../support/test-database.ts";

const database = useTestDatabase();

test("processes that start at once on a new database agree on its accounts, and one adds each", async () => {
  const wanted = ["eu", "us"].map((name) => ({
    name,
    baseUrl: "http://localhost",
    syncStart: "2026-01-01T00:00:00Z",
  }));
  const found = await Promise.all(
    Array.from({ length: 8 }, () => ensureAccounts(database.db, wanted, "service")),
  );
  expect([...new Set(found.map((ids) => JSON.stringify([...ids])))]).toHaveLength(1);
  const added = await database.db.query(
    "select subject from tieout.audit_log where action = 'account.added' order by subject",
  );
  expect(added).toEqual([{ subject: "eu" }, { subject: "us" }]);
});
