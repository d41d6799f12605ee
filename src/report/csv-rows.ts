/** A row of CSV as Postgres writes it: where its cells stand in the bytes, without the quotes around them. */
export interface CsvRow {
  bytes: Buffer;
  from: Int32Array;
  to: Int32Array;
  /** 1 where the cell is quoted: an empty one is then an empty text, and otherwise nothing. */
  quoted: Uint8Array;
  /** How many cells there are. */
  count: number;
}

const comma = 0x2c;
const quote = 0x22;
const lineFeed = 0x0a;
const cellsMax = 2_000;

/** Hands over every row, however the bytes are cut; `row` is the same object each time. Gives way after each piece. */
export async function* readCsvRows(
  csv: Iterable<Buffer> | AsyncIterable<Buffer>,
  take: (row: CsvRow) => void,
): AsyncGenerator<void> {
  const row: CsvRow = {
    bytes: Buffer.alloc(0),
    from: new Int32Array(cellsMax),
    to: new Int32Array(cellsMax),
    quoted: new Uint8Array(cellsMax),
    count: 0,
  };
  let held: Buffer = Buffer.alloc(0);
  let wanted = 0;
  for await (const chunk of withEnd(csv)) {
    if (chunk !== null) held = held.length === 0 ? chunk : Buffer.concat([held, chunk]);
    // A row of many chunks is looked at when there is twice as much of it, not again with each of them.
    if (chunk !== null && held.length < wanted) continue;
    row.bytes = held;
    let at = 0;
    for (let next = findCells(row, at); next !== null; next = findCells(row, at)) {
      take(row);
      at = next;
    }
    held = held.subarray(at);
    wanted = held.length * 2;
    yield;
  }
}

async function* withEnd(csv: Iterable<Buffer> | AsyncIterable<Buffer>): AsyncGenerator<Buffer | null> {
  yield* csv;
  yield null;
}

/** Where the next row begins; `null` when the end of this one has not come yet. */
function findCells(row: CsvRow, start: number): number | null {
  const { bytes, from, to, quoted } = row;
  let at = start;
  for (let column = 0; ; column++) {
    if (bytes[at] === quote) {
      quoted[column] = 1;
      from[column] = ++at;
      for (;;) {
        while (at < bytes.length && bytes[at] !== quote) at++;
        // A quote in a quoted text stands twice.
        if (bytes[at + 1] !== quote) break;
        at += 2;
      }
      to[column] = at++;
    } else {
      quoted[column] = 0;
      from[column] = at;
      while (at < bytes.length && bytes[at] !== comma && bytes[at] !== lineFeed) at++;
      to[column] = at;
    }
    if (at >= bytes.length) return null;
    if (bytes[at++] === lineFeed) {
      row.count = column + 1;
      return at;
    }
  }
}
