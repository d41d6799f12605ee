import { zip } from "../../src/report/xlsx/zip.ts";

/** A workbook as someone with a text editor writes it. */
export async function rawWorkbook(sheet: string, parts: Record<string, string> = {}): Promise<Buffer> {
  const relations = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
  const all: Record<string, string> = {
    "_rels/.rels": `<Relationships><Relationship Id="r1" Type="${relations}/officeDocument" Target="xl/workbook.xml"/></Relationships>`,
    "xl/workbook.xml": `<workbook><sheets><sheet name="S" sheetId="1" r:id="s1"/></sheets></workbook>`,
    "xl/_rels/workbook.xml.rels": `<Relationships><Relationship Id="s1" Type="${relations}/worksheet" Target="sheet.xml"/></Relationships>`,
    "xl/sheet.xml": `<worksheet><sheetData>${sheet}</sheetData></worksheet>`,
    ...parts,
  };
  const pieces: Buffer[] = [];
  const entries = Object.entries(all).map(([name, content]) => ({
    name,
    body: () => [Buffer.from(content)],
  }));
  for await (const piece of zip(entries)) pieces.push(piece);
  return Buffer.concat(pieces);
}

/** Rows of which every cell is one and the same text, which the file holds once. */
export function repeatingWorkbook(
  header: readonly string[],
  { text, rows, cells }: { text: string; rows: number; cells: number },
): Promise<Buffer> {
  const names = header.map((name) => `<c t="inlineStr"><is><t>${name}</t></is></c>`).join("");
  const row = `<row>${'<c t="s"><v>0</v></c>'.repeat(cells)}</row>`;
  return rawWorkbook(`<row>${names}</row>${row.repeat(rows)}`, {
    "xl/_rels/workbook.xml.rels": `<Relationships><Relationship Id="s1" Type="x/worksheet" Target="sheet.xml"/><Relationship Id="t" Type="x/sharedStrings" Target="texts.xml"/></Relationships>`,
    "xl/texts.xml": `<sst><si><t>${text}</t></si></sst>`,
  });
}
