import { parse } from "csv-parse/sync";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Instant } from "../../../src/core/instant.ts";
import { createNumberReader } from "../../../src/reconcile/statement/numbers.ts";
import { createRowReader } from "../../../src/reconcile/statement/read-rows.ts";
import { linesPerRowMax, unclosedRowsMax } from "../../../src/reconcile/statement/limits.ts";
import { createCellSplitter, splitCells } from "../../../src/reconcile/statement/split-cells.ts";
import { createTimeReader } from "../../../src/reconcile/statement/times.ts";
import { daysAround, readFileName } from "../../../src/reconcile/statement/moments.ts";
import { createKeyTable } from "../../../src/reconcile/statement/key-table.ts";

describe("amounts", () => {
  const english = createNumberReader({ decimal: ".", grouping: "," });
  const german = createNumberReader({ decimal: ",", grouping: "." });
  const plain = createNumberReader({ decimal: ".", grouping: "" });
  const french = createNumberReader({ decimal: ",", grouping: " " });

  test.each([
    [plain, "1234.50", "1234.5"],
    [plain, "000.10", "0.1"],
    [plain, "-0.00", "0"],
    [plain, "1e-7", "0.0000001"],
    [plain, "0.000000000000000001", "0.000000000000000001"],
    [plain, "(12.50)", "-12.5"],
    [plain, "12.50-", "-12.5"],
    [plain, "+3", "3"],
    [plain, "\u22123", "-3"],
    [plain, ".5", "0.5"],
    [english, "1,234,567.89", "1234567.89"],
    [english, "1234567.89", "1234567.89"],
    [german, "1.234.567,89", "1234567.89"],
    [german, "1.234", "1234"],
    [french, "1\u00a0234\u202f567,89", "1234567.89"],
  ])("%# %s is read as %s", (read, text, expected) => {
    expect(read(text)).toBe(expected);
  });

  test.each([
    [plain, "1,234.50"],
    [plain, "1.234,56"],
    [english, "1.234,56"],
    [english, "12,34.5"],
    [german, "1,234.56"],
    [plain, ""],
    [plain, "-"],
    [plain, "0x10"],
    [plain, "1 000"],
    [plain, "NaN"],
    [plain, "€5"],
    [plain, "5 EUR"],
    [plain, "--5"],
  ])("%# %s is not an amount in this form", (read, text) => {
    expect(read(text)).toBeNull();
  });
});

