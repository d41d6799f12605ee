import assert from "node:assert";
import { Readable } from "node:stream";
import { columnLetters, type Sheet, sheetPart, type SheetResult } from "./sheet.ts";
import { stylesPart } from "./styles.ts";
import { zip, type ZipEntry } from "./zip.ts";

/**
 * A workbook as a stream: what is held of it is a piece of one sheet. The same rows give the same bytes. Sheets are read
 * one after the other; the ones behind may say how the ones before them turned out.
 */
export function workbookOf(
  sheets: readonly (Sheet | ((before: readonly SheetResult[]) => Sheet))[],
): Readable {
  return Readable.from(zip(workbookParts(sheets)), { objectMode: false, highWaterMark: 256 * 1024 });
}

/** The files that a workbook is made of, for code that packs them otherwise. Each is read before the next is asked for. */
export function* workbookParts(sheets: Parameters<typeof workbookOf>[0]): Generator<ZipEntry> {
  const written: { sheet: Sheet; result: SheetResult }[] = [];
  const xml = (name: string, text: string): ZipEntry => ({ name, body: () => [Buffer.from(text)] });
  yield xml("[Content_Types].xml", contentTypes(sheets.length));
  yield xml("_rels/.rels", rootRelationships);
  yield xml("xl/_rels/workbook.xml.rels", relationships(sheets.length));
  yield xml("xl/styles.xml", stylesPart());
  for (const [index, given] of sheets.entries()) {
    const sheet = typeof given === "function" ? given(written.map(({ result }) => result)) : given;
    const result: SheetResult = { rows: 0, cutCells: 0 };
    written.push({ sheet, result });
    yield { name: sheetFile(index), body: () => sheetPart(sheet, result) };
  }
  // Last, because the range of a filter is known when its rows are.
  yield xml("xl/workbook.xml", workbookPart(written));
}

const declaration = `<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n`;
const openXml = "http://schemas.openxmlformats.org";
const spreadsheetType = "application/vnd.openxmlformats-officedocument.spreadsheetml";

function sheetFile(index: number): string {
  return `xl/worksheets/sheet${index + 1}.xml`;
}

function contentTypes(count: number): string {
  const sheets = Array.from(
    { length: count },
    (_, index) =>
      `<Override PartName="/${sheetFile(index)}" ContentType="${spreadsheetType}.worksheet+xml"/>`,
  );
  return `${declaration}<Types xmlns="${openXml}/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Override PartName="/xl/workbook.xml" ContentType="${spreadsheetType}.sheet.main+xml"/><Override PartName="/xl/styles.xml" ContentType="${spreadsheetType}.styles+xml"/>${sheets.join("")}</Types>`;
}

const relationship = (id: string, kind: string, target: string) =>
  `<Relationship Id="${id}" Type="${openXml}/officeDocument/2006/relationships/${kind}" Target="${target}"/>`;

const rootRelationships = `${declaration}<Relationships xmlns="${openXml}/package/2006/relationships">${relationship("rId1", "officeDocument", "xl/workbook.xml")}</Relationships>`;

function relationships(count: number): string {
  const sheets = Array.from({ length: count }, (_, index) =>
    relationship(`rId${index + 1}`, "worksheet", sheetFile(index).slice("xl/".length)),
  );
  return `${declaration}<Relationships xmlns="${openXml}/package/2006/relationships">${sheets.join("")}${relationship(`rId${count + 1}`, "styles", "styles.xml")}</Relationships>`;
}

function workbookPart(written: readonly { sheet: Sheet; result: SheetResult }[]): string {
  const names = written.map(({ sheet }) => sheetName(sheet.name));
  const sheets = names.map(
    (name, index) => `<sheet name="${name}" sheetId="${index + 1}" r:id="rId${index + 1}"/>`,
  );
  // Without these a program shows the arrows of a filter, and does not know its rows.
  const filters = written.map(
    ({ sheet, result }, index) =>
      `<definedName name="_xlnm._FilterDatabase" localSheetId="${index}" hidden="1">'${names[index]}'!$A$1:$${columnLetters(sheet.columns.length)}$${result.rows}</definedName>`,
  );
  return `${declaration}<workbook xmlns="${openXml}/spreadsheetml/2006/main" xmlns:r="${openXml}/officeDocument/2006/relationships"><sheets>${sheets.join("")}</sheets><definedNames>${filters.join("")}</definedNames></workbook>`;
}

/** Names of sheets are ours: plain words of at most 31 characters. */
function sheetName(name: string): string {
  assert(/^[\w -]{1,31}$/.test(name), `a plain name for a sheet: ${name}`);
  return name;
}
