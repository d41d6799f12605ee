import { sharedCharsMax, sharedTextsMax, sheetsMax, smallPartBytesMax, workbookBytesMax } from "./limits.ts";
import { type Attributes, readXml } from "./read-xml.ts";
import { type Archive, openArchive } from "./unzip.ts";
import { WorkbookError } from "./workbook-error.ts";

export interface SheetInfo {
  readonly name: string;
  readonly part: string;
  readonly isHidden: boolean;
}

/** A day or a time, a share that is shown times a hundred, or anything else. */
type NumberKind = "time" | "percent" | "number";

/** A workbook whose sheets are known; none of their rows has been read. */
export interface Workbook {
  readonly archive: Archive;
  readonly sheets: readonly SheetInfo[];
  readonly sharedTexts: readonly string[];
  /** What the number of a cell is, by its style. */
  readonly kinds: readonly NumberKind[];
  /** Days are counted from 1904 rather than from 1900. */
  readonly from1904: boolean;
  /** Other files that it points to. They are never opened: what was saved of them counts. */
  readonly linkCount: number;
}

export async function openWorkbook(pieces: AsyncIterable<Buffer>): Promise<Workbook> {
  const archive = openArchive(await readWhole(pieces));
  const main = (await relationsOf(archive, "_rels/.rels", "")).find(({ kind }) => kind === "officeDocument");
  if (main === undefined)
    throw new WorkbookError("it is an archive and no workbook: export the statement as XLSX or CSV");
  const folder = main.target.slice(0, main.target.lastIndexOf("/") + 1);
  const relations = await relationsOf(
    archive,
    `${folder}_rels/${main.target.slice(folder.length)}.rels`,
    folder,
  );
  const partOf = (kind: string) => relations.find((relation) => relation.kind === kind)?.target;
  const targets = new Map(relations.map(({ id, target }) => [id, target]));
  const { sheets, from1904 } = await readSheetList(archive, main.target, targets);
  return {
    archive,
    sheets,
    from1904,
    sharedTexts: await readSharedTexts(archive, partOf("sharedStrings")),
    kinds: await readStyles(archive, partOf("styles")),
    linkCount: relations.filter(({ kind }) => kind === "externalLink").length,
  };
}

async function readWhole(pieces: AsyncIterable<Buffer>): Promise<Buffer> {
  const held: Buffer[] = [];
  let bytes = 0;
  for await (const piece of pieces) {
    bytes += piece.length;
    if (bytes > workbookBytesMax)
      throw new WorkbookError(
        `a workbook is read up to ${workbookBytesMax / 1024 / 1024} MB: export it as CSV`,
      );
    held.push(piece);
  }
  return Buffer.concat(held);
}

interface Relation {
  id: string;
  kind: string;
  target: string;
}

async function relationsOf(archive: Archive, part: string, folder: string): Promise<Relation[]> {
  if (!archive.has(part)) return [];
  const relations: Relation[] = [];
  await readElements(archive, part, (name, attribute) => {
    if (name !== "Relationship") return;
    const target = attribute("Target") ?? "";
    relations.push({
      id: attribute("Id") ?? "",
      kind: (attribute("Type") ?? "").split("/").at(-1) ?? "",
      target: target.startsWith("/") ? target.slice(1) : folder + target,
    });
  });
  return relations;
}

async function readSheetList(archive: Archive, part: string, targets: ReadonlyMap<string, string>) {
  const sheets: SheetInfo[] = [];
  let from1904 = false;
  await readElements(archive, part, (name, attribute) => {
    if (name === "workbookPr") from1904 = ["1", "true"].includes(attribute("date1904") ?? "");
    if (name !== "sheet") return;
    // Of two attributes called id, the one with a prefix is the relation: it is a name and not a number.
    const target = targets.get(attribute("id") ?? "");
    // A chart or a macro sheet has no rows.
    if (target === undefined || !archive.has(target)) return;
    const state = attribute("state") ?? "visible";
    sheets.push({ name: attribute("name") ?? "", part: target, isHidden: state !== "visible" });
    if (sheets.length > sheetsMax) throw new WorkbookError(`it has more than ${sheetsMax} sheets`);
  });
  return { sheets, from1904 };
}

