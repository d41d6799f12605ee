import { readFile } from "node:fs/promises";
import { parse } from "csv-parse/sync";
import { describe, expect, test } from "vitest";
import { builtInProfiles } from "../../../src/reconcile/profiles/built-in.ts";
import { jsonText, recogniseJson } from "../../../src/reconcile/statement/json-text.ts";
import { verifyStatements } from "../../../src/reconcile/statement/verify-statements.ts";
import { useTestDatabase } from "../../support/test-database.ts";
import { aProfile, linesInForce, openBench } from "./import-for-test.ts";

const database = useTestDatabase();
const csv = await readFile("test/fixtures/statements/moonpay.csv", "utf8");
const records: Record<string, string>[] = parse(csv, { columns: true });

/** With numbers where the CSV has digits, and without the cells that are empty there. */
const typed = records.map((record) =>
  Object.fromEntries(
    Object.entries(record)
      .filter(([, cell]) => cell !== "")
      .map(([name, cell]) => [name, /^\d+(\.\d+)?$/.test(cell) ? Number(cell) : cell]),
  ),
);

describe("a statement as JSON", () => {
  test.each([
    ["a list", JSON.stringify(typed)],
    ["a list for people to read", JSON.stringify(typed, null, 2)],
    ["a list inside of an object", JSON.stringify({ report: { rows: typed }, pages: [1] })],
    ["an object on each line", typed.map((record) => JSON.stringify(record)).join("\r\n")],
    ["texts only, and a byte order mark", `\uFEFF${JSON.stringify(records)}`],
  ])("gives the lines that its CSV gives: %s", async (name, text) => {
    const asCsv = await openBench(database.db, `${name}, csv`);
    await asCsv.import("moonpay.csv", csv);
    const asJson = await openBench(database.db, name);
    const { statement } = await asJson.import("moonpay.json", text);
    expect(statement).toMatchObject({
      provider: "moonpay",
      encoding: "json",
      rowsRead: 5,
      rowsAccepted: 5,
      warnings: [],
    });
    const [ofCsv, ofJson] = await Promise.all([
      linesInForce(database.db, `${name}, csv`),
      linesInForce(database.db, name),
    ]);
    expect(ofJson.map(meaningOf)).toEqual(ofCsv.map(meaningOf));
    expect(ofJson.map(({ line_no }) => line_no)).toEqual(ofCsv.map(({ line_no }) => line_no));
    // Its bytes are kept, and read again as they were.
    expect(await verifyStatements(database.db)).toEqual([]);
  });

  test("numbers keep their digits, objects inside have names with a point, and a value may come late", async () => {
    const profile = aProfile({
      columns: {
        provider_transaction_id: "id",
        status: "state.word",
        fiat_currency: "amount.currency",
        fiat_amount: "amount.value",
        crypto_amount: "coins",
        asset: "coin",
        effective_at: "time",
      },
    });
    const bench = await openBench(database.db, "exact");
    const text = `[
      {"id": 12345678901234567891, "state": {"word": "done"}, "amount": {"currency": "EUR", "value": 1234.10},
       "time": "2026-10-01T00:00:00Z", "tags": ["a, \\"b\\"", {"c": "]"}], "note": null},
      {"id": "B", "state": {"word": "done"}, "amount": {"currency": "EUR", "value": 5e1}, "time": "2026-10-02T00:00:00Z",
       "coins": 0.000000000000000001, "coin": "eth"}
    ]`;
    const { rejects } = await bench.import("own.json", text, { profiles: [profile] });
    expect(rejects).toEqual([]);
    expect(await linesInForce(database.db, "exact")).toMatchObject([
      { provider_transaction_id: "12345678901234567891", fiat_gross: "1234.1", crypto_amount: null },
      { provider_transaction_id: "B", fiat_gross: "50", crypto_amount: "0.000000000000000001" },
    ]);
  });

  test("numbers are written as the profile reads them", async () => {
    const profile = aProfile({ delimiter: ";", decimal: ",", grouping: "." });
    const bench = await openBench(database.db, "commas");
    const record = {
      id: "A",
      status: "done",
      currency: "EUR",
      amount: 1234.567,
      time: "2026-10-01T00:00:00Z",
    };
    await bench.import("own.json", JSON.stringify([record]), { profiles: [profile] });
    expect(await linesInForce(database.db, "commas")).toMatchObject([{ fiat_gross: "1234.567" }]);
  });

  test("a row that is rejected is named by its line, counted as in a CSV", async () => {
    const bench = await openBench(database.db, "line numbers");
    const { rejects } = await bench.preview("moonpay.json", JSON.stringify([...typed, { status: "?" }]));
    expect(rejects.map(({ lineNo }) => lineNo)).toEqual([7]);
  });

  test("what it says beside its list is named, and not read", async () => {
    const bench = await openBench(database.db, "members");
    const page = { object: "list", data: typed, has_more: true, filters: { from: "x" } };
    const { statement } = await bench.preview("moonpay.json", JSON.stringify(page));
    expect(statement.warnings).toEqual([
      {
        code: "json_members",
        message: "only its list is read; the rest is not: object (list), has_more (true)",
      },
    ]);
  });
});

