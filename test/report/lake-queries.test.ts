import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { parseDecimal } from "../../src/core/decimal.ts";
import { writeLake } from "../../src/report/lake/write-lake.ts";
import { createFolderFiles } from "../../src/store/files/folder-files.ts";
import { withFixedClock } from "../reporting/fixed-clock.ts";
import { readSampleQueries } from "../reporting/sample-queries.ts";
import { askedAt, seedReporting } from "../reporting/seed-reporting.ts";
import { queryAsTable } from "../reporting/text-table.ts";
import { askDuckDb } from "../support/duckdb.ts";
import { useTestDatabase } from "../support/test-database.ts";

vi.setConfig({ testTimeout: 120_000 });
const database = useTestDatabase();
const queries = await readSampleQueries();
let folder = "";
let views = "";

beforeAll(async () => {
  await seedReporting(database.db);
  folder = await mkdtemp(join(tmpdir(), "tieout-lake-"));
  await writeLake({ database: database.db, files: createFolderFiles(folder) });
  views = await readFile(join(folder, "duckdb.sql"), "utf8");
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** They ask how things are at the moment; a lake cannot know. */
const ofTheMoment = ["sync_coverage", "data_freshness"];
const isOfTheMoment = ({ text }: { text: string }) => ofTheMoment.some((view) => text.includes(view));

describe("the sample queries, word for word", () => {
  test("nearly all of them are for the lake as well", () => {
    expect(queries.filter(isOfTheMoment).map(({ name }) => name)).toEqual([
      "08-gaps-in-coverage",
      "09-freshness",
    ]);
  });

  test.each(queries.filter((query) => !isOfTheMoment(query)).map(({ name, text }) => [name, text] as const))(
    "%s gives the same rows in DuckDB on the lake as in Postgres",
    async (_, text) => {
      const { columns, rows } = await askPostgres(text);
      expect(rows.length).toBeGreaterThan(0);
      const answer = await askDuckDb(views, `create macro now() as timestamptz '${askedAt}'`, asTexts(text));
      expect(Object.keys(answer[0] ?? {})).toEqual(columns);
      const inDuckDb = answer.map((row) => Object.values(row).map(canonical));
      expect(inDuckDb).toEqual(rows.map((row) => row.map(canonical)));
    },
  );
});

async function askPostgres(text: string) {
  return withFixedClock(database.db, async (session) => {
    await session.set(askedAt);
    return queryAsTable(session.client, text);
  });
}

/** Every value as DuckDB prints it. */
function asTexts(text: string): string {
  return `select columns(*)::varchar from (${text.trim().replace(/;$/, "")}\n) as answer`;
}

/** Both print times and intervals alike; `1.50` and `1.5` are one amount, `t` and `true` one truth. */
function canonical(value: unknown): unknown {
  if (typeof value !== "string") return value;
  if (value === "t" || value === "f") return value === "t" ? "true" : "false";
  return parseDecimal(value) ?? value;
}
