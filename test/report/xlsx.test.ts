import * as fc from "fast-check";
import { parse } from "csv-parse/sync";
import { beforeAll, expect, test } from "vitest";
import { reports } from "../../src/report/catalogue.ts";
import { reportId } from "../../src/report/report.ts";
import { csvOf } from "../../src/report/xlsx/report-workbook.ts";
import { type SheetColumn, sheetPart, sheetRowsMax } from "../../src/report/xlsx/sheet.ts";
import { workbookOf } from "../../src/report/xlsx/workbook.ts";
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
import { cellsOf, cellText, partOf, readWorkbook } from "./read-workbook.ts";

const database = useTestDatabase();

const hostile = [
  "=cmd|' /C calc'!A0",
  "-12.50",
  "a & b < c > d",
  "_x000D_ as it stands",
  "tab\tand\nlines\r\nend",
  "\u0001 control",
  "  spaces  ",
  "",
  "\uffff and \ufffe",
  "😀 emoji, comma",
  'a "quoted" word',
  "007",
];
const amounts = [
  "12.50",
  "123456789012345",
  "1234567890123456",
  "0.000000000000000001",
  "0.1234567890123456789",
];

beforeAll(async () => {
  const account = await keepAccount(database.db, "default");
  await keepTransactions(
    database.db,
    account,
    hostile.map((text, index) => ({
      transaction_id: `t${String(index).padStart(3, "0")}`,
      provider_transaction_id: text,
      country: index === 3 ? null : "de",
      in_amount: amounts[index % amounts.length] ?? null,
      status_date: index === 5 ? "2026-10-10T23:59:59.999Z" : `2026-10-${index + 10}T01:02:03.000456Z`,
    })),
  );
});

test("every report as a workbook equals its CSV, cell by cell", async () => {
  let compared = 0;
  for (const report of reports) {
    const given = { ...inOctober(report), tz: ["Asia/Kathmandu"] };
    const raw = { ...given, raw: ["true"] };
    const csv = parseWithNulls(await readReport(database.db, requestFor(reportId(report), raw)));
    const { body } = await openStream(database.db, requestFor(reportId(report), given, "xlsx"));
    const cells = cellsOf(readWorkbook(await readAll(body)), report.name);
    expect(cells.map((row) => csv[0]?.map((_, column) => cellText(row[column])))).toEqual(csv);
    compared += csv.length - 1;
  }
  expect(compared).toBeGreaterThan(3 * hostile.length);
});

function parseWithNulls(text: string): (string | null)[][] {
  return parse(text, {
    cast: (value, { quoting }) => (value === "" && !quoting ? null : withLineFeeds(value)),
    relax_column_count: false,
  });
}

/** The program that reads our workbooks makes one line end of two characters; the file itself has both. */
function withLineFeeds<T extends string | null>(text: T): T | string {
  return text?.replaceAll("\r\n", "\n") ?? text;
}

test("numbers are numbers with their decimals, and texts where a double would round", async () => {
  const { body } = await openStream(
    database.db,
    requestFor("transactions", { ...october, columns: ["in_amount"] }, "xlsx"),
  );
  const cells = cellsOf(readWorkbook(await readAll(body)), "transactions").slice(1);
  const shown = new Map(cells.map(([cell]) => [String(cell?.v), [cell?.t, cell?.v, cell?.z]]));
  expect(
    [12.5, 123456789012345, "1234567890123456", 1e-18, "0.1234567890123456789"].map((value) =>
      shown.get(String(value)),
    ),
  ).toEqual([
    ["n", 12.5, "0.00"],
    ["n", 123456789012345, "0"],
    ["s", "1234567890123456", "@"],
    ["n", 1e-18, "0.000000000000000000"],
    ["s", "0.1234567890123456789", "@"],
  ]);
});

test("times say that they are UTC, and one with microseconds is a text that has them", async () => {
  const request = requestFor(
    "transactions",
    { ...october, columns: ["status_at,status_date"], tz: ["Europe/London"] },
    "xlsx",
  );
  const { body } = await openStream(database.db, request);
  const book = readWorkbook(await readAll(body));
  const rows = cellsOf(book, "transactions");
  const whole = rows.find(([time]) => time?.t === "n");
  expect(whole?.[0]?.w).toBe("2026-10-10 23:59:59.999 UTC");
  expect(whole?.[1]?.w).toBe("2026-10-11");
  expect(rows[1]?.[0]).toMatchObject({ t: "s", v: "2026-10-10T01:02:03.000456Z" });
  const totals = cellsOf(book, "Control totals").map((row) => row.map((cell) => cell?.v ?? null));
  expect(totals).toContainEqual(["days are days in", null, null, "Europe/London"]);
  expect(totals).toContainEqual(["times are in", null, null, "UTC"]);
});

