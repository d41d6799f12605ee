import { readFile } from "node:fs/promises";
import { describe, expect, test } from "vitest";
import { parseProfile } from "../../../src/reconcile/statement/own-profiles.ts";
import type { ProfileSource } from "../../../src/reconcile/statement/profile.ts";
import { useTestDatabase } from "../../support/test-database.ts";
import { aProfile, linesInForce, openBench } from "./import-for-test.ts";

const database = useTestDatabase();
const moonpay = await readFile("test/fixtures/statements/moonpay.csv", "utf8");

describe("one statement, however it is written", () => {
  const bom = "\uFEFF";
  const cases: [name: string, content: string | Buffer][] = [
    ["UTF-8", moonpay],
    ["UTF-8 with a mark", bom + moonpay],
    ["UTF-16, little end first", Buffer.from(bom + moonpay, "utf16le")],
    ["UTF-16, big end first", Buffer.from(bom + moonpay, "utf16le").swap16()],
    ["carriage returns", moonpay.replaceAll("\n", "\r\n")],
    ["carriage returns alone", moonpay.replaceAll("\n", "\r")],
    ["semicolons", moonpay.replaceAll(",", ";")],
    ["tabs", moonpay.replaceAll(",", "\t")],
    ["bars", moonpay.replaceAll(",", "|")],
    ["quotes", moonpay.replaceAll(/[^,\n]+/g, '"$&"')],
    ["a preamble", `MoonPay statement\nAccount,4711\n\n${moonpay}`],
    [
      "upper case and spaces in the header",
      moonpay.replace(/^.*\n/, (line) => line.toUpperCase().replaceAll(",", " , ")),
    ],
    ["no line break at its end", moonpay.trimEnd()],
  ];

  test.each(cases)("%s", async (name, content) => {
    const bench = await openBench(database.db, name);
    const { statement } = await bench.import("moonpay.csv", content);
    expect(statement).toMatchObject({ provider: "moonpay", rowsRead: 5, rowsAccepted: 5 });
    expect(statement.totals).toMatchObject([
      { line_type: "charge", gross: "627.3", fees: "18.79", net: "2.86" },
      { line_type: "payout", net: "2.3" },
      { line_type: "refund", gross: "300", net: "-0.56" },
    ]);
  });
});