const good = JSON.stringify(typed[0]);

test.each([
  ["cut off in an object", `[${good},{"id`, "ends in the middle"],
  ["cut off after one", `[${good},`, "ends in the middle"],
  ["two lists, one after the other", `[${good}][${good}]`, "is not JSON"],
  ["a comma too many", `[${good},]`, "is not JSON"],
  ["no comma", `[${good}${good}]`, "is not JSON"],
  ["an object that is none", `[${good},{"id":01}]`, "record 2 is not a JSON object"],
  ["a line that is none", `${good}\n${good.slice(0, -1)}\n`, "record 2 is not a JSON object"],
  ["the last line cut off", `${good}\n{"id":`, "record 2 is not a JSON object"],
  ["something else in the list", `[${good},null]`, "something that is not an object"],
  ["two lists", `{"a":[${good}],"b":{"c":[${good}]}}`, 'several lists of objects ("a", "b.c")'],
  ["no list", `{"a":[1,2]}`, "no profile fits"],
  ["an empty list", "[]", "without a list of objects"],
  ["a name twice", `[{"a":{"b":1},"a.b":2}]`, 'the name "a.b" twice'],
  ["a deep one", `[${'{"a":'.repeat(40)}1${"}".repeat(40)}]`, "deeper than 32"],
  ["a deep one around it", `${"[".repeat(40)}{"a":1}`, "deeper than 32"],
  ["a long one", `[{"a":"${"x".repeat(1_100_000)}"}]`, "longer than 1048576"],
  ["a long line", `${good}\n{"a":"${"x".repeat(1_100_000)}`, "longer than 1048576"],
  ["many names", `[{${Array.from({ length: 501 }, (_, at) => `"n${at}":1`).join()}}]`, "more than 500"],
  [
    "many names in all",
    `[${Array.from({ length: 501 }, (_, at) => `{"n${at}":1}`).join()}]`,
    "more than 500 names",
  ],
  ["no text", `[{"a":"\\u0000"}]`, "zero byte"],
  ["not UTF-8", Buffer.from(`[{"a":"\u00e9"}]`, "latin1"), "not utf-8"],
])("JSON that is none is refused whole: %s", async (name, content, reason) => {
  const bench = await openBench(database.db, `refused ${name}`);
  await expect(bench.preview("own.json", content)).rejects.toThrow(reason);
});

test("few letters do not become text without end", async () => {
  const many = Object.fromEntries(Array.from({ length: 480 }, (_, at) => [`n${at}`, 1]));
  const text = `[${JSON.stringify({ ...typed[0], ...many })}${',{"n":1}'.repeat(180_000)}]`;
  const source = async function* () {
    yield Buffer.from(text);
  };
  const question = { fileName: "own.json", profiles: builtInProfiles, provider: null, profileName: null };
  const { layout } = await recogniseJson(source(), Buffer.from(text.slice(0, 100_000)), question);
  const readAll = async () => {
    for await (const piece of jsonText(source(), layout)) expect(piece).not.toBe("");
  };
  await expect(readAll()).rejects.toThrow("many names but few values");
});

/** All that a line says, apart from where it came from. */
function meaningOf(line: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(line).filter(([name]) => !ofOrigin.has(name)));
}

const ofOrigin = new Set([
  "account",
  "statement_id",
  "line_id",
  "imported_at",
  "file_name",
  "file_sha256",
  "raw_text",
]);
