import { readFile } from "node:fs/promises";
import { utils, write } from "@e965/xlsx";
import { parse } from "csv-parse/sync";
import { describe, expect, test } from "vitest";
import { verifyStatements } from "../../../src/reconcile/statement/verify-statements.ts";
import { rawWorkbook } from "../../support/raw-workbook.ts";
import { useTestDatabase } from "../../support/test-database.ts";
import { aProfile, linesInForce, openBench } from "./import-for-test.ts";

const database = useTestDatabase();
const moonpay = parse(await readFile("test/fixtures/statements/moonpay.csv", "utf8"));

/** A workbook as another program writes it. */
function workbook(sheets: Record<string, unknown[][]>, hidden: readonly string[] = []): Buffer {
  const book = utils.book_new();
  for (const [name, rows] of Object.entries(sheets))
    utils.book_append_sheet(book, utils.aoa_to_sheet(rows), name);
  book.Workbook = {
    Sheets: book.SheetNames.map((name) => ({ name, Hidden: hidden.includes(name) ? 1 : 0 })),
  };
  return write(book, { type: "buffer", bookType: "xlsx" }) as Buffer;
}

describe("a statement as a workbook", () => {
  test("gives the lines that its CSV gives, numbers typed or not", async () => {
    const typed = moonpay.map((row) => row.map((cell) => (/^\d+(\.\d+)?$/.test(cell) ? Number(cell) : cell)));
    for (const [name, rows] of Object.entries({ texts: moonpay, numbers: typed })) {
      const bench = await openBench(database.db, name);
      const { statement } = await bench.import("moonpay.xlsx", workbook({ Statement: rows }));
      expect(statement).toMatchObject({
        provider: "moonpay",
        encoding: "xlsx",
        rowsRead: 5,
        rowsAccepted: 5,
        warnings: [],
      });
      expect(statement.totals).toMatchObject([
        { line_type: "charge", gross: "627.3", fees: "18.79", net: "2.86" },
        { line_type: "payout", net: "2.3" },
        { line_type: "refund", gross: "300", net: "-0.56" },
      ]);
    }
    // Its bytes are kept, and read again as they were.
    expect(await verifyStatements(database.db)).toEqual([]);
  });

  test("says which sheets are not read, hidden ones too, and reads the one with the header", async () => {
    const bench = await openBench(database.db, "sheets");
    const bytes = workbook({ Cover: [["MoonPay"]], Lines: moonpay, Old: moonpay }, ["Old"]);
    const { statement } = await bench.preview("moonpay.xlsx", bytes);
    expect(statement.rowsAccepted).toBe(5);
    expect(statement.warnings).toEqual([
      { code: "workbook_sheets", message: 'only the sheet "Lines" is read, and not "Cover", "Old" (hidden)' },
    ]);
    const onlyHidden = workbook({ Cover: [["MoonPay"]], Lines: moonpay }, ["Lines"]);
    await expect(bench.preview("moonpay.xlsx", onlyHidden)).rejects.toThrow("no profile fits");
  });

  test("numbers and times are written as the profile reads them, whatever its CSV looks like", async () => {
    const profile = aProfile({
      delimiter: ";",
      decimal: ",",
      grouping: ".",
      time: { format: "DD.MM.YYYY HH:mm", zone: "Europe/Berlin" },
    });
    const bench = await openBench(database.db, "german workbook");
    const bytes = workbook({
      S: [
        ["id", "status", "currency", "amount", "time"],
        ["A", "done", "EUR", 1234.56, { t: "n", v: 46_218.5, z: "yyyy-mm-dd hh:mm" }],
        [],
        ["B", "done", "EUR", 1.1, { t: "n", v: 46_218.25, z: "d.m.yy" }],
      ],
    });
    const { rejects } = await bench.import("own.xlsx", bytes, { profiles: [profile] });
    expect(rejects).toEqual([]);
    expect(await linesInForce(database.db, "german workbook")).toMatchObject([
      { fiat_gross: "1234.56", effective_at: new Date("2026-07-15T10:00:00Z") },
      { fiat_gross: "1.1", effective_at: new Date("2026-07-15T04:00:00Z") },
    ]);
  });

  test("a row that is rejected is named by the number that the spreadsheet shows", async () => {
    const bench = await openBench(database.db, "row numbers");
    const rows = [...moonpay, [], ["two\nlines", ...(moonpay[1]?.slice(1).map(() => "?") ?? [])]];
    const { rejects } = await bench.preview("moonpay.xlsx", workbook({ S: rows }));
    expect(rejects.map(({ lineNo }) => lineNo)).toEqual([8]);
  });
});

