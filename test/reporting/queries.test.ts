import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { readCommitted } from "../support/committed-file.ts";
import { useTestDatabase } from "../support/test-database.ts";
import { withFixedClock } from "./fixed-clock.ts";
import { describeQueries, queriesDir, readSampleQueries } from "./sample-queries.ts";
import { askedAt, seedReporting } from "./seed-reporting.ts";
import { queryAsTable } from "./text-table.ts";

const database = useTestDatabase();
const queries = await readSampleQueries();

beforeAll(() => seedReporting(database.db));

describe("the sample queries", () => {
  test("are many, and each says what it answers", () => {
    expect(queries.length).toBeGreaterThanOrEqual(14);
    expect(queries.filter(({ question }) => !question.endsWith("?"))).toEqual([]);
    expect(queries.filter(({ grain }) => !grain.startsWith("one row per "))).toEqual([]);
  });

  test.each(queries.map((query) => [query.name, query] as const))(
    "%s answers the reader as committed (UPDATE_DOCS=1 writes it)",
    async (name, query) => {
      const answer = await askAsReader(query.text);
      expect(answer.columns).toEqual(query.columns);
      expect(answer.rowCount).toBeGreaterThan(0);
      const held = await readCommitted(join(queriesDir, `${name}.expected.txt`), answer.table);
      expect(held).toBe(answer.table);
    },
  );

  test("are listed in their table of contents (UPDATE_DOCS=1 writes it)", async () => {
    const contents = describeQueries(queries);
    expect(await readCommitted(join(queriesDir, "README.md"), contents)).toBe(contents);
  });
});

async function askAsReader(text: string): ReturnType<typeof queryAsTable> {
  return withFixedClock(database.db, async (session) => {
    await session.set(askedAt);
    await session.client.query("begin read only; set local role tieout_reader");
    try {
      return await queryAsTable(session.client, text);
    } finally {
      await session.client.query("rollback");
    }
  });
}
