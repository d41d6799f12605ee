import { setImmediate } from "node:timers/promises";
import {
  createRecordCutter,
  type Ending,
  formOf,
  type JsonForm,
  type RecordForm,
} from "../json/cut-records.ts";
import { type JsonCell, readRecord } from "../json/read-record.ts";
import { cellText } from "./cell-text.ts";
import { decodeHead, decodeText } from "./decode.ts";
import { charsPerTurn, columnsMax, headerLinesMax, linesPerRowMax, uploadBytesMax } from "./limits.ts";
import { type Layout, type LayoutQuestion, recogniseLayout } from "./recognise-layout.ts";
import { unreadable } from "./refusal.ts";
import { type FileWarning, type TableChoice, warnIf } from "./table-choice.ts";
import { decimalCommas } from "./workbook-forms.ts";

/** Reads the whole file: an object may have a value that none before it has. */
export async function recogniseJson(
  bytes: AsyncIterable<Buffer>,
  start: Uint8Array,
  question: Omit<LayoutQuestion, "head" | "isMadeOfCells">,
): Promise<TableChoice> {
  const { json, head, members } = await surveyJson(bytes, start);
  const layout = recogniseLayout({ ...question, head, isMadeOfCells: true });
  return { layout: { ...layout, json }, head, warnings: aboutMembers(members) };
}

/** The header and the first rows, for a person about to say what the columns are. */
export async function firstJsonText(bytes: AsyncIterable<Buffer>, start: Uint8Array): Promise<string> {
  return (await surveyJson(bytes, start)).head;
}

/** A line with the names, and one for each object: the first of them is line 2, as in a CSV. */
export async function* jsonText(bytes: AsyncIterable<Buffer>, layout: Layout): AsyncGenerator<string> {
  const { json } = layout;
  if (json === undefined) throw new TypeError("the layout is not that of JSON");
  const isComma = decimalCommas(layout);
  const rowOf = createRowWriter(json.names, (text, column) =>
    isComma(column) ? text.replace(".", ",") : text,
  );
  yield headerOf(json.names);
  let written = 0;
  for await (const { records, charsBefore } of recordsOf(bytes, json.form)) {
    if (records.length === 0) continue;
    const text = records.map(rowOf).join("");
    written += text.length;
    // A row has a comma for each name, and a few letters may be an object without any of them.
    if (written > uploadBytesMax + charsPerCharMax * charsBefore)
      throw unreadable("its objects have many names but few values: export the statement as CSV");
    yield text;
  }
}

const charsPerCharMax = 16;

async function surveyJson(bytes: AsyncIterable<Buffer>, start: Uint8Array) {
  const form = formOf(decodeHead(start, "utf-8"));
  const names = new Set<string>();
  const first: JsonRecord[] = [];
  let members: Ending["members"] = new Map();
  for await (const met of recordsOf(bytes, form)) {
    members = met.members;
    for (const record of met.records) {
      for (const name of record.keys()) names.add(name);
      if (first.length < headRows && met.charsBefore < headCharsMax) first.push(record);
    }
    if (names.size > columnsMax)
      throw unreadable(`its objects have more than ${columnsMax} names: export the statement as CSV`);
  }
  if (names.size === 0) throw unreadable("it is JSON without a list of objects, so it has no lines");
  const json: JsonForm = { form, names: [...names] };
  const rows = first.map(createRowWriter(json.names, (text) => text));
  return { json, members, head: headerOf(json.names) + rows.join("") };
}

const headRows = headerLinesMax + linesPerRowMax;
const headCharsMax = 256 * 1024;

type JsonRecord = ReadonlyMap<string, JsonCell>;

interface Met {
  /** How much of the file was read before this piece. */
  readonly charsBefore: number;
  readonly records: readonly JsonRecord[];
  readonly members: Ending["members"];
}

async function* recordsOf(bytes: AsyncIterable<Buffer>, form: RecordForm): AsyncGenerator<Met> {
  const cutter = createRecordCutter(form);
  let recordNo = 0;
  let charsBefore = 0;
  const readAll = (texts: readonly string[]) => texts.map((text) => readRecord(text, ++recordNo));
  for await (const text of decodeText(bytes, "utf-8")) {
    for (let at = 0; at < text.length; at += charsPerTurn) {
      const piece = text.slice(at, at + charsPerTurn);
      yield { charsBefore, records: readAll(cutter.push(piece)), members: new Map() };
      charsBefore += piece.length;
      // Others are served by this thread too.
      await setImmediate();
    }
  }
  const { records, members } = cutter.end();
  yield { charsBefore, records: readAll(records), members };
}

function headerOf(names: readonly string[]): string {
  return `${names.map(cellText).join(",")}\n`;
}

type RowWriter = (record: JsonRecord) => string;

function createRowWriter(
  names: readonly string[],
  numberIn: (text: string, column: number) => string,
): RowWriter {
  const columns = new Map(names.map((name, column) => [name, column]));
  const empty = names.map(() => "");
  return (record) => {
    const cells = [...empty];
    for (const [name, { text, isNumber }] of record) {
      const column = columns.get(name) ?? 0;
      cells[column] = cellText(isNumber ? numberIn(text, column) : text);
    }
    return `${cells.join(",")}\n`;
  };
}

function aboutMembers(members: Ending["members"]): FileWarning[] {
  const said = [...members].flatMap(([name, value]) => {
    if (typeof value === "object" && value !== null) return [];
    return [`${name} (${String(value).slice(0, memberCharsMax)})`];
  });
  return warnIf(
    said.length > 0,
    "json_members",
    `only its list is read; the rest is not: ${said.slice(0, membersShownMax).join(", ")}`,
  );
}

const memberCharsMax = 60;
const membersShownMax = 20;