const header = ["id", "status", "currency", "amount", "time"];
const good = `<row>${header.map((name) => text(name)).join("")}</row>`;
const line = (amount: string) =>
  `<row>${text("A")}${text("done")}${text("EUR")}${amount}${text("2026-10-01T00:00:00Z")}</row>`;

function text(value: string): string {
  return `<c t="inlineStr"><is><t>${value}</t></is></c>`;
}

describe("cells as spreadsheets keep them", () => {
  const styled = (code: string) => ({
    "xl/_rels/workbook.xml.rels": `<Relationships><Relationship Id="s1" Type="x/worksheet" Target="sheet.xml"/><Relationship Id="st" Type="x/styles" Target="styles.xml"/><Relationship Id="t" Type="x/sharedStrings" Target="texts.xml"/></Relationships>`,
    "xl/texts.xml": `<sst><si><t>EUR</t></si></sst>`,
    "xl/styles.xml": `<styleSheet><numFmts><numFmt numFmtId="164" formatCode="${code}"/></numFmts><cellXfs><xf numFmtId="0"/><xf numFmtId="49"/><xf numFmtId="48"/><xf numFmtId="164"/><xf numFmtId="14"/></cellXfs></styleSheet>`,
  });
  const slovak = "_-* #,##0.00\\ _S_k_-;-* #,##0.00\\ _S_k_-";

  test.each([
    ["as text", 1],
    ["with an exponent", 2],
    ["with the width of letters left free", 3],
  ])("a number that is shown %s is a number and no day", async (name, style) => {
    const bench = await openBench(database.db, name);
    const row = `<row><c s="1"><v>700123</v></c>${text("done")}${text("EUR")}<c s="${style}"><v>49.5</v></c>${text("2026-10-01T00:00:00Z")}</row>`;
    const bytes = await rawWorkbook(good + row, styled(slovak));
    const { rejects } = await bench.import("own.xlsx", bytes, { profiles: [aProfile()] });
    expect(rejects).toEqual([]);
    expect(await linesInForce(database.db, name)).toMatchObject([
      { provider_transaction_id: "700123", fiat_gross: "49.5" },
    ]);
  });

  test("a value that is empty is an empty cell, whatever the cell is for", async () => {
    const profile = aProfile({
      columns: {
        provider_transaction_id: "id",
        our_reference: "status",
        fiat_currency: "currency",
        fiat_amount: "amount",
        created_at: "time",
        effective_at: "settled",
      },
      constants: { status: "done" },
    });
    const bench = await openBench(database.db, "empty values");
    const named = good.replace("</row>", `${text("settled")}</row>`);
    const row = `<row>${text("A")}<c t="s"><v></v></c>${text("EUR")}<c><v>2</v></c>${text("2026-10-01T00:00:00Z")}<c s="4"><v></v></c></row>`;
    const bytes = await rawWorkbook(named + row, styled(slovak));
    await bench.import("own.xlsx", bytes, { profiles: [profile] });
    expect(await linesInForce(database.db, "empty values")).toMatchObject([
      { our_reference: null, effective_at: new Date("2026-10-01T00:00:00Z") },
    ]);
  });
});

