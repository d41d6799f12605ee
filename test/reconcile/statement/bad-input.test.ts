import { readFile } from "node:fs/promises";
import { describe, expect, test } from "vitest";
import { columnsMax, lineCharsMax } from "../../../src/reconcile/statement/limits.ts";
import { useTestDatabase } from "../../support/test-database.ts";
import { aProfile, linesInForce, nothing, openBench, rowsInTables } from "./import-for-test.ts";

const database = useTestDatabase();
const header = "id,status,currency,amount,time";
const a = "A,done,EUR,10.00,2026-01-01T10:00:00Z";
const profiles = [aProfile()];
const moonpay = await readFile("test/fixtures/statements/moonpay.csv", "utf8");
const generic = await readFile("test/fixtures/statements/generic.csv", "utf8");

describe("a file that is refused leaves nothing behind", () => {
  const cases: [name: string, content: string | Buffer, code: string, says: string, request?: object][] = [
    ["an empty file", "", "file_unreadable", "the file is empty"],
    ["only blank lines", "\n\n\n", "file_profile_unknown", "no profile fits"],
    ["only a header", moonpay.split("\n")[0] ?? "", "file_truncated", "a header and no rows"],
    ["another provider's file", moonpay, "file_profile_unknown", "that of moonpay", { provider: "banxa" }],
    ["half a file", moonpay.slice(0, 1_400), "file_truncated", "the last, has"],
    ["half a file inside quotes", `${header}\n${a}\n"B,done`, "file_truncated", "quoted", { profiles }],
    ["a PDF", Buffer.from("%PDF-1.7\n%\u00e2\u00e3\n1 0 obj\n"), "file_unreadable", "this is a PDF"],
    ["half a workbook", Buffer.from([0x50, 0x4b, 3, 4, 20, 0]), "file_unreadable", "cut off or damaged"],
    ["a picture", Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 0, 0, 0x0d]), "file_unreadable", "not utf-8"],
    [
      "Latin letters without a profile that says so",
      Buffer.from(`${header},größe\n`, "latin1"),
      "file_unreadable",
      "not utf-8",
    ],
    ["zero bytes", `${header}\nA,do\0ne\n`, "file_unreadable", "zero byte", { profiles }],
    ["words", "Dear customer,\nyour statement is attached.\n", "file_profile_unknown", "no profile fits"],
    [
      "a profile that nobody knows",
      moonpay,
      "file_profile_unknown",
      "choose one of",
      { profileName: "mooonpay" },
    ],
    ["the generic profile without a provider", generic, "file_profile_unknown", "name the provider"],
    [
      "a count that differs",
      generic.replace("#rows,8", "#rows,9"),
      "control_total_mismatch",
      "9 rows and has 8",
      { provider: "neocrypto" },
    ],
    [
      "a sum that differs",
      generic.replace("K-2,01", "K-2,02").replace(",55.00,", ",5.50,"),
      "control_total_mismatch",
      "195 EUR",
      { provider: "neocrypto" },
    ],
    [
      "a sum in a currency that is a long text, which the message cuts",
      generic.replace("#gross,EUR", `#gross,${"X".repeat(5_000)}`),
      "control_total_mismatch",
      "195 x{60}…, and its rows add up to 0",
      { provider: "neocrypto" },
    ],
    [
      "a count that cannot be read",
      generic.replace("#rows,8", "#rows,eight"),
      "control_total_mismatch",
      "cannot be read",
      { provider: "neocrypto" },
    ],
  ];

  test.each(cases)("%s", async (name, content, importCode, says, request = {}) => {
    const bench = await openBench(database.db, name);
    await expect(bench.import("statement.csv", content, request)).rejects.toMatchObject({
      code: "statement_refused",
      importCode,
      message: expect.stringMatching(
        new RegExp(`^statement\\.csv: .*${says}.*\\(${importCode}\\)`),
      ) as string,
    });
    expect(await rowsInTables(database.db)).toEqual(nothing);
  });

  test("what is only suspicious can be accepted with a reason, which is kept", async () => {
    const bench = await openBench(database.db, "accepted");
    const { statement } = await bench.import("2026-01.csv", `${header}\n`, {
      profiles,
      acceptReason: "nothing was sold in January",
    });
    expect(statement).toMatchObject({
      acceptedCodes: ["file_truncated"],
      acceptedReason: "nothing was sold in January",
      periodFrom: expect.stringContaining("2026-01-01") as string,
      periodTo: expect.stringContaining("2026-02-01") as string,
    });
  });
});

