import { tagCharsMax } from "./limits.ts";
import { WorkbookError } from "./workbook-error.ts";

export interface XmlHandler {
  /** Names without their prefix. */
  open(name: string, attributes: Attributes): void;
  text(text: string): void;
  close(name: string): void;
}

/** Looked up in the text of the tag, because most of them are never asked for. */
export type Attributes = (name: string) => string | null;

const tag = /<(\/?)(?:[\w.-]+:)?([\w.-]+)((?:[^"'<>]|"[^"<]*"|'[^'<]*')*?)(\/?)>/y;

/**
 * The little of XML that workbooks are made of, as it comes. A document type is refused, and with it every entity but the
 * five and numbers: nothing is ever expanded or fetched.
 */
export async function readXml(pieces: AsyncIterable<Buffer>, handler: XmlHandler): Promise<void> {
  for await (const _ of xmlPieces(pieces, handler));
}

/** The same, one piece at a time: after each, the caller can take what the handler has made of it. */
export async function* xmlPieces(pieces: AsyncIterable<Buffer>, handler: XmlHandler): AsyncGenerator<void> {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  let held = "";
  for await (const piece of pieces) {
    held = take(held + decode(decoder, piece), handler);
    // A text may be long; what is held is the start of a tag, a comment or an entity, and is not.
    if (held.length > tagCharsMax) throw notXml();
    yield;
  }
  if (held.trim() !== "") throw notXml();
}

function decode(decoder: InstanceType<typeof TextDecoder>, piece: Buffer): string {
  try {
    return decoder.decode(piece, { stream: true });
  } catch {
    throw new WorkbookError("it is not written in UTF-8: save it again");
  }
}

/** Returns what cannot be understood yet. */
function take(text: string, handler: XmlHandler): string {
  let at = 0;
  while (at < text.length) {
    const open = text.indexOf("<", at);
    if (open !== at) {
      const end = open === -1 ? endOfText(text, at) : open;
      if (end > at) handler.text(unescaped(text.slice(at, end)));
      at = end;
      if (open === -1) break;
    }
    if (text.startsWith("<![CDATA[", at)) {
      const end = text.indexOf("]]>", at);
      if (end === -1) break;
      handler.text(text.slice(at + 9, end));
      at = end + 3;
    } else if (text.startsWith("<?", at) || text.startsWith("<!--", at)) {
      const close = text.startsWith("<?", at) ? "?>" : "-->";
      const end = text.indexOf(close, at + 2);
      if (end === -1) break;
      at = end + close.length;
    } else if (text.startsWith("<!", at)) {
      if (text.length - at < "<![CDATA[".length) break;
      throw new WorkbookError("it has a document type of its own, which is never read: save it again");
    } else {
      tag.lastIndex = at;
      const found = tag.exec(text);
      if (found === null) {
        // A bracket that closes nothing will not become a tag by waiting.
        if (text.length - at > tagCharsMax) throw notXml();
        break;
      }
      const [whole, slash, name = "", raw = "", empty] = found;
      if (slash === "/") handler.close(name);
      else {
        handler.open(name, (wanted) => attributeOf(raw, wanted));
        if (empty === "/") handler.close(name);
      }
      at += whole.length;
    }
  }
  return text.slice(at);
}

/** A text may end in the middle of an entity. */
function endOfText(text: string, from: number): number {
  const last = text.lastIndexOf("&");
  return last >= from && !text.includes(";", last) ? last : text.length;
}

function attributeOf(raw: string, wanted: string): string | null {
  for (const [, name, double, single] of raw.matchAll(
    /(?:[\w.-]+:)?([\w.-]+)\s*=\s*(?:"([^"]*)"|'([^']*)')/g,
  ))
    if (name === wanted) return unescaped(double ?? single ?? "");
  return null;
}

const entities: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" };

function unescaped(text: string): string {
  if (!text.includes("&")) return text;
  return text.replaceAll(/&([^;&]{0,12});?/g, (whole, name: string) => {
    const code = /^#(?:x([0-9a-fA-F]{1,6})|(\d{1,7}))$/.exec(name);
    const point = code === null ? Number.NaN : Number.parseInt(code[1] ?? code[2] ?? "", code[1] ? 16 : 10);
    const character =
      code === null ? entities[name] : point <= 0x10ffff ? String.fromCodePoint(point) : undefined;
    if (character === undefined || !whole.endsWith(";"))
      throw new WorkbookError(
        `it uses the entity ${whole.slice(0, 20)}, which is not expanded: save it again`,
      );
    return character;
  });
}

function notXml(): WorkbookError {
  return new WorkbookError("part of it is not well-formed: save it again");
}