describe("what a profile can say", () => {
  const header = "id;status;currency;amount;time";

  async function linesOf(name: string, changes: Partial<ProfileSource>, text: string) {
    const bench = await openBench(database.db, name);
    const { rejects } = await bench.import("own.csv", text, { profiles: [aProfile(changes)] });
    expect(rejects).toEqual([]);
    return linesInForce(database.db, name);
  }

  test("decimal comma, grouping, and local times", async () => {
    const lines = await linesOf(
      "german",
      { decimal: ",", grouping: ".", time: { format: "DD.MM.YYYY HH:mm", zone: "Europe/Berlin" } },
      `${header}\nA;done;EUR;1.234,56;15.07.2026 12:00\n`,
    );
    expect(lines).toMatchObject([{ fiat_gross: "1234.56", effective_at: new Date("2026-07-15T10:00:00Z") }]);
  });

  test("minor units, by the currency's own number of decimals", async () => {
    const lines = await linesOf(
      "minor",
      { fiat_unit: "minor" },
      `${header}\nA;done;EUR;1050;2026-01-01T00:00:00Z\nB;done;JPY;1050;2026-01-01T00:00:00Z\nC;done;KWD;1050;2026-01-01T00:00:00Z\n`,
    );
    expect(lines.map(({ fiat_gross }) => fiat_gross)).toEqual(["10.5", "1050", "1.05"]);
  });

  test("an unsigned amount beside a word for debit", async () => {
    const lines = await linesOf(
      "debit words",
      {
        columns: {
          provider_transaction_id: "id",
          line_type: "status",
          fiat_currency: "currency",
          net_amount: "amount",
          net_direction: "dc",
          effective_at: "time",
        },
        required: ["provider_transaction_id", "fiat_currency", "effective_at"],
        line_types: { adj: "adjustment" },
        debit_words: ["DR"],
      },
      `${header};dc\nA;adj;EUR;5;2026-01-01T00:00:00Z;CR\nB;adj;EUR;7;2026-01-01T00:00:00Z;DR\n`,
    );
    expect(lines.map(({ net_amount }) => net_amount)).toEqual(["5", "-7"]);
  });

  test("letters of an older encoding, when the profile names it", async () => {
    const bench = await openBench(database.db, "latin");
    const text = `${header};größe\nA;done;EUR;1;2026-01-01T00:00:00Z;groß\n`;
    await bench.import("latin.csv", Buffer.from(text, "latin1"), {
      profiles: [aProfile({ encoding: "windows-1252" })],
      profileName: "test",
    });
    expect(await linesInForce(database.db, "latin")).toMatchObject([{ extra: { größe: "groß" } }]);
  });

  test("a required trailer that is missing shows that the file was cut", async () => {
    const bench = await openBench(database.db, "trailer");
    const profiles = [aProfile({ facts: [{ first_cell: "END", gives: "end", required: true }] })];
    const text = `${header}\nA;done;EUR;1;2026-01-01T00:00:00Z\n`;
    await expect(bench.import("cut.csv", text, { profiles })).rejects.toMatchObject({
      importCode: "file_truncated",
    });
    const { statement } = await bench.import("whole.csv", `${text}END\n`, { profiles });
    expect(statement).toMatchObject({ trailerRows: 1, rowsRead: 1 });
  });

  test("1.234 read with a decimal point is caught by the total that the file states", async () => {
    const bench = await openBench(database.db, "misread");
    const facts: ProfileSource["facts"] = [
      { first_cell: "SUM", gives: "sum", field: "fiat_gross", cell: 4, currency_cell: 3 },
    ];
    const text = `${header}\nA;done;EUR;1.234;2026-01-01T00:00:00Z\nB;done;EUR;10;2026-01-01T00:00:00Z\nSUM;;EUR;1.244;\n`;
    const right = aProfile({ facts, decimal: ",", grouping: "." });
    const { statement } = await bench.import("german.csv", text, { profiles: [right] });
    expect(statement.totals).toMatchObject([{ gross: "1244" }]);
    await expect(
      bench.import("english.csv", `${text}\n`, { profiles: [aProfile({ facts })] }),
    ).rejects.toMatchObject({ importCode: "control_total_mismatch" });
  });
});

describe("a profile of one's own", () => {
  test("says only what differs from the one it extends", () => {
    const own = parseProfile({
      extends: "transak",
      name: "transak-eu",
      version: 2,
      decimal: ",",
      columns: { our_reference: "orderRef" },
      statuses: { any: { ERLEDIGT: "settled" } },
    });
    expect(own).toMatchObject({
      name: "transak-eu",
      provider: "transak",
      decimal: ",",
      columns: { our_reference: "orderRef", fiat_amount: "fiatAmount" },
      statuses: { any: { ERLEDIGT: "settled", COMPLETED: "settled" } },
    });
  });

  test.each([
    ["no object", [], "must be an object"],
    ["an unknown field", { ...aProfile(), colums: {} }, "colums"],
    [
      "a column that it needs and does not name",
      { ...aProfile(), required: ["asset"] },
      "asset has no column",
    ],
    ["grouping by the decimal sign", { ...aProfile(), grouping: "." }, "may not be the decimal sign"],
    [
      "a zone that nobody knows",
      { ...aProfile(), time: { format: "YYYY-MM-DD", zone: "Mars/Olympus" } },
      'time.zone: not a time zone: "Mars/Olympus". Use UTC or an IANA name',
    ],
    [
      "an abbreviation, which means more than one zone",
      { ...aProfile(), time: { format: "YYYY-MM-DD", zone: "BST" } },
      'time.zone: not a time zone: "BST"',
    ],
    [
      "a form of times without a year",
      { ...aProfile(), time: { format: "DD.MM.", zone: "UTC" } },
      'time.format: "DD.MM." is not iso',
    ],
    [
      "an identity by an amount",
      { ...aProfile(), identity: { mode: "unique", columns: ["fiat_amount"] } },
      "cannot identify",
    ],
    ["an unknown profile to extend", { extends: "tansak" }, "no profile tansak"],
  ])("%s is refused", (_, json, says) => {
    expect(() => parseProfile(json)).toThrow(says);
  });
});
