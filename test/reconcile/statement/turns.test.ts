import { Readable } from "node:stream";
import { utils, write } from "@e965/xlsx";
import { expect, test } from "vitest";
import { builtInProfiles } from "../../../src/reconcile/profiles/built-in.ts";
import { charsPerTurn, lineCharsMax, rowsPerTurn } from "../../../src/reconcile/statement/limits.ts";
import { readFile } from "../../../src/reconcile/statement/read-file.ts";
import { recogniseLayout } from "../../../src/reconcile/statement/recognise-layout.ts";
import { readText } from "../../../src/reconcile/statement/file-text.ts";
import { recogniseWorkbook } from "../../../src/reconcile/statement/workbook-text.ts";
import { openArchive } from "../../../src/reconcile/workbook/unzip.ts";
import { openReader, recogniseFile } from "../../../src/reconcile/receipts/recognise.ts";
import { readReceipts } from "../../../src/reconcile/receipts/read-receipts.ts";
import { statementTables } from "../../../src/store/statements/intake-tables.ts";
import { openIntake } from "../../../src/store/statements/statement-intake.ts";
import { repeatingWorkbook } from "../../support/raw-workbook.ts";
import { useTestDatabase } from "../../support/test-database.ts";
import { askNothing } from "../receipts/read-all.ts";

const database = useTestDatabase();

/** Counts the turns that others have, and the most that is noted between two of them: work, and no time. */
function countTurns() {
  let [turns, now, most, isOver] = [0, 0, 0, false];
  const next = () => {
    turns += 1;
    now = 0;
    if (!isOver) setImmediate(next);
  };
  setImmediate(next);
  return {
    note: () => (most = Math.max(most, ++now)),
    end: () => {
      isOver = true;
      return { turns, most };
    },
  };
}

async function* inOnePiece(text: string) {
  yield text;
}

const header = "provider,provider_transaction_id,status,fiat_currency,fiat_gross,fiat_net,effective_at\n";
const lines = 20_000;

test("of a statement with very short rows, others get their turn after every few", async () => {
  const text = header + "\n".repeat(lines);
  const layout = recogniseLayout({
    head: text.slice(0, charsPerTurn),
    fileName: "a.csv",
    profiles: builtInProfiles,
    provider: "q",
    profileName: "generic",
  });
  const counted = countTurns();
  const reading = readFile(() => inOnePiece(text), { layout, provider: "q", conflicts: new Set() });
  let rows = 0;
  for await (const batch of reading.batches()) rows += batch.length;
  expect(rows).toBe(lines + 1);
  expect(counted.end().turns).toBeGreaterThanOrEqual(lines / rowsPerTurn);
});

test("of a bank's file with very short rows as well", async () => {
  const text = `date,amount,currency\n${"x\n".repeat(lines)}`;
  const recognised = await recogniseFile(Buffer.from(text.slice(0, charsPerTurn)), askNothing);
  const reader = openReader(recognised, askNothing.given);
  const turns = countTurns();
  const noting = {
    ...reader,
    *push(piece: string) {
      for (const row of reader.push(piece)) {
        turns.note();
        yield row;
      }
    },
  };
  for await (const _ of readReceipts(() => inOnePiece(text), noting).batches());
  expect(turns.end().most).toBeLessThanOrEqual(2 * rowsPerTurn);
});

test("of a workbook whose cells share one long text, a piece is little more than one cell", async () => {
  const cellChars = 99_999;
  const columns = header.trim().split(",");
  const bytes = await repeatingWorkbook(columns, { text: '"'.repeat(cellChars), rows: 3, cells: 100 });
  const asked = { fileName: "a.xlsx", profiles: builtInProfiles, provider: "q", profileName: "generic" };
  const { layout } = await recogniseWorkbook(Readable.from([bytes]), asked);
  const counted = countTurns();
  const lengths: number[] = [];
  for await (const text of readText(Readable.from([bytes]), { encoding: "xlsx", layout }))
    lengths.push(text.length);
  expect(Math.max(...lengths)).toBeLessThan(4 * cellChars);
  // Of each row so much that it is too long, and no more.
  const chars = lengths.reduce((sum, length) => sum + length, 0);
  expect(chars).toBeGreaterThan(3 * lineCharsMax);
  expect(chars).toBeLessThan(3 * (lineCharsMax + 4 * cellChars));
  expect(counted.end().turns).toBeGreaterThanOrEqual(lengths.length);
});

test("a part of a workbook that is not packed comes in pieces too", async () => {
  const book = utils.book_new();
  utils.book_append_sheet(book, utils.aoa_to_sheet(Array.from({ length: lines }, () => ["x", "y"])), "S");
  const archive = openArchive(
    write(book, { type: "buffer", bookType: "xlsx", compression: false }) as Buffer,
  );
  const counted = countTurns();
  const lengths: number[] = [];
  for await (const piece of archive.read("xl/worksheets/sheet1.xml")) lengths.push(piece.length);
  expect(Math.max(...lengths)).toBeLessThanOrEqual(64 * 1024);
  expect(counted.end().turns).toBeGreaterThanOrEqual(lengths.length - 1);
});

test("a batch goes to the database in slices", async () => {
  const turns = countTurns();
  const batch = Array.from({ length: 4_000 }, (_, at) => ({
    lineNo: at + 1,
    get text() {
      turns.note();
      return "x";
    },
    outcome: "rejected" as const,
    code: "row_unparseable",
    field: null,
    reason: "a quote is never closed",
    line: null,
  }));
  await database.db.rehearse(async (_, client) => {
    const intake = await openIntake(client, {
      tables: statementTables,
      scope: { account_id: 1, provider: "q" },
      fileId: 1,
      importedAt: "2026-11-16T00:00:00Z",
    });
    await intake.take(batch);
    expect(await intake.finish()).toMatchObject({ rejected: 4_000 });
  });
  expect(turns.end().most).toBeLessThanOrEqual(1_000);
});
