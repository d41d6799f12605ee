import { parse } from "csv-parse/sync";
import * as fc from "fast-check";
import { beforeAll, expect, test } from "vitest";
import { inLayout } from "../../src/report/column-sql.ts";
import { useTestDatabase } from "../support/test-database.ts";
import {
  keepAccount,
  keepTransactions,
  october,
  parseCsv,
  readReport,
  requestFor,
  seesAll,
} from "./books.ts";

const database = useTestDatabase();

const hostile = [
  'a "quoted" word',
  "two\nlines",
  "carriage\r\nreturn",
  "=cmd|' /C calc'!A0",
  "+1",
  "-12.50",
  "@sum(a1)",
  "\ttab first",
  "\rreturn first",
  "\nfeed first",
  "  =after spaces",
  "\u00a0=after a hard space",
  "＝full-width",
  "＋１",
  "－１",
  "＠a",
  "plain, with a comma",
  "",
  "😀 emoji",
  "'=already escaped",
  "\\.",
  "null",
  " leading space",
  "1e5",
  // Nothing to see in front of the sign, and yet it is not the first character.
  "\u200b=1+1",
  "\u0085=1+1",
  "\ufeff\u200b @x",
];

beforeAll(async () => {
  const account = await keepAccount(database.db, "default");
  await keepTransactions(
    database.db,
    account,
    hostile.map((text, index) => ({
      transaction_id: `t${String(index).padStart(3, "0")}`,
      provider_transaction_id: text,
      in_amount: index % 2 === 0 ? "-12.50" : "0.000000000000000001",
      country: null,
      transaction_hash: "",
    })),
  );
});

test("a file parsed back is what the database holds, however hostile the texts", async () => {
  const rows = parseCsv(
    await readReport(database.db, requestFor("transactions", { ...october, raw: ["true"] })),
  );
  expect(rows.map((row) => row["provider_transaction_id"])).toEqual(hostile);
  const held = await database.db.query<{ in_amount: string }>(
    "select in_amount::text from tieout.transactions order by transaction_id",
  );
  expect(rows.map((row) => row["in_amount"])).toEqual(held.map((row) => row.in_amount));
});

test("a text that a spreadsheet would run gets an apostrophe, and no other", async () => {
  const rows = parseCsv(await readReport(database.db, requestFor("transactions", october)));
  const expected = hostile.map((text) =>
    /^[ \u0085\u00a0\u200b\u3000\ufeff]*[-=+@\t\r\n＝＋－＠]/.test(text) ? `'${text}` : text,
  );
  expect(rows.map((row) => row["provider_transaction_id"])).toEqual(expected);
  expect(expected.filter((text, index) => text !== hostile[index])).toHaveLength(16);
});

test("amounts stay numbers: minus is not a formula, and no digit is lost", async () => {
  const rows = parseCsv(await readReport(database.db, requestFor("transactions", october)));
  expect(new Set(rows.map((row) => row["in_amount"]))).toEqual(new Set(["-12.50", "0.000000000000000001"]));
  for (const row of rows) {
    expect(row["in_amount"]).toMatch(/^-?\d+(\.\d+)?$/);
    expect(row["out_amount"]).toMatch(/^-?\d+(\.\d+)?$/);
  }
});

test("nothing is nothing, and an empty text is an empty text", async () => {
  const columns = ["transaction_id,country,transaction_hash"];
  const text = await readReport(database.db, requestFor("transactions", { ...october, columns }));
  expect(text.split("\n").slice(0, 2)).toEqual(["transaction_id,country,transaction_hash", 't000,,""']);
});

test("the excel preset has a byte order mark and its line ends, and leaves line ends inside texts alone", async () => {
  const columns = ["transaction_id,provider_transaction_id"];
  const request = requestFor("transactions", { ...october, columns, preset: ["excel"], raw: ["true"] });
  const text = await readReport(database.db, request);
  expect(text.startsWith("\uFEFFtransaction_id,provider_transaction_id\r\n")).toBe(true);
  expect(text).toContain('t001,"two\nlines"\r\n');
  expect(parseCsv(text).map((row) => row["provider_transaction_id"])).toEqual(hostile);
});

test("JSON lines hold amounts as texts, booleans as booleans, and nothing as null", async () => {
  const text = await readReport(database.db, requestFor("transactions", october, "jsonl"));
  const lines = text
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as Record<string, unknown>);
  expect(lines.map((line) => line["provider_transaction_id"])).toEqual(hostile);
  expect(lines[1]).toMatchObject({
    transaction_id: "t001",
    in_amount: "0.000000000000000001",
    country: null,
    transaction_hash: "",
    is_final: true,
    status_at: "2026-10-10T12:00:00.000Z",
    status_date: "2026-10-10",
  });
});

test("any text at all survives, quoted or not", async () => {
  const account = await keepAccount(database.db, "random");
  // Postgres holds no NUL and no half of a surrogate pair.
  const text = fc.string({ unit: "grapheme", maxLength: 12 }).filter((one) => !one.includes("\0"));
  const cell = fc.oneof(
    text,
    fc.constantFrom(...hostile),
    fc.string({ maxLength: 6 }).filter((one) => !one.includes("\0")),
  );
  let round = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(cell, { minLength: 1, maxLength: 40 }), async (cells) => {
      const day = `${1970 + round++}-01-01`;
      await keepTransactions(
        database.db,
        account,
        cells.map((one, index) => ({
          transaction_id: `r${round}-${String(index).padStart(3, "0")}`,
          status_date: `${day}T12:00:00Z`,
          provider: one,
        })),
      );
      const given = {
        from: [day],
        to: [`${1970 + round}-01-01`],
        partial: ["true"],
        columns: ["transaction_id,provider"],
      };
      for (const preset of ["plain", "excel"]) {
        const request = requestFor("transactions", { ...given, preset: [preset], raw: ["true"] });
        const rows: Record<string, string>[] = parse(await readReport(database.db, request, seesAll), {
          columns: true,
          bom: true,
        });
        expect(rows.map((row) => row["provider"])).toEqual(cells);
      }
    }),
    { numRuns: 25 },
  );
});

test("times are written to the millisecond, and to the microsecond where there is one", async () => {
  const times = {
    "2026-10-10 12:00:00Z": "2026-10-10T12:00:00.000Z",
    "2026-10-10 12:00:00.7Z": "2026-10-10T12:00:00.700Z",
    "2026-10-10 12:00:00.78Z": "2026-10-10T12:00:00.780Z",
    "2026-10-10 12:00:00.999Z": "2026-10-10T12:00:00.999Z",
    "2026-10-10 12:00:00.1234Z": "2026-10-10T12:00:00.123400Z",
    "2026-10-10 12:00:00.00001Z": "2026-10-10T12:00:00.000010Z",
    "2026-12-31 23:59:59.999999Z": "2026-12-31T23:59:59.999999Z",
    "1969-12-31 23:59:59.9Z": "1969-12-31T23:59:59.900Z",
    "0987-06-05 04:03:02Z": "0987-06-05T04:03:02.000Z",
    "9999-12-31 23:59:59.999999Z": "9999-12-31T23:59:59.999999Z",
    "12026-10-10 12:00:00.7Z": "12026-10-10T12:00:00.700Z",
    infinity: null,
  };
  const rows = await database.db.query<{ written: string | null }>(
    `select ${inLayout("time", "at", "csv")} as written
     from unnest($1::timestamptz[]) with ordinality as given (at, place)
     order by place`,
    [Object.keys(times)],
  );
  expect(rows.map(({ written }) => written)).toEqual(Object.values(times));
});
