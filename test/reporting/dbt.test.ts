import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { parse } from "yaml";
import { readCommitted } from "../support/committed-file.ts";
import { makeDbtSources, makeDbtTests, viewRules } from "../support/dbt-sources.ts";
import { useTestDatabase } from "../support/test-database.ts";
import { seedReporting } from "./seed-reporting.ts";

const database = useTestDatabase();
const folder = "ops/dbt";

interface Source {
  name: string;
  schema: string;
  tables: {
    name: string;
    columns: {
      name: string;
      description: string;
      data_tests?: (string | Record<string, Record<string, unknown>>)[];
    }[];
  }[];
}

async function committedSource(): Promise<Source> {
  const file = parse(await readFile(join(folder, "models/sources.yml"), "utf8")) as { sources: Source[] };
  const [source] = file.sources;
  if (source === undefined) throw new Error("no source in models/sources.yml");
  return source;
}

test("the sources are what the database says of itself (UPDATE_DOCS=1 writes them)", async () => {
  const made = await makeDbtSources(database.db);
  expect(await readCommitted(join(folder, "models/sources.yml"), made)).toBe(made);
  for (const [name, text] of makeDbtTests())
    expect(await readCommitted(join(folder, "tests", name), text)).toBe(text);
  expect((await readdir(join(folder, "tests"))).toSorted()).toEqual([...makeDbtTests().keys()].toSorted());
});

test("every view and column is there, and nothing else; every column has a description", async () => {
  const { tables } = await committedSource();
  const named = tables.flatMap(({ name, columns }) => columns.map((column) => `${name}.${column.name}`));
  const held = await database.db.query<{ name: string }>(
    `select table_name || '.' || column_name as name from information_schema.columns where table_schema = 'reporting'`,
  );
  expect(named.toSorted()).toEqual(held.map(({ name }) => name).toSorted());
  const all = tables.flatMap(({ columns }) => columns);
  expect(all.filter(({ description }) => description === "")).toEqual([]);
  const ruled = Object.entries(viewRules).flatMap(([view, { key, values, refersTo }]) =>
    [...key, ...Object.keys(values ?? {}), ...Object.keys(refersTo ?? {})].map((name) => `${view}.${name}`),
  );
  expect(ruled.filter((name) => !named.includes(name))).toEqual([]);
});

describe("the tests, as dbt puts them to the database", () => {
  beforeAll(() => seedReporting(database.db));

  test("find nothing in the seeded books, and something in what is broken", async () => {
    const { tables } = await committedSource();
    const failing: string[] = [];
    let asked = 0;
    for (const { name, columns } of tables)
      for (const { name: column, data_tests: tests = [] } of columns)
        for (const one of tests) {
          asked++;
          const rows = await database.db.query(
            `select 1 from (${columnTest(name, column, one)}) as t limit 1`,
          );
          if (rows.length > 0) failing.push(`${name}.${column} ${JSON.stringify(one)}`);
        }
    expect(failing).toEqual([]);
    expect(asked).toBeGreaterThan(50);
    for (const text of makeDbtTests().values())
      expect(await database.db.query(resolved(text.replaceAll(/^--.*$/gm, "")))).toEqual([]);
    const twice = "(select * from reporting.matches union all select * from reporting.matches) as m";
    expect(await database.db.query(columnTest(twice, "match_id", "unique", ""))).not.toEqual([]);
    const wrong = { accepted_values: { values: ["nothing"] } };
    expect(await database.db.query(columnTest("matches", "state", wrong))).not.toEqual([]);
  });
});

function resolved(text: string): string {
  return text.replaceAll(/\{\{ source\('reporting', '(\w+)'\) \}\}/g, "reporting.$1");
}

/** What dbt makes of a generic test: the rows that break it. */
function columnTest(
  view: string,
  column: string,
  one: string | Record<string, Record<string, unknown>>,
  schema = "reporting.",
): string {
  const from = `${schema}${view}`;
  if (one === "not_null") return `select 1 from ${from} where ${column} is null`;
  if (one === "unique")
    return `select ${column} from ${from} where ${column} is not null group by ${column} having count(*) > 1`;
  const [[kind, settings] = ["", {}]] = Object.entries(one);
  if (kind === "accepted_values") {
    const values = (settings["values"] as string[]).map((value) => `'${value}'`);
    return `select 1 from ${from} where ${column} not in (${values.join(", ")})`;
  }
  if (kind === "relationships") {
    const to = resolved(`{{ ${String(settings["to"])} }}`);
    const field = String(settings["field"]);
    return `select 1 from ${from} as child left join ${to} as parent on parent.${field} = child.${column}
            where child.${column} is not null and parent.${field} is null`;
  }
  throw new TypeError(`dbt has no test ${JSON.stringify(one)}`);
}
