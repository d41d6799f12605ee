import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { addDecimals, decimal, zero } from "../../src/core/decimal.ts";
import { parquetOf } from "../../src/report/parquet/parquet.ts";
import { csvOf } from "../../src/report/xlsx/report-workbook.ts";
import { reports } from "../../src/report/catalogue.ts";
import { reportId } from "../../src/report/report.ts";
import { askDuckDb } from "../support/duckdb.ts";
import { useTestDatabase } from "../support/test-database.ts";
import {
  inOctober,
  keepAccount,
  keepTransactions,
  october,
  openStream,
  readAll,
  readReport,
  requestFor,
} from "./books.ts";

const database = useTestDatabase();
let folder = "";
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "tieout-parquet-"));
  const account = await keepAccount(database.db, "default");
  const texts = ["plain", "", "two\nlines", 'a "quote", and a comma', "=1+1", "😀", "null"];
  await keepTransactions(
    database.db,
    account,
    texts.map((text, index) => ({
      transaction_id: `t${index}`,
      provider_transaction_id: text,
      country: index === 2 ? null : "de",
      in_amount:
        ["-12.50", "99999999999999999999.999999999999999999", "0.000000000000000001"][index % 3] ?? null,
      status_date: `2026-10-${index + 10}T01:02:03.000456Z`,
    })),
  );
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function parquetFile(name: string, bytes: Buffer): Promise<string> {
  const path = join(folder, `${name}.parquet`);
  await writeFile(path, bytes);
  return path;
}

test("every report as Parquet holds what its JSON lines hold, as DuckDB reads it", async () => {
  let compared = 0;
  for (const report of reports) {
    const given = { ...inOctober(report), tz: ["Asia/Kathmandu"] };
    const lines = await readReport(database.db, requestFor(reportId(report), given, "jsonl"));
    const wanted = lines
      .split("\n")
      .filter(Boolean)
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    const { body } = await openStream(database.db, requestFor(reportId(report), given, "parquet"));
    const path = await parquetFile(report.name, await readAll(body));
    const shown = report.columns.map(({ name, type }) => {
      const column = `"${name}"`;
      if (type === "time") return `strftime(${column}, '%Y-%m-%dT%H:%M:%S.%fZ') as ${column}`;
      return type === "boolean" ? column : `${column}::varchar as ${column}`;
    });
    const found = await askDuckDb(`select ${shown.join(", ")} from '${path}'`);
    expect(found.map((row) => report.columns.map(({ name, type }) => plainValue(type, row[name])))).toEqual(
      wanted.map((row) => report.columns.map(({ name, type }) => plainValue(type, row[name]))),
    );
    compared += found.length;
  }
  expect(compared).toBeGreaterThan(20);
});

function plainValue(type: string, value: unknown): unknown {
  if (typeof value === "boolean") return value;
  if (typeof value !== "string" && typeof value !== "number") return null;
  if (type === "amount") return addDecimals(decimal(String(value)), zero);
  if (type === "integer") return String(value);
  return type === "time" ? String(value).replace(/0{3}Z$/, "Z") : value;
}

test("types are what a warehouse expects, and a column with a longer amount is a text", async () => {
  const columns = ["in_amount", "status_at", "status_date", "is_final", "country"];
  const ask = async (name: string) => {
    const request = requestFor("transactions", { ...october, columns }, "parquet");
    const path = await parquetFile(name, await readAll((await openStream(database.db, request)).body));
    const rows = await askDuckDb(`describe select * from '${path}'`);
    return rows.map(({ column_name, column_type }) => `${String(column_name)} ${String(column_type)}`);
  };
  const types = [
    "status_at TIMESTAMP WITH TIME ZONE",
    "status_date DATE",
    "is_final BOOLEAN",
    "country VARCHAR",
  ];
  expect(await ask("typed")).toEqual(["in_amount DECIMAL(38,18)", ...types]);
  await database.db.query("update tieout.transactions set in_amount = 1e-19 where transaction_id = 't0'");
  expect(await ask("long")).toEqual(["in_amount VARCHAR", ...types]);
  const [row] = await askDuckDb(
    `select in_amount from '${folder}/long.parquet' where in_amount like '0.0%1' order by 1 limit 1`,
  );
  expect(row).toEqual({ in_amount: "0.0000000000000000001" });
});

test("many rows, few and many distinct values, and nothing at all", async () => {
  const columns = [
    { name: "few", type: "text" },
    { name: "many", type: "text" },
    { name: "none", type: "text" },
    { name: "amount", type: "amount" },
    { name: "flag", type: "boolean" },
  ] as const;
  const count = 150_000;
  const rows = Array.from({ length: count }, (_, n) => [
    n % 3 === 0 ? null : `w${n % 700}`,
    `id-${n}-é`,
    null,
    `${n}.${n % 10}`,
    n % 5 === 0 ? null : String(n % 2 === 0),
  ]);
  const make = () => readAll(parquetOf(columns, csvOf(columns, rows)));
  const bytes = await make();
  expect((await make()).equals(bytes)).toBe(true);
  const path = await parquetFile("many", bytes);
  const [sums] = await askDuckDb(
    `select count(*)::varchar as rows, count(distinct few)::varchar as few, count(distinct many)::varchar as many,
       count("none")::varchar as "none", sum(amount)::varchar as amount, count(*) filter (where flag)::varchar as flags from '${path}'`,
  );
  expect(sums).toMatchObject({
    rows: "150000",
    few: "700",
    many: "150000",
    none: "0",
    flags: "60000",
    amount: `11249992500.${"0".repeat(18)}`,
  });
  expect(
    await askDuckDb(
      `select many, few, amount::varchar as amount from '${path}' where many in ('id-0-é', 'id-149999-é') order by 1`,
    ),
  ).toEqual([
    { many: "id-0-é", few: null, amount: "0.000000000000000000" },
    { many: "id-149999-é", few: `w${149_999 % 700}`, amount: "149999.900000000000000000" },
  ]);
  const empty = await parquetFile("empty", await readAll(parquetOf(columns, csvOf(columns, []))));
  expect(await askDuckDb(`select count(*)::varchar as rows from '${empty}'`)).toEqual([{ rows: "0" }]);
});
