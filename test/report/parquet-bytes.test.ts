import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type ByteWriter, writeAmount, writeTime } from "../../src/report/parquet/from-bytes.ts";
import { parquetOf, type ParquetColumn } from "../../src/report/parquet/parquet.ts";
import { encoders } from "../../src/report/parquet/values.ts";
import { askDuckDb } from "../support/duckdb.ts";
import { readAll } from "./books.ts";

let folder = "";
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "tieout-parquet-bytes-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** What is written of a cell in the middle of others; `null` where it is left to the encoder. */
function written(write: ByteWriter, bytes: number, text: string): string | null {
  const cell = Buffer.from(`,${text},`);
  const out = Buffer.alloc(bytes + 2, 0xaa);
  if (!write(cell, 1, cell.length - 1, out, 1)) return null;
  expect([out[0], out[bytes + 1]]).toEqual([0xaa, 0xaa]);
  return out.subarray(1, bytes + 1).toString("hex");
}

describe("values written from the bytes of a cell", () => {
  test("amounts are those of the exact encoder", () => {
    const digits = (min: number, max: number) => fc.stringMatching(new RegExp(`^[0-9]{${min},${max}}$`));
    const amount = fc
      .tuple(fc.constantFrom("", "-"), digits(1, 20), fc.option(digits(1, 18), { nil: undefined }))
      .map(([sign, whole, decimals]) => `${sign}${whole}${decimals === undefined ? "" : `.${decimals}`}`);
    fc.assert(
      fc.property(amount, (text) => {
        expect(written(writeAmount, 16, text)).toBe(encoders.amount(text)?.toString("hex"));
      }),
      { numRuns: 2_000 },
    );
    const edges = [
      "0",
      "-0",
      "0.000000000000000001",
      "-0.000000000000000001",
      "99999999999999999999.999999999999999999",
    ];
    for (const text of [
      ...edges,
      "-99999999999999999999.999999999999999999",
      "4294967296",
      "-18446744073709551616",
    ])
      expect(written(writeAmount, 16, text)).toBe(encoders.amount(text)?.toString("hex"));
  });

  test("times are those of the exact encoder", () => {
    const time = fc
      .tuple(
        fc.date({
          min: new Date("1970-01-01T00:00:00Z"),
          max: new Date("2249-12-31T23:59:59Z"),
          noInvalidDate: true,
        }),
        fc.constantFrom("", ".5", ".12", ".123", ".000001", ".999999"),
      )
      .map(([date, fraction]) => `${date.toISOString().slice(0, 19)}${fraction}Z`);
    fc.assert(
      fc.property(time, (text) => {
        expect(written(writeTime, 8, text)).toBe(encoders.time(text)?.toString("hex"));
      }),
      { numRuns: 2_000 },
    );
  });

  test("what is written in another way is left to it", () => {
    for (const text of ["", "-", ".", "1e5", "NaN", "1.2.3", "0.1234567890123456789", "1".repeat(21)])
      expect([text, written(writeAmount, 16, text)]).toEqual([text, null]);
    const times = ["infinity", "-infinity", "2026-10-01", "1969-12-31T23:59:59Z", "9999-12-31T00:00:00Z"];
    for (const text of [
      ...times,
      "2026-10-01T12:00:00",
      "2026-10-01T12:00:00.1234567Z",
      "2026-13-01T12:00:00Z",
    ])
      expect([text, written(writeTime, 8, text)]).toEqual([text, null]);
  });
});

test("a column with very many distinct values, of all lengths, is read as it was written", async () => {
  const columns: ParquetColumn[] = [
    { name: "n", type: "integer" },
    { name: "text", type: "text" },
    { name: "hash", type: "text" },
    { name: "kind", type: "text" },
    { name: "amount", type: "amount" },
    { name: "at", type: "time" },
    { name: "odd", type: "time" },
    { name: "id", type: "text" },
    { name: "address", type: "text" },
    { name: "price", type: "amount" },
  ];
  const rows = 70_000;
  let csv = "n,text,hash,kind,amount,at,odd,id,address,price\n";
  for (let n = 0; n < rows; n++) {
    // Nothing, an empty text, a quote, letters of several bytes, and lengths that jump.
    const text = ["", '""', `"say ""${n}"""`, `é${n}`, "x".repeat((n * 7_919) % 300) + n][n % 5] ?? "";
    const hash = Math.imul(n + 1, 2_654_435_761)
      .toString(16)
      .padStart(9, "0")
      .repeat(4);
    const at = new Date(Date.UTC(2026, 0, 1) + n * 61_000).toISOString();
    // Before 1970 and long after it, in no order.
    const odd = new Date(Date.UTC(1900 + ((n * 131) % 400), n % 12, 1 + (n % 28)) + n * 1_000).toISOString();
    // In their order, some longer than the one before and some with nothing in them; and all with the same beginning.
    const id = n % 7 === 0 ? '""' : `order-é-${n}`;
    const after = `${id},0x${hash},${1_000 + n}.25`;
    csv += `${n},${text},${hash},${n % 3 === 0 ? "" : `kind ${n % 7}`},${n % 2 === 0 ? "-" : ""}${n}.${n},${at},${odd},${after}\n`;
  }
  const bytes = Buffer.from(csv);
  const pieces = Array.from({ length: Math.ceil(bytes.length / 65_536) }, (_, index) =>
    bytes.subarray(index * 65_536, (index + 1) * 65_536),
  );
  const path = join(folder, "many.parquet");
  await writeFile(path, await readAll(parquetOf(columns, pieces)));
  const csvPath = join(folder, "many.csv");
  await writeFile(csvPath, csv);
  const types =
    "{'n': 'bigint', 'text': 'varchar', 'hash': 'varchar', 'kind': 'varchar', 'amount': 'decimal(38,18)', 'at': 'timestamptz', 'odd': 'timestamptz', 'id': 'varchar', 'address': 'varchar', 'price': 'decimal(38,18)'}";
  const asRead = `read_csv('${csvPath}', header = true, columns = ${types}, allow_quoted_nulls = false)`;
  const [counted] = await askDuckDb(
    `select count(*)::varchar as rows, count(text)::varchar as texts from '${path}'`,
  );
  expect(counted).toEqual({ rows: String(rows), texts: String((rows / 5) * 4) });
  expect(await askDuckDb(`select * from '${path}' except all select * from ${asRead} limit 3`)).toEqual([]);
  expect(await askDuckDb(`select * from ${asRead} except all select * from '${path}' limit 3`)).toEqual([]);
  const encodings = await askDuckDb(
    `select distinct path_in_schema as name, encodings from parquet_metadata('${path}') order by 1`,
  );
  const last = encodings.map(({ name, encodings: used }) => [name, String(used).split(", ").at(-1)]);
  expect(Object.fromEntries(last)).toEqual({
    address: "DELTA_BYTE_ARRAY",
    amount: "RLE",
    at: "DELTA_BINARY_PACKED",
    hash: "DELTA_LENGTH_BYTE_ARRAY",
    id: "DELTA_BYTE_ARRAY",
    kind: "RLE_DICTIONARY",
    n: "DELTA_BINARY_PACKED",
    odd: "RLE",
    price: "DELTA_BYTE_ARRAY",
    text: "DELTA_LENGTH_BYTE_ARRAY",
  });
});