describe("a hostile workbook", () => {
  const profiles = [aProfile()];
  const preview = async (bytes: Buffer) => {
    const bench = await openBench(database.db, `hostile ${++benches}`);
    return bench.preview("own.xlsx", bytes, { profiles });
  };
  let benches = 0;

  test("formulas count as what was saved of them, and the preview says so", async () => {
    const { statement } = await preview(await rawWorkbook(good + line("<c><f>1+1</f><v>2</v></c>")));
    expect(statement).toMatchObject({
      rowsAccepted: 1,
      warnings: [{ code: "workbook_formulas", message: expect.stringContaining("1 cells are formulas") }],
    });
  });

  test("hidden rows are read, and links to other files are not followed", async () => {
    const hidden = line("<c><v>2</v></c>").replace("<row>", '<row hidden="1">');
    const rels = `<Relationships><Relationship Id="s1" Type="x/worksheet" Target="sheet.xml"/><Relationship Id="l" Type="x/externalLink" Target="http://127.0.0.1:1/x"/></Relationships>`;
    const { statement } = await preview(
      await rawWorkbook(good + hidden, { "xl/_rels/workbook.xml.rels": rels }),
    );
    expect(statement.warnings).toMatchObject([{ code: "workbook_links" }, { code: "workbook_hidden_rows" }]);
  });

  const documentType = `<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;">]>`;
  test.each<[name: string, sheet: string, parts: Record<string, string>, says: string]>([
    [
      "a formula that was never computed",
      good + line("<c><f>1+1</f></c>"),
      {},
      "a formula without a saved value",
    ],
    ["a document type", "", { "xl/sheet.xml": `${documentType}<worksheet/>` }, "document type of its own"],
    ["an entity", good + line(text("&b;")), {}, "the entity &b;"],
    ["a shared text that is not there", good + line('<c t="s"><v>7</v></c>'), {}, "not in the workbook"],
    ["a cell far to the right", good + `<row><c r="XFD3"><v>1</v></c></row>`, {}, "at most 500 columns"],
    [
      "a row that goes back",
      `<row r="9">${text("x")}</row><row r="2">${text("y")}</row>`,
      {},
      "does not follow row 9",
    ],
    ["a row beyond the last", `<row r="999999999">${text("x")}</row>`, {}, "does not follow"],
    ["markup that is none", `<row <<<`, {}, "not well-formed"],
    ["an endless tag", `<row ${"a".repeat(200_000)}`, {}, "not well-formed"],
    ["no sheet at all", "", { "xl/workbook.xml": "<workbook/>" }, "no sheet that can be seen"],
    ["a text without end", good + line(text("x".repeat(200_000))), {}, "characters"],
  ])("%s is refused with its reason", async (_name, sheet, parts, says) => {
    await expect(rawWorkbook(sheet, parts).then(preview)).rejects.toThrow(says);
  });

  test("one that unpacks to a thousand times its size costs what is allowed, and no more", async () => {
    const blank = " ".repeat(8 * 1024 * 1024);
    const bytes = await rawWorkbook("", {
      "xl/styles.xml": "",
      "xl/workbook.xml": `<workbook>${blank}x${blank}</workbook>`,
    });
    expect(bytes.length).toBeLessThan(200_000);
    await expect(preview(bytes)).rejects.toThrow("unpacks to more than is read");
  });

  test("one that is cut off, damaged, or an archive of something else is refused", async () => {
    const bytes = workbook({ S: moonpay });
    await expect(preview(bytes.subarray(0, bytes.length - 30))).rejects.toThrow("cut off or damaged");
    const spoilt = Buffer.from(bytes);
    for (let at = 60; at < spoilt.length - 2_000; at += 7) spoilt[at] = (spoilt[at] ?? 0) ^ 0xff;
    await expect(preview(spoilt)).rejects.toThrow(/damaged|archive|missing|well-formed|UTF-8|packed/);
    const other = await rawWorkbook("", { "_rels/.rels": "<Relationships/>" });
    await expect(preview(other)).rejects.toThrow("an archive and no workbook");
  });
});
