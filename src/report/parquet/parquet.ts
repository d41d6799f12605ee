import { Readable } from "node:stream";
import { readCsvRows } from "../csv-rows.ts";
import { type GatheredColumn, gatherColumn } from "./column.ts";
import { writePages } from "./pages.ts";
import { encodeStruct, type ThriftStruct, type ThriftValue } from "./thrift.ts";
import { amountBytes, decimalPrecision, decimalScale, type ParquetType } from "./values.ts";

export interface ParquetColumn {
  name: string;
  type: ParquetType;
}

const magic = Buffer.from("PAR1");
/** Rows that are held at once. More of them pack a little better; these are about 30 MB of a wide report. */
const groupRows = 65_536;
const groupBytes = 48 * 1024 * 1024;
const createdBy = "tieout";

/**
 * A Parquet file as a stream, of CSV as Postgres writes it, with its line of names. Amounts are DECIMAL(38,18), exact; a column with an
 * amount that does not fit into that is a text (`long_amount`). Times are UTC with microseconds. The same rows give the same bytes.
 */
export function parquetOf(
  columns: readonly ParquetColumn[],
  csv: Iterable<Buffer> | AsyncIterable<Buffer>,
  notes: Readonly<Record<string, string>> = {},
): Readable {
  return Readable.from(parquetFile(columns, csv, notes), { objectMode: false, highWaterMark: 1024 * 1024 });
}

async function* parquetFile(
  columns: readonly ParquetColumn[],
  csv: Iterable<Buffer> | AsyncIterable<Buffer>,
  notes: Readonly<Record<string, string>>,
): AsyncGenerator<Buffer> {
  const buffers = columns.map(({ type }) => gatherColumn(type));
  const groups: ThriftValue[] = [];
  let isHeader = true;
  let rows = 0;
  let written = 0;
  let at = magic.length;
  let pending: GatheredColumn[][] = [];
  yield magic;

  const reading = readCsvRows(csv, (row) => {
    if (isHeader) {
      isHeader = false;
      return;
    }
    for (let column = 0; column < buffers.length; column++) buffers[column]?.add(row, column);
    rows++;
    if (rows < groupRows && (rows % 1_024 !== 0 || heldBytes() < groupBytes)) return;
    pending.push(buffers.map((buffer) => buffer.take()));
    written += rows;
    rows = 0;
  });
  const heldBytes = () => buffers.reduce((sum, buffer) => sum + buffer.bytes(), 0);

  async function writeGroup(gathered: readonly GatheredColumn[]): Promise<Buffer[]> {
    const chunks = await Promise.all(gathered.map(writePages));
    const start = at;
    const described = chunks.map((chunk, index): ThriftValue => {
      const offset = at;
      at += chunk.bytes.length;
      return { struct: describeChunk(columns[index] as ParquetColumn, chunk, offset) };
    });
    groups.push({
      struct: [
        [1, { list: described }],
        [2, { i64: chunks.reduce((sum, { unpackedBytes }) => sum + unpackedBytes, 0) }],
        [3, { i64: chunks[0]?.valueCount ?? 0 }],
        [5, { i64: start }],
        [6, { i64: at - start }],
      ],
    });
    return chunks.map(({ bytes }) => bytes);
  }

  for await (const _ of reading) {
    for (const gathered of pending) yield* await writeGroup(gathered);
    pending = [];
  }
  if (rows > 0) yield* await writeGroup(buffers.map((buffer) => buffer.take()));
  written += rows;
  yield footer(columns, { rows: written, groups, notes });
}

function footer(
  columns: readonly ParquetColumn[],
  { rows, groups, notes }: { rows: number; groups: ThriftValue[]; notes: Readonly<Record<string, string>> },
): Buffer {
  const root: ThriftValue = {
    struct: [
      [4, { text: "schema" }],
      [5, { i32: columns.length }],
    ],
  };
  const metadata = encodeStruct([
    [1, { i32: 1 }],
    [2, { list: [root, ...columns.map((column): ThriftValue => ({ struct: describeColumn(column) }))] }],
    [3, { i64: rows }],
    [4, { list: groups }],
    [
      5,
      {
        list: Object.entries(notes).map(([key, value]): ThriftValue => ({
          struct: [
            [1, { text: key }],
            [2, { text: value }],
          ],
        })),
      },
    ],
    [6, { text: createdBy }],
  ]);
  const size = Buffer.alloc(4);
  size.writeUInt32LE(metadata.length);
  return Buffer.concat([metadata, size, magic]);
}

const physical = { boolean: 0, int32: 1, int64: 2, bytes: 6, fixed: 7 };
const physicalOf: Record<ParquetType, number> = {
  boolean: physical.boolean,
  date: physical.int32,
  time: physical.int64,
  integer: physical.int64,
  text: physical.bytes,
  long_amount: physical.bytes,
  amount: physical.fixed,
};
const optional = 1;
const gzipCodec = 2;

function describeColumn({ name, type }: ParquetColumn): ThriftStruct {
  const physicalType = [1, { i32: physicalOf[type] }] as const;
  const shared = [
    [3, { i32: optional }],
    [4, { text: name }],
  ] as const;
  switch (type) {
    case "text":
    case "long_amount":
      return [physicalType, ...shared, [6, { i32: 0 }], [10, { struct: [[1, { struct: [] }]] }]];
    case "amount": {
      const decimal: ThriftStruct = [
        [1, { i32: decimalScale }],
        [2, { i32: decimalPrecision }],
      ];
      return [
        physicalType,
        [2, { i32: amountBytes }],
        ...shared,
        [6, { i32: 5 }],
        [7, { i32: decimalScale }],
        [8, { i32: decimalPrecision }],
        [10, { struct: [[5, { struct: decimal }]] }],
      ];
    }
    case "time": {
      const utcMicros: ThriftStruct = [
        [1, { bool: true }],
        [2, { struct: [[2, { struct: [] }]] }],
      ];
      return [physicalType, ...shared, [6, { i32: 10 }], [10, { struct: [[8, { struct: utcMicros }]] }]];
    }
    case "date":
      return [physicalType, ...shared, [6, { i32: 6 }], [10, { struct: [[6, { struct: [] }]] }]];
    default:
      return [physicalType, ...shared];
  }
}

function describeChunk(
  { name, type }: ParquetColumn,
  chunk: Awaited<ReturnType<typeof writePages>>,
  offset: number,
): ThriftStruct {
  const metadata: ThriftStruct = [
    [1, { i32: physicalOf[type] }],
    [2, { list: chunk.encodings.map((i32) => ({ i32 })) }],
    [3, { list: [{ text: name }] }],
    [4, { i32: gzipCodec }],
    [5, { i64: chunk.valueCount }],
    [6, { i64: chunk.unpackedBytes }],
    [7, { i64: chunk.bytes.length }],
    [9, { i64: offset + chunk.dataPageAt }],
    ...(chunk.hasDictionary ? ([[11, { i64: offset }]] as const) : []),
  ];
  return [
    [2, { i64: offset }],
    [3, { struct: metadata }],
  ];
}