async function readSharedTexts(archive: Archive, part: string | undefined): Promise<string[]> {
  const texts: string[] = [];
  if (part === undefined || !archive.has(part)) return texts;
  const gather = createTextGatherer();
  let chars = 0;
  await readXml(archive.read(part), {
    open(name) {
      if (name === "si") gather.clear();
      gather.open(name);
    },
    text: (text) => gather.text(text),
    close(name) {
      gather.close(name);
      if (name !== "si") return;
      const text = gather.value();
      chars += text.length;
      if (chars > sharedCharsMax || texts.push(text) > sharedTextsMax)
        throw new WorkbookError("it holds more text than is read: export the statement as CSV");
    },
  });
  return texts;
}

/** The text of an element: all its runs, without how they are pronounced. */
export function createTextGatherer() {
  let value = "";
  let isText = false;
  let isPronounced = false;
  return {
    clear() {
      value = "";
    },
    open(name: string) {
      if (name === "t") isText = true;
      if (name === "rPh") isPronounced = true;
    },
    text(text: string) {
      if (!isText || isPronounced) return;
      value += text;
      if (value.length > cellCharsMax)
        throw new WorkbookError(`a cell has more than ${cellCharsMax} characters`);
    },
    close(name: string) {
      if (name === "t") isText = false;
      if (name === "rPh") isPronounced = false;
    },
    /** Control characters are written as `_x000D_`. */
    value: () =>
      value.replaceAll(/_x([0-9A-Fa-f]{4})_/g, (_, code: string) =>
        String.fromCodePoint(Number.parseInt(code, 16)),
      ),
  };
}

/** More than a spreadsheet keeps in one. */
const cellCharsMax = 100_000;

async function readStyles(archive: Archive, part: string | undefined): Promise<NumberKind[]> {
  const kinds: NumberKind[] = [];
  if (part === undefined || !archive.has(part)) return kinds;
  const formats = new Map<number, string>();
  let inCells = false;
  await readElements(
    archive,
    part,
    (name, attribute) => {
      if (name === "numFmt") formats.set(Number(attribute("numFmtId")), attribute("formatCode") ?? "");
      if (name === "cellXfs") inCells = true;
      if (name === "xf" && inCells) {
        const id = Number(attribute("numFmtId") ?? 0);
        kinds.push(kindOf(id, formats.get(id)));
      }
    },
    (name) => {
      if (name === "cellXfs") inCells = false;
    },
  );
  return kinds;
}

function kindOf(id: number, code: string | undefined): NumberKind {
  if (code === undefined) {
    if (id === 9 || id === 10) return "percent";
    // Between the two groups of times stand a number with an exponent (48) and a text (49).
    const isTime =
      (id >= 14 && id <= 22) || (id >= 27 && id <= 36) || (id >= 45 && id <= 47) || (id >= 50 && id <= 58);
    return isTime ? "time" : "number";
  }
  // What is quoted, escaped or in brackets is not part of it; elapsed hours in brackets are a duration. Nor is a letter
  // whose width is left free (`_S_k`), or that fills the cell.
  const bare = code.replaceAll(/"[^"]*"|[\\_*].|\[[^\]]*\]|general/gi, "");
  if (/[dmyhs]/i.test(bare)) return "time";
  return bare.includes("%") ? "percent" : "number";
}

async function readElements(
  archive: Archive,
  part: string,
  open: (name: string, attributes: Attributes) => void,
  close: (name: string) => void = () => undefined,
): Promise<void> {
  await readXml(archive.read(part, smallPartBytesMax), { open, close, text: () => undefined });
}