describe("times", () => {
  const berlin = createTimeReader({ format: "DD.MM.YYYY HH:mm:ss", zone: "Europe/Berlin" });
  const iso = createTimeReader({ format: "iso", zone: "UTC" });

  test.each([
    ["15.01.2026 12:00:00", "2026-01-15T11:00:00.000Z"],
    ["15.07.2026 12:00:00", "2026-07-15T10:00:00.000Z"],
    // Clocks go back on 25 October: half past two comes twice, and the first is taken.
    ["25.10.2026 02:30:00", "2026-10-25T00:30:00.000Z"],
    ["25.10.2026 03:30:00", "2026-10-25T02:30:00.000Z"],
    ["29.03.2026 01:59:59", "2026-03-29T00:59:59.000Z"],
    ["29.03.2026 03:00:00", "2026-03-29T01:00:00.000Z"],
  ])("%s in Berlin is %s", (text, expected) => {
    expect(berlin?.(text)).toBe(expected);
  });

  test.each([
    ["America/New_York", "31.12.9999 23:00:00"],
    ["Asia/Tokyo", "01.01.0001 00:00:00"],
  ])("in %s, %s lies in a year that cannot be written, and is refused", (zone, text) => {
    const read = createTimeReader({ format: "DD.MM.YYYY HH:mm:ss", zone });
    expect(read?.(text)).toMatchObject({ why: expect.any(String) as string });
  });

  test("the days around the last day of all end with it", () => {
    const last = "9999-12-31T10:00:00.000Z" as Instant;
    expect(daysAround({ first: "2026-01-01T10:00:00.000Z" as Instant, last })).toEqual({
      from: "2026-01-01T00:00:00.000Z",
      to: "9999-12-31T23:59:59.999Z",
    });
  });

  test("an hour that does not exist is refused", () => {
    expect(berlin?.("29.03.2026 02:30:00")).toMatchObject({
      why: expect.stringContaining("does not exist") as string,
    });
  });

  test.each(["31.02.2026 10:00:00", "2026-01-15 12:00:00", "15.01.2026 24:00:00", "15.13.2026 10:00:00", ""])(
    "%s is refused",
    (text) => {
      expect(berlin?.(text)).toMatchObject({ why: expect.any(String) as string });
    },
  );

  test("the day of the row before does not excuse a wrong time", () => {
    expect(iso?.("2026-01-31T10:00:00.000Z")).toBe("2026-01-31T10:00:00.000Z");
    expect(iso?.("2026-01-31T24:00:00.000Z")).toMatchObject({ why: expect.any(String) as string });
    expect(iso?.("2026-01-32T10:00:00.000Z")).toMatchObject({ why: expect.any(String) as string });
    expect(iso?.("2026-01-31T10:00:00+02:00")).toBe("2026-01-31T08:00:00.000Z");
  });

  test("seconds and milliseconds since 1970", () => {
    expect(createTimeReader({ format: "unix_s", zone: "UTC" })?.("1767859200")).toBe(
      "2026-01-08T08:00:00.000Z",
    );
    expect(createTimeReader({ format: "unix_ms", zone: "UTC" })?.("1767859200123")).toBe(
      "2026-01-08T08:00:00.123Z",
    );
    expect(createTimeReader({ format: "unix_s", zone: "UTC" })?.("1767859200000000")).toMatchObject({});
  });

  test.each([
    ["YYYY", "UTC"],
    ["DD.MM.YYYY", "Europe/Nowhere"],
    ["YYYY-MM-DD MM", "UTC"],
  ])("the form %s in %s is none", (format, zone) => {
    expect(createTimeReader({ format, zone })).toBeNull();
  });
});

describe("names of files", () => {
  test.each([
    ["moonpay-2026-10.csv", null, "2026-10-01T00:00:00.000Z", "2026-11-01T00:00:00.000Z"],
    ["2026-12.csv", null, "2026-12-01T00:00:00.000Z", "2027-01-01T00:00:00.000Z"],
    ["x_2026-01-20_2026-02-10.csv", null, "2026-01-20T00:00:00.000Z", "2026-02-11T00:00:00.000Z"],
    ["x-20261101T101500Z.csv", "2026-11-01T10:15:00.000Z", null, null],
    [
      "x-2026-10_2026-11-01T10-15-00Z.csv",
      "2026-11-01T10:15:00.000Z",
      "2026-10-01T00:00:00.000Z",
      "2026-11-01T00:00:00.000Z",
    ],
    ["report-2026-10-05.csv", null, null, null],
    ["order-123456-78.csv", null, null, null],
  ])("%s", (name, generatedAt, periodFrom, periodTo) => {
    expect(readFileName(name)).toEqual({ generatedAt, periodFrom, periodTo });
  });
});

