import { expect, test } from "vitest";
import { useTestDatabase } from "../../support/test-database.ts";
import { aProfile, linesInForce, openBench } from "./import-for-test.ts";

const database = useTestDatabase();

const profile = aProfile({
  columns: {
    provider_transaction_id: "id",
    fiat_currency: "ccy",
    fiat_gross: "gross",
    fiat_net: ["net", "netto"],
    effective_at: "time",
  },
  required: ["provider_transaction_id", "fiat_currency", "fiat_gross", "effective_at"],
  constants: { status: "done" },
});
const time = "2026-03-10T12:00:00Z";
const narrow = `id,ccy,gross,time\nA,EUR,100,${time}\nB,EUR,100,${time}\n`;
const wide = `id,ccy,gross,net,time\nC,EUR,100,98,${time}\n`;
const swapped = `id,ccy,net,gross,time\nD,EUR,98,100,${time}\n`;

let made = 0;

async function read(content: string) {
  const account = `tables ${++made}`;
  const bench = await openBench(database.db, account);
  await bench.import("own.csv", content, { profiles: [profile] });
  const lines = await linesInForce(database.db, account);
  return lines.map((line) => [line["provider_transaction_id"], line["fiat_gross"], line["fiat_net"]]);
}

test.each([
  ["with another column, of which one would be read and the other be lost", `${narrow}\n${wide}`, 1, 5],
  ["with its columns in another order, far below", `${wide}${"\n".repeat(60)}${swapped}`, 1, 63],
])("a file with a second table %s, is refused", async (_, file, first, second) => {
  await expect(read(file)).rejects.toThrow(
    `lines ${first} and ${second} are headers of two tables with different columns: make a file of each (file_layout_changed)`,
  );
});

test("a header of two lines, or one that comes again, is one table", async () => {
  const twice = `id,ccy,gross,comment,time\nID,CCY,Gross,Netto,Time\nA,EUR,100,98,${time}\nid,ccy,gross,netto,time\n`;
  expect(await read(twice)).toEqual([["A", "100", "98"]]);
  expect(await read(`${narrow}ID,ccy,gross ,time\nC,EUR,5,${time}\n`)).toHaveLength(3);
});