describe("rows that cannot be read", () => {
  const cases: [row: string, code: string, field: string | null, says: string][] = [
    ["B,done,EUR,10.00,2026-02-30T10:00:00Z", "row_unparseable", "effective_at", "is not a time"],
    ["B,done,EUR,10.00,2026-01-01T25:00:00Z", "row_unparseable", "effective_at", "is not a time"],
    ["B,done,EUR,10.00,2026-01-01 10:00:00", "row_unparseable", "effective_at", "with its zone"],
    ["B,done,EUR,10.00,", "row_unparseable", "effective_at", "no time"],
    ['B,done,EUR,"1.234,56",2026-01-01T10:00:00Z', "row_unparseable", "fiat_amount", "decimal point"],
    ['B,done,EUR,"1,234.56",2026-01-01T10:00:00Z', "row_unparseable", "fiat_amount", "no grouping"],
    ["B,done,EUR,€10,2026-01-01T10:00:00Z", "row_unparseable", "fiat_amount", "not an amount"],
    ["B,done,USDC,10.00,2026-01-01T10:00:00Z", "unknown_currency", "fiat_currency", "ISO 4217"],
    ["B,done,,10.00,2026-01-01T10:00:00Z", "row_unparseable", "fiat_currency", "no fiat currency"],
    [",done,EUR,10.00,2026-01-01T10:00:00Z", "row_missing_key", null, "empty"],
    [
      "B,done,EUR,10.00,2026-01-01T10:00:00Z,more",
      "row_unparseable",
      null,
      "6 columns, but the header has 5",
    ],
    ["B,done,EUR,10.00", "row_unparseable", null, "4 columns, but the header has 5"],
    // Longer than an index can hold, more digits than the database can: such a value must not stop the file.
    [
      `${"é".repeat(3_000)},done,EUR,10.00,2026-01-01T10:00:00Z`,
      "row_unparseable",
      "provider_transaction_id",
      "3000 characters long",
    ],
    [
      `B,done,EUR,${"9".repeat(3_000)},2026-01-01T10:00:00Z`,
      "row_unparseable",
      "fiat_amount",
      "characters long",
    ],
    ['B,"done"x,EUR,10.00,2026-01-01T10:00:00Z', "row_unparseable", null, "closing quote"],
    [`B${",".repeat(columnsMax)}`, "row_unparseable", null, "at most"],
    [`B,done,EUR,${"1".repeat(lineCharsMax)},2026-01-01T10:00:00Z`, "row_too_long", null, "longer than"],
  ];

  test.each(cases.map((each) => [each[0].slice(0, 50), each] as const))(
    "%s",
    async (name, [row, code, field, says]) => {
      const bench = await openBench(database.db, `row ${name} ${code} ${says}`);
      const { statement, rejects } = await bench.import("rows.csv", `${header}\n${a}\n${row}\n`, {
        profiles,
      });
      expect(statement).toMatchObject({ rowsRead: 2, rowsAccepted: 1, rowsRejected: 1 });
      expect(rejects).toMatchObject([
        {
          lineNo: 3,
          code,
          field,
          reason: expect.stringContaining(says) as string,
          originalText: row.slice(0, 4_000),
        },
      ]);
    },
  );

  test("an unknown type of line is rejected, an unknown status is data", async () => {
    const bench = await openBench(database.db, "unknown words");
    const text = `${moonpay}x1,,frozen,fiat,eur,10,btc,1,0,0,0,,,,,2026-01-12T22:01:00.000Z,2026-01-12T22:06:30.000Z,charge,,,
x2,,completed,fiat,eur,10,btc,1,0,0,0,,,,,2026-01-12T22:01:00.000Z,2026-01-12T22:06:30.000Z,gift,,,
x3,,completed,eur,eur,10,gbp,1,0,0,0,,,,,2026-01-12T22:01:00.000Z,2026-01-12T22:06:30.000Z,charge,,,\n`;
    const { rejects } = await bench.import("words.csv", text);
    expect(rejects.map(({ code }) => code)).toEqual(["unknown_line_type", "unknown_currency"]);
    const lines = await linesInForce(database.db, "unknown words");
    expect(lines.find(({ provider_transaction_id }) => provider_transaction_id === "x1")).toMatchObject({
      provider_status: "frozen",
      status: "unknown",
    });
  });

  test("a file of mixed currencies is summed per currency, never across", async () => {
    const bench = await openBench(database.db, "mixed");
    const rows = [
      "A,done,EUR,0.1,2026-01-01T10:00:00Z",
      "B,done,EUR,0.2,2026-01-01T10:00:00Z",
      "C,done,JPY,300,2026-01-01T10:00:00Z",
    ];
    const { statement } = await bench.import("mixed.csv", `${header}\n${rows.join("\n")}\n`, { profiles });
    expect(statement.totals).toMatchObject([
      { currency: "EUR", lines: 2, gross: "0.3" },
      { currency: "JPY", lines: 1, gross: "300" },
    ]);
  });
});
