import { describe, expect, test } from "vitest";
import { parseProfile } from "../../../src/reconcile/statement/own-profiles.ts";
import { rawWorkbook } from "../../support/raw-workbook.ts";
import { useTestDatabase } from "../../support/test-database.ts";
import { linesInForce, openBench } from "./import-for-test.ts";

/** What spreadsheets make of statements, read with profiles as users write them. */
const database = useTestDatabase();

const shared = {
  name: "own",
  version: 1,
  provider: "own",
  required: ["provider_transaction_id", "effective_at"],
  side: "buy",
  constants: { status: "ok", fiat_currency: "EUR" },
  statuses: { any: { ok: "settled" } },
  identity: { mode: "unique", columns: ["provider_transaction_id"] },
};
const columns = { provider_transaction_id: "id", fiat_gross: "gross", effective_at: "date" };

const text = (value: string) => `<c t="inlineStr"><is><t>${value}</t></is></c>`;
const number = (value: string) => `<c><v>${value}</v></c>`;
const styles = { day: 14, hour: 20, percent: 10, ownPercent: 200 } as const;
const styled = (value: string, style: keyof typeof styles) =>
  `<c s="${Object.keys(styles).indexOf(style) + 1}"><v>${value}</v></c>`;

function book(header: readonly string[], rows: readonly (readonly string[])[]): Promise<Buffer> {
  const all = [header.map(text), ...rows].map((cells) => `<row>${cells.join("")}</row>`);
  const formats = Object.values(styles).map((id) => `<xf numFmtId="${id}"/>`);
  return rawWorkbook(all.join(""), {
    "xl/_rels/workbook.xml.rels": `<Relationships><Relationship Id="s1" Type="x/worksheet" Target="sheet.xml"/><Relationship Id="st" Type="x/styles" Target="styles.xml"/></Relationships>`,
    "xl/styles.xml": `<styleSheet><numFmts><numFmt numFmtId="200" formatCode="0.0\\ %"/></numFmts><cellXfs><xf numFmtId="0"/>${formats.join("")}</cellXfs></styleSheet>`,
  });
}

let made = 0;

async function read(profile: object, file: Buffer) {
  const account = `workbooks ${++made}`;
  const bench = await openBench(database.db, account);
  const { rejects } = await bench.import("own.xlsx", file, {
    profiles: [parseProfile({ ...shared, columns, ...profile })],
  });
  const lines = await linesInForce(database.db, account);
  return {
    rejects: rejects.map(({ lineNo, reason }) => [lineNo, reason]),
    lines,
    at: lines.map((line) => new Date(line["effective_at"] as string).toISOString()),
  };
}

describe("a day and its hour in two cells", () => {
  const withHour = { columns: { ...columns, effective_time: "hour" } };
  const header = ["id", "gross", "date", "hour"];
  const row = (id: string, date: string, hour: string) => [text(id), number("5"), date, hour];

  test.each([
    ["DD.MM.YYYY HH:mm", "Europe/Berlin", "2026-03-10T14:00:00.000Z"],
    ["YYYY-MM-DD HH:mm:ss", "UTC", "2026-03-10T15:00:00.000Z"],
    ["MMM DD, YYYY hh:mm A", "America/New_York", "2026-03-10T19:00:00.000Z"],
  ])("are the moment that they show, read as %s in %s", async (format, zone, expected) => {
    const file = await book(header, [
      row("both dates", styled("46091", "day"), styled("0.625", "hour")),
      row("the moment in each", styled("46091.625", "day"), styled("46091.625", "hour")),
    ]);
    const { at, rejects } = await read({ ...withHour, time: { format, zone } }, file);
    expect(rejects).toEqual([]);
    expect(at).toEqual([expected, expected]);
  });

  test("one of them may be a text", async () => {
    const file = await book(header, [
      row("A", styled("46091", "day"), text("15:00")),
      row("B", text("10.03.2026"), styled("0.625", "hour")),
    ]);
    const { at, rejects } = await read({ ...withHour, time: { format: "DD.MM.YYYY HH:mm" } }, file);
    expect(rejects).toEqual([]);
    expect(at).toEqual(["2026-03-10T15:00:00.000Z", "2026-03-10T15:00:00.000Z"]);
  });
});

describe("a share of something is not an amount", () => {
  test.each(["percent", "ownPercent"] as const)(
    "and costs its row where the cell shows it in %s; elsewhere it is a number",
    async (style) => {
      const header = ["id", "gross", "fee", "share", "date"];
      const date = styled("46091", "day");
      const profile = {
        columns: { ...columns, fee_processing: "fee" },
        fees_deducted: ["fee_processing"],
        model: "gross",
        time: { format: "YYYY-MM-DD" },
      };
      const file = await book(header, [
        [text("A"), number("100"), number("2.5"), styled("0.025", style), date],
        [text("B"), number("100"), styled("0.025", style), number("2.5"), date],
      ]);
      const { lines, rejects } = await read(profile, file);
      expect(rejects).toEqual([[3, '"2.5%" is not an amount with a decimal point and no grouping']]);
      expect(lines).toMatchObject([{ net_amount: "97.5", extra: { share: "0.025" } }]);
    },
  );
});
