import { expect, test } from "vitest";
import { withSnapshot } from "../../src/store/exports/copy-report.ts";
import { useTestDatabase } from "../support/test-database.ts";

const database = useTestDatabase();
const options = { statementTimeoutMs: 10_000 };

test("what was known at a time that was found before stays so, although a session shows its beginning late", async () => {
  const later = new Date(Date.now() + 60_000).toISOString();
  const known = await withSnapshot(
    database.db,
    { ...options, knownBefore: later },
    async (snapshot) => snapshot.knownAt,
  );
  expect(Date.parse(known)).toBe(Date.parse(later));
  const alone = await withSnapshot(database.db, options, async (snapshot) => snapshot.knownAt);
  expect(Date.parse(alone)).toBeLessThan(Date.parse(later));
});