describe("rows", () => {
  function read(text: string, pieceLength: number, delimiter = ",") {
    const reader = createRowReader({ delimiter });
    const rows = [];
    for (let at = 0; at < text.length; at += pieceLength)
      rows.push(...reader.push(text.slice(at, at + pieceLength)));
    return [...rows, ...reader.end()];
  }

  test("whatever is written as CSV is read as another reader reads it, wherever the pieces are cut", () => {
    const cell = fc.string({ unit: fc.constantFrom("a", '"', ",", "\n", " ", "é", ";"), maxLength: 6 });
    const rowsOf = fc.array(fc.array(cell, { minLength: 3, maxLength: 3 }), { minLength: 1, maxLength: 8 });
    fc.assert(
      fc.property(rowsOf, fc.integer({ min: 1, max: 9 }), (rows, pieceLength) => {
        const text = rows
          .map((row) => `${row.map((each) => `"${each.replaceAll('"', '""')}"`).join(",")}\n`)
          .join("");
        expect(read(text, pieceLength).map(({ cells }) => cells)).toEqual(
          parse(text, { relax_column_count: true }),
        );
      }),
    );
  });

  test("line numbers are those of physical lines", () => {
    const rows = read('a,b\r\n"one\ntwo",x\r\nc,d', 3);
    expect(rows.map(({ lineNo, cells, ended }) => ({ lineNo, cells, ended }))).toEqual([
      { lineNo: 1, cells: ["a", "b"], ended: true },
      { lineNo: 2, cells: ["one\ntwo", "x"], ended: true },
      { lineNo: 4, cells: ["c", "d"], ended: false },
    ]);
  });

  test("a quote that is never closed costs one row, and not the rest of the file", () => {
    const rows = read(`a,b\n"c,d\n${"e,f\n".repeat(150)}`, 64);
    expect(rows.filter(({ problem }) => problem !== null)).toMatchObject([{ lineNo: 2, text: '"c,d' }]);
    expect(rows).toHaveLength(152);
  });

  test("a quote inside an unquoted cell is a letter", () => {
    expect(splitCells('5" screen,x', ",")).toEqual({ kind: "cells", cells: ['5" screen', "x"] });
  });
});

test("the table of keys counts and compares as a Map of texts does, through every growth", () => {
  const table = createKeyTable();
  const counts = new Map<string, number>();
  for (let index = 0; index < 30_000; index++) {
    const key = `charge|${(index * 7919) % 20_011}`;
    counts.set(key, (counts.get(key) ?? 0) + 1);
    expect(table.count(key)).toBe(counts.get(key));
  }
  const other = createKeyTable();
  expect(other.compare("a", "00".repeat(32))).toBe("new");
  expect(other.compare("a", "00".repeat(32))).toBe("same");
  expect(other.compare("a", "01".repeat(32))).toBe("other");
});

describe("a file made to be slow", () => {
  // Each line ends the quote that the one before left open, and opens another.
  const chain = (lines: number) => `a","${"x".repeat(200)}\n`.repeat(lines);
  const escapes = (lines: number) => `"${'""'.repeat(100)}\n`.repeat(lines);

  test.each([
    ["quotes that never close", chain],
    ["escaped quotes", escapes],
    ["quotes alone", (lines: number) => `${'"'.repeat(201)}\n`.repeat(lines)],
    ["one cell of many lines", (lines: number) => `"${`${"y".repeat(200)}\n`.repeat(lines)}`],
  ])("by %s: no line of it is taken apart more than a few times", (_, make) => {
    const text = make(9_000);
    let chars = 0;
    const reader = createRowReader({ delimiter: "," }, (delimiter) => {
      const splitter = createCellSplitter(delimiter);
      return {
        push(line) {
          chars += line.length;
          return splitter.push(line);
        },
      };
    });
    let rows = 0;
    for (let at = 0; at < text.length; at += 65_536) rows += reader.push(text.slice(at, at + 65_536)).length;
    rows += reader.end().length;
    expect(rows).toBeGreaterThan(0);
    // Once, and once more for each time that a row which held it was given up. It was once a hundred times.
    expect(chars).toBeLessThanOrEqual(4 * text.length);
  });

  test("with more open quotes than anyone forgets is refused, and not read to its end", () => {
    const reader = createRowReader({ delimiter: "," });
    expect(reader.push(chain(unclosedRowsMax))).not.toEqual([]);
    expect(() => reader.push(chain(linesPerRowMax + 1))).toThrow(/never closed: export it again/);
  });

  test("loses no line: each is a row, or part of one, or rejected", () => {
    for (const text of [chain(350), escapes(7), `ok,1\n${chain(120)}fine,2\n`]) {
      const reader = createRowReader({ delimiter: "," });
      const rows = [...reader.push(text), ...reader.end()];
      const numbers = rows.map(({ lineNo }) => lineNo);
      expect(numbers).toEqual(numbers.toSorted((a, b) => a - b));
      const covered = rows.reduce((sum, row) => sum + row.text.split("\n").length, 0);
      expect(covered).toBe(text.split("\n").length - 1);
    }
  });
});
