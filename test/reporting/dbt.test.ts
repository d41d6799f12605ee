import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { parse } from "yaml";
import { z } from "zod";
import { readCommitted } from "../support/committed-file.ts";
import { makeDbtSources, makeDbtTests, viewRules } from "../support/dbt-sources.ts";
import { useTestDatabase } from "../support/test-database.ts";
import { seedReporting } from "./seed-reporting.ts";

const database = useTestDatabase();
const folder = "ops/dbt";

/** What dbt takes in the properties of a source; it ignores a word that it does not know, and the test behind it is never run. */
const columnTestSchema = z.union([
  z.enum(["not_null", "unique"]),
  z.strictObject({ accepted_values: z.strictObject({ values: z.array(z.string()).min(1) }) }),
  z.strictObject({ relationships: z.strictObject({ to: z.string(), field: z.string() }) }),
]);
const columnSchema = z.strictObject({
  name: z.string().regex(/^[a-z][a-z0-9_]*$/),
  description: z.string().min(1),
  data_type: z.string().min(1),
  data_tests: z.array(columnTestSchema).min(1).optional(),
});
const sourcesSchema = z.strictObject({
  version: z.literal(2),
  sources: z.tuple([
    z.strictObject({
      name: z.literal("reporting"),
      description: z.string().min(1),
      schema: z.literal("reporting"),
      tables: z.array(
        z.strictObject({
          name: z.string().regex(/^[a-z][a-z0-9_]*$/),
          description: z.string().min(1),
          columns: z.array(columnSchema).min(1),
        }),
      ),
    }),
  ]),
});
const projectSchema = z.strictObject({
  name: z.string().regex(/^[a-z][a-z0-9_]*$/),
  version: z.string(),
  "config-version": z.literal(2),
  profile: z.string(),
  "model-paths": z.array(z.string()),
  "test-paths": z.array(z.string()),
  "require-dbt-version": z.string(),
});

async function committedSource() {
  const { sources } = sourcesSchema.parse(await committedYaml("models/sources.yml"));
  return sources[0];
}

async function committedYaml(path: string): Promise<unknown> {
  return parse(await readFile(join(folder, path), "utf8"), { strict: true, uniqueKeys: true });
}

test("the project names the folders that are there, and only words that dbt knows", async () => {
  const project = projectSchema.parse(await committedYaml("dbt_project.yml"));
  const paths = [...project["model-paths"], ...project["test-paths"]];
  const held = await readdir(folder, { withFileTypes: true });
  expect(paths.toSorted()).toEqual(held.flatMap((one) => (one.isDirectory() ? [one.name] : [])).toSorted());
  // What every file of SQL refers to is a table of the source, and Jinja does nothing else in it.
  const { tables } = await committedSource();
  const known = new Set(tables.map(({ name }) => `{{ source('reporting', '${name}') }}`));
  for (const name of await readdir(join(folder, "tests"))) {
    const text = await readFile(join(folder, "tests", name), "utf8");
    const used = text.match(/\{[{%#].*?[}%#]\}/g) ?? [];
    expect([name, used.filter((one) => !known.has(one)), used.length > 0]).toEqual([name, [], true]);
  }
});

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
  expect(all.length).toBeGreaterThan(100);
  const ruled = Object.entries(viewRules).flatMap(([view, { key, values, refersTo }]) =>
    [...key, ...Object.keys(values ?? {}), ...Object.keys(refersTo ?? {})].map((name) => `${view}.${name}`),
  );
  expect(ruled.filter((name) => !named.includes(name))).toEqual([]);
});

describe("the tests, as dbt puts them to the database", () => {
  beforeAll(async () => {
    await seedReporting(database.db);
    // As bare as a record may be: what nobody sent is null, and no test of ours may call that a fault.
    const bare = `(account_id, transaction_id, record_hash, hash_version, status, status_rank, status_date, first_seen_at`;
    const values = `select a.id, 'bare', sha256('bare'), 1, 'completed', 60, now() - interval '1 hour', now()`;
    await database.db.query(
      `insert into tieout.transaction_statuses ${bare}, window_id)
       ${values}, (select min(id) from tieout.sync_windows) from tieout.accounts as a order by a.id limit 1`,
    );
    await database.db.query(
      `insert into tieout.transactions ${bare}, is_final, last_changed_at) ${values}, true, now() from tieout.accounts as a order by a.id limit 1`,
    );
  });

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