test("the first line stays in sight, has filters, and the totals are in a sheet of their own", async () => {
  const { body } = await openStream(database.db, requestFor("transactions", october, "xlsx"));
  const book = readWorkbook(await readAll(body));
  expect(book.SheetNames).toEqual(["transactions", "Control totals"]);
  expect(partOf(book, "xl/worksheets/sheet1.xml")).toContain(
    '<pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/>',
  );
  expect(book.Sheets["transactions"]?.["!autofilter"]).toEqual({ ref: "A1:X13" });
  const totals = cellsOf(book, "Control totals").map((row) => row.map(cellText));
  expect(totals).toContainEqual(["rows", null, String(hostile.length), null]);
  const sum = totals.find(([item]) => item === "sum of out_amount");
  expect(sum?.slice(0, 3)).toEqual(["sum of out_amount", "btc", "0.012"]);
});

test("the same question gives the same bytes", async () => {
  const moment = { as_at: ["2026-11-01"], known_at: [new Date(Date.now() - 1_000).toISOString()] };
  const ask = async () => {
    const { body } = await openStream(
      database.db,
      requestFor("discrepancies", { ...october, ...moment }, "xlsx"),
    );
    return readAll(body);
  };
  expect((await ask()).equals(await ask())).toBe(true);
});

test("a workbook is not compressed twice, and has no form of CSV", () => {
  expect(() => requestFor("transactions", { gzip: ["true"] }, "xlsx")).toThrow(
    "gzip: expected false with this format",
  );
  expect(() => requestFor("transactions", { preset: ["excel"] }, "xlsx")).toThrow(
    "preset: expected plain with this format",
  );
});

test("any texts come back as they were, and the bytes do not depend on how the rows arrived", async () => {
  const columns: SheetColumn[] = [
    { name: "a", type: "text" },
    { name: "b", type: "amount" },
  ];
  const text = fc.option(fc.string({ unit: "binary", maxLength: 12 }), { nil: null });
  const rows = fc.array(fc.tuple(text, fc.option(amount, { nil: null })), { maxLength: 8 });
  await fc.assert(
    fc.asyncProperty(rows, fc.infiniteStream(fc.integer({ min: 1, max: 7 })), async (given, cuts) => {
      const csv = Buffer.concat([...csvOf(columns, given)]);
      const whole = await readAll(workbookOf([{ name: "s", columns, csv: [csv] }]));
      const cut = await readAll(workbookOf([{ name: "s", columns, csv: pieces(csv, cuts) }]));
      expect(cut.equals(whole)).toBe(true);
      const cells = cellsOf(readWorkbook(whole), "s").slice(1);
      expect(given.map((_, row) => [0, 1].map((column) => cellText(cells[row]?.[column])))).toEqual(
        given.map(([first, second]) => [withLineFeeds(first), second]),
      );
    }),
    { numRuns: 100 },
  );
});

const amount = fc
  .tuple(fc.boolean(), fc.bigInt({ min: 0n, max: 10n ** 20n }), fc.integer({ min: 0, max: 18 }))
  .map(([negative, units, scale]) => {
    const digits = units.toString().padStart(scale + 1, "0");
    const text = scale === 0 ? digits : `${digits.slice(0, -scale)}.${digits.slice(-scale)}`;
    return negative && units > 0n ? `-${text}` : text;
  });

function* pieces(bytes: Buffer, cuts: { next(): { value: number } }): Generator<Buffer> {
  for (let at = 0; at < bytes.length;) {
    const size = cuts.next().value;
    yield bytes.subarray(at, at + size);
    at += size;
  }
}

test("a text that no cell can hold is cut, and the sheet of totals would say so", async () => {
  const long = "x".repeat(40_000);
  const columns: SheetColumn[] = [{ name: "a", type: "text" }];
  const result = { rows: 0, cutCells: 0 };
  const csv = csvOf(columns, [[long], ["short"], ["é".repeat(32_767)]]);
  for await (const piece of sheetPart({ name: "s", columns, csv }, result)) expect(piece).toBeDefined();
  expect(result).toEqual({ rows: 4, cutCells: 1 });
  const book = readWorkbook(await readAll(workbookOf([{ name: "s", columns, csv }])));
  expect(cellsOf(book, "s").map(([cell]) => String(cell?.v).length)).toEqual([1, 32_767, 5, 32_767]);
});

test("a sheet takes as many rows as the format has room for, and no more", async () => {
  const columns: SheetColumn[] = [{ name: "a", type: "integer" }];
  const write = async (rows: number) => {
    const result = { rows: 0, cutCells: 0 };
    const csv = [Buffer.from("a\n"), Buffer.from("1\n".repeat(rows))];
    for await (const piece of sheetPart({ name: "s", columns, csv }, result))
      expect(piece.length).toBeGreaterThan(0);
    return result.rows;
  };
  expect(await write(sheetRowsMax)).toBe(1_048_576);
  await expect(write(sheetRowsMax + 1)).rejects.toThrow("a sheet holds 1048575 rows");
});
