import { describe, expect, test } from "vitest";
import { parseInstant } from "../../../src/core/instant.ts";
import { describeChanges, whyItCounts } from "../../../src/reconcile/statement/which-counts.ts";
import { useTestDatabase } from "../../support/test-database.ts";
import { aProfile, linesInForce, openBench, rowsInTables } from "./import-for-test.ts";

const database = useTestDatabase();
const profiles = [aProfile()];
const header = "id,status,currency,amount,time";
const a = "A,done,EUR,790.00,2026-01-01T10:00:00Z";
const b = "B,done,EUR,20.00,2026-01-09T10:00:00Z";
const corrected = "A,done,EUR,740.00,2026-01-01T10:00:00Z";
const file = (...rows: string[]) => `${[header, ...rows].join("\n")}\n`;
const madeOn = (day: string) => ({ profiles, generatedAt: parseInstant(`2026-02-${day}T00:00:00Z`) });

describe("of two values for one line", () => {
  test("the later import counts where no file says when it was made, though its rows are older", async () => {
    const bench = await openBench(database.db, "import decides");
    await bench.import("january.csv", file(a, b), { profiles });
    const preview = await bench.preview("correction.csv", file(corrected), { profiles });
    const { restated } = await bench.import("correction.csv", file(corrected), { profiles });
    for (const [row] of [preview.restated, restated]) {
      if (!row) throw new Error("a value was restated");
      expect(row.stands).toBe(true);
      expect(describeChanges(row)).toContain("fiat_gross was 790, is 740");
      expect(whyItCounts(row)).toBe(
        "it was imported after january.csv, and neither file says when it was made",
      );
    }
    expect(await amountOf("import decides")).toBe("740");
  });

  test("a stated time of making decides, whichever is imported last, and the value that does not count is said to", async () => {
    const bench = await openBench(database.db, "stated decides");
    await bench.import("new.csv", file(corrected, b), madeOn("02"));
    const { restated } = await bench.import("old.csv", file(a, b), madeOn("01"));
    const [row] = restated;
    if (!row) throw new Error("a value was restated");
    expect(row.stands).toBe(false);
    expect(describeChanges(row)).toContain("fiat_gross stays 740, not 790");
    expect(whyItCounts(row)).toBe(
      "this file was made at 2026-02-01T00:00:00Z, earlier than new.csv, made at 2026-02-02T00:00:00Z; " +
        "if it is the correction, state when it was made, or that it replaces the other",
    );
    expect(await amountOf("stated decides")).toBe("740");
  });

  test("the time in a file's name is a stated one", async () => {
    const bench = await openBench(database.db, "by name");
    await bench.import("p_20260202T000000Z.csv", file(corrected), { profiles });
    await bench.import("p_20260201T000000Z.csv", file(a), { profiles });
    expect(await amountOf("by name")).toBe("740");
  });

  test("against a file that states nothing, its import stands for its making", async () => {
    const bench = await openBench(database.db, "mixed");
    await bench.import("first.csv", file(a), { profiles });
    const { restated } = await bench.import("stated.csv", file(corrected), madeOn("01"));
    expect(restated.map(whyItCounts)).toEqual([
      expect.stringMatching(
        /^this file was made at .*, earlier than first\.csv, imported at .* without saying/,
      ),
    ]);
    expect(await amountOf("mixed")).toBe("790");
  });
});

describe("a file without a single line", () => {
  const mangled = file(
    "1.2E+15,done,EUR,ten,2026-01-01T10:00:00Z",
    "1.3E+15,done,EUR,ten,2026-01-02T10:00:00Z",
  );

  test("is refused with the commonest reason and a remedy, whatever reason is given, and covers nothing", async () => {
    const bench = await openBench(database.db, "no line");
    const before = await rowsInTables(database.db);
    for (const acceptReason of [null, "take it"]) {
      await expect(bench.import("2026-01.csv", mangled, { profiles, acceptReason })).rejects.toMatchObject({
        importCode: "file_without_lines",
        message: expect.stringMatching(
          /line 2: fiat_amount "ten" is not an amount.*and 1 more rows the same/,
        ) as string,
      });
    }
    expect(await rowsInTables(database.db)).toEqual(before);
    const preview = await bench.preview("2026-01.csv", mangled, { profiles });
    expect(preview).toMatchObject({ problems: [{ code: "file_without_lines" }], rejects: [{}, {}] });
  });

  test.each([
    [
      "decimal comma",
      "id;status;currency;amount;time\nA;done;EUR;790,00;2026-01-01T10:00:00Z\n",
      /writes a decimal comma: Write a profile such as .*"extends":"test","decimal":","/,
    ],
    ["thousands", file('A,done,EUR,"1,234.56",2026-01-01T10:00:00Z'), /groups thousands: .*"grouping":","/],
    ["local times", file("A,done,EUR,1,2026-01-01 10:00:00"), /how the file writes times, and in which zone/],
    ["no id", file(",done,EUR,1,2026-01-01T10:00:00Z"), /count equal rows instead: .*"mode":"counted"/],
  ])("by %s says how to read it, first of all", async (name, text, says) => {
    const bench = await openBench(database.db, `remedy ${name}`);
    await expect(bench.import("2026-01.csv", text, { profiles })).rejects.toMatchObject({
      importCode: "file_without_lines",
      message: expect.stringMatching(says) as string,
    });
  });

  test("that holds only what is known already is taken: it carries lines", async () => {
    const bench = await openBench(database.db, "known");
    await bench.import("1.csv", file(a, b), { profiles });
    const { statement } = await bench.import("2.csv", file(b, a), { profiles });
    expect(statement).toMatchObject({ rowsAccepted: 0, rowsDuplicate: 2 });
  });
});

test("the period of a file comes from its lines: a rejected row covers no day", async () => {
  const bench = await openBench(database.db, "covered");
  const { statement } = await bench.import(
    "rows.csv",
    file(
      a,
      ",done,EUR,1,2026-03-01T10:00:00Z",
      "X,done,EUR,1,2026-05-01T10:00:00Z",
      "X,done,EUR,2,2026-05-01T10:00:00Z",
    ),
    { profiles },
  );
  expect(statement).toMatchObject({
    rowsAccepted: 1,
    periodFrom: expect.stringContaining("2026-01-01") as string,
    periodTo: expect.stringContaining("2026-01-02") as string,
  });
});

async function amountOf(account: string): Promise<unknown> {
  const lines = await linesInForce(database.db, account);
  return lines.find(({ provider_transaction_id }) => provider_transaction_id === "A")?.["fiat_gross"];
}
