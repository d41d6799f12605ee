import { utils, write } from "@e965/xlsx";
import { expect, test } from "vitest";
import { fields } from "../../../src/reconcile/statement/profile.ts";
import { readSample } from "../../../src/reconcile/statement/read-sample.ts";
import { fieldWords } from "../../../src/web/settings/profiles/field-words.ts";

function source(name: string, content: string | Buffer) {
  return {
    name,
    async *bytes() {
      yield Buffer.from(content);
    },
  };
}

const rows = [
  ["Order ID", "Status", "Fiat Currency", "Fiat Gross", "Created At"],
  ["A-1", "done", "EUR", "1.200,50", "31.01.2026 10:00"],
];

test("a sample is its header below the preamble, its first rows, and what its columns may be", async () => {
  const text = `Report of Kappa\n\n${rows.map((row) => row.join(";")).join("\n")}\n`;
  expect(await readSample(source("kappa.csv", text))).toEqual({
    encoding: "utf-8",
    delimiter: ";",
    headerLineNo: 3,
    columns: [
      { header: "Order ID", proposed: "provider_transaction_id" },
      { header: "Status", proposed: "status" },
      { header: "Fiat Currency", proposed: "fiat_currency" },
      { header: "Fiat Gross", proposed: "fiat_gross" },
      { header: "Created At", proposed: "created_at" },
    ],
    rows: [rows[1]],
  });
});

test("a workbook is sampled like its CSV, and a long file no further than its begin", async () => {
  const book = utils.book_new();
  utils.book_append_sheet(book, utils.aoa_to_sheet(rows), "Statement");
  const bytes = write(book, { type: "buffer", bookType: "xlsx" }) as Buffer;
  const sample = await readSample(source("kappa.xlsx", bytes));
  expect([sample.encoding, sample.columns.length, sample.rows]).toEqual(["xlsx", 5, [rows[1]]]);
  const long = await readSample(source("long.csv", `a,b\n${"1,2\n".repeat(200_000)}`));
  expect([long.columns.length, long.rows.length]).toEqual([2, 8]);
});

test("what holds no table is refused by name", async () => {
  await expect(readSample(source("letter.txt", "Dear all,\n"))).rejects.toThrow(/letter\.txt/);
  await expect(readSample(source("nothing.csv", "one\ntwo\n"))).rejects.toThrow(/nothing\.csv: .*header/);
  await expect(readSample(source("empty.csv", ""))).rejects.toThrow(/empty\.csv: .*empty/);
});

test("every field of a profile has words of its own on the page", () => {
  expect(Object.keys(fieldWords).toSorted()).toEqual([...fields].toSorted());
  expect(new Set(Object.values(fieldWords)).size).toBe(fields.length);
});
