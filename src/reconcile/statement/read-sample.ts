import { builtInProfiles } from "../profiles/built-in.ts";
import { decodeHead, detectEncoding, isMadeIntoText, jsonEncoding, workbookEncoding } from "./decode.ts";
import { firstJsonText } from "./json-text.ts";
import { headerLinesMax } from "./limits.ts";
import { type Field, fields } from "./profile.ts";
import { createRowReader, type Row } from "./read-rows.ts";
import { headLines } from "./recognise-layout.ts";
import { FileProblemError, StatementRefusedError, unreadable } from "./refusal.ts";
import { digestSource, type StatementSource } from "./source.ts";
import { firstSheetText } from "./workbook-text.ts";

/** The first rows of a file, and what its columns may be: enough to write a profile with. */
interface StatementSample {
  readonly encoding: string;
  readonly delimiter: string;
  readonly headerLineNo: number;
  readonly columns: readonly { readonly header: string; readonly proposed: Field | null }[];
  readonly rows: readonly (readonly string[])[];
}

const rowsMax = 8;
const delimiters = [",", ";", "\t", "|"];

/** Reads only the start of the file, and stores nothing. */
export async function readSample(
  source: StatementSource,
  { encoding: stated }: { encoding?: string } = {},
): Promise<StatementSample> {
  try {
    const { head } = await digestSource(source);
    const encoding = detectEncoding(head, stated);
    const text = await firstText(source, head, encoding);
    const { delimiter, header, rows } = findTable(text, isMadeIntoText(encoding) ? [","] : delimiters);
    return {
      encoding,
      delimiter,
      headerLineNo: header.lineNo,
      columns: header.cells.map((name) => ({ header: name.trim(), proposed: proposeField(name) })),
      rows: rows.slice(0, rowsMax).map(({ cells }) => cells),
    };
  } catch (error) {
    if (error instanceof FileProblemError) throw new StatementRefusedError(source.name, [error.problem]);
    throw error;
  }
}

async function firstText(source: StatementSource, head: Buffer, encoding: string): Promise<string> {
  if (encoding === workbookEncoding) return firstSheetText(source.bytes());
  if (encoding === jsonEncoding) return firstJsonText(source.bytes(), head);
  return decodeHead(head, encoding);
}

interface Table {
  delimiter: string;
  header: Row;
  rows: Row[];
}

/** The header is the first row with as many filled cells as any has; the delimiter that gives most of them parts the file. */
function findTable(text: string, among: readonly string[]): Table {
  const lineBreak = !text.includes("\n") && text.includes("\r") ? "\r" : "\n";
  const start = headLines(text, lineBreak);
  const found = among.map((delimiter) => {
    const rows = createRowReader({ delimiter, lineBreak })
      .push(`${start}${lineBreak}`)
      .filter(({ problem }) => problem === null)
      .slice(0, headerLinesMax);
    const width = Math.max(0, ...rows.map(filledCells));
    const at = rows.findIndex((row) => filledCells(row) === width);
    return {
      delimiter,
      width,
      header: rows[at],
      rows: rows.slice(at + 1).filter((row) => filledCells(row) > 0),
    };
  });
  const [best] = found.toSorted((a, b) => b.width - a.width);
  if (best?.header === undefined || best.width < 2) {
    throw unreadable(
      `the first ${headerLinesMax} lines hold no table of two columns or more: choose a file with a header`,
    );
  }
  return { delimiter: best.delimiter, header: best.header, rows: best.rows };
}

function filledCells({ cells }: Row): number {
  return cells.filter((cell) => cell.trim() !== "").length;
}

/** What most of the built-in profiles mean by such a header. */
function proposeField(header: string): Field | null {
  const votes = [...(knownHeaders.get(plain(header)) ?? [])].toSorted(
    ([a, ofA], [b, ofB]) => ofB - ofA || fields.indexOf(a) - fields.indexOf(b),
  );
  return votes[0]?.[0] ?? null;
}

const knownHeaders = new Map<string, Map<Field, number>>();
for (const { columns } of builtInProfiles) {
  for (const [field, names] of Object.entries(columns) as [Field, string | string[]][]) {
    for (const name of [field, ...[names].flat()]) {
      const votes = knownHeaders.get(plain(name)) ?? new Map<Field, number>();
      votes.set(field, (votes.get(field) ?? 0) + 1);
      knownHeaders.set(plain(name), votes);
    }
  }
}

/** `Order ID`, `order_id` and `orderId` are one name. */
function plain(header: string): string {
  return header.replaceAll(/[^\p{L}\p{N}]+/gu, "").toLowerCase();
}
