import { FileProblemError } from "../statement/refusal.ts";
import { tagCharsMax, textCharsMax } from "./limits.ts";

/** What stands in XML, or in the SGML of OFX, as it comes. */
export interface MarkupHandler {
  open(tag: OpenTag): void;
  close(name: string): void;
  /** All text between two tags, at once; never blank. */
  text(text: string): void;
  /** Every piece as it stands in the file, before it is interpreted. */
  raw(piece: string): void;
}

export interface OpenTag {
  /** Without its prefix. */
  readonly name: string;
  /** As it stands between the name and the end. */
  readonly attributes: string;
  readonly lineNo: number;
}

export interface MarkupReader {
  push(text: string): void;
  /** Whether it ends between two tags. */
  end(): boolean;
}

/**
 * Reads markup in one pass, holding a tag or a text at most. No document types and no entities but the five of XML and
 * numbers: what a bank sends has none, and an entity that unfolds into others is how a small file becomes a large one.
 */
export function createMarkupReader(handler: MarkupHandler): MarkupReader {
  let rest = "";
  let lineNo = 1;
  let texts: string[] = [];
  let textChars = 0;
  /** Inside something that is passed over, or taken as it is, until these letters. */
  let until: { end: string; keep: boolean } | null = null;

  function addText(text: string): void {
    textChars += text.length;
    if (textChars > textCharsMax) {
      throw unreadable(`line ${lineNo}: there is a text of more than ${textCharsMax} characters`);
    }
    texts.push(text);
  }

  function endText(): void {
    if (textChars === 0) return;
    const text = texts.join("");
    texts = [];
    textChars = 0;
    if (text.trim() !== "") handler.text(text.trim());
  }

  function pass(piece: string): void {
    handler.raw(piece);
    for (let at = piece.indexOf("\n"); at >= 0; at = piece.indexOf("\n", at + 1)) lineNo += 1;
  }

  function takeTag(tag: string): void {
    endText();
    const inner = tag.slice(1, -1);
    if (inner.startsWith("!")) throw unreadable(`line ${lineNo}: ${declarations}`);
    if (inner.startsWith("?")) {
      pass(tag);
      return;
    }
    const begun = lineNo;
    pass(tag);
    if (inner.startsWith("/")) {
      handler.close(nameIn(inner.slice(1)));
      return;
    }
    const isEmpty = inner.endsWith("/");
    const body = isEmpty ? inner.slice(0, -1) : inner;
    const space = body.search(/\s/);
    const name = nameIn(space < 0 ? body : body.slice(0, space));
    if (name === "") throw unreadable(`line ${begun}: there is a tag without a name`);
    handler.open({ name, attributes: space < 0 ? "" : body.slice(space + 1), lineNo: begun });
    if (isEmpty) handler.close(name);
  }

  return {
    push(piece) {
      const text = rest + piece;
      let at = 0;
      while (at < text.length) {
        if (until !== null) {
          const end = text.indexOf(until.end, at);
          // The last letters may be the start of the end.
          const stop = end < 0 ? Math.max(at, text.length - until.end.length + 1) : end;
          if (until.keep) addText(text.slice(at, stop));
          pass(text.slice(at, stop));
          at = stop;
          if (end < 0) break;
          pass(until.end);
          at += until.end.length;
          until = null;
          continue;
        }
        const open = text.indexOf("<", at);
        if (open < 0) {
          // A reference to a letter may be cut here; it is read when all of the text is there.
          const plain = text.slice(at);
          addText(plain);
          pass(plain);
          at = text.length;
          break;
        }
        if (open > at) {
          const plain = text.slice(at, open);
          addText(plain);
          pass(plain);
          at = open;
        }
        const special =
          text[at + 1] === "!" ? specials.find(({ start }) => text.startsWith(start, at)) : undefined;
        if (special) {
          pass(special.start);
          at += special.start.length;
          until = special;
          continue;
        }
        if (text.startsWith("<!DOCTYPE", at)) throw unreadable(`line ${lineNo}: ${declarations}`);
        const end = endOfTag(text, at);
        if (end < 0) {
          if (text.length - at > tagCharsMax) {
            throw unreadable(`line ${lineNo}: there is a tag of more than ${tagCharsMax} characters`);
          }
          break;
        }
        takeTag(text.slice(at, end));
        at = end;
      }
      rest = text.slice(at);
    },
    end: () => rest.trim() === "" && until === null && texts.join("").trim() === "",
  };
}

const declarations = "document types and entities are not read";

const specials = [
  { start: "<!--", end: "-->", keep: false },
  { start: "<![CDATA[", end: "]]>", keep: true },
];

const doubleQuote = 34;
const singleQuote = 39;
const less = 60;
const greater = 62;

/** After the sign that ends it, which may also stand inside quotes; no farther than a tag may reach. */
function endOfTag(text: string, from: number): number {
  let quote = 0;
  const last = Math.min(text.length, from + tagCharsMax);
  for (let at = from + 1; at < last; at++) {
    const letter = text.charCodeAt(at);
    if (quote !== 0) {
      if (letter === quote) quote = 0;
    } else if (letter === doubleQuote || letter === singleQuote) quote = letter;
    else if (letter === greater) return at + 1;
    else if (letter === less) throw unreadable("a tag begins inside another");
  }
  return -1;
}

function nameIn(text: string): string {
  const name = text.trim();
  return name.slice(name.indexOf(":") + 1);
}

/** The value of an attribute; `null` where there is none. */
export function attribute(attributes: string, name: string): string | null {
  // Most tags have none, and every tag of a large file is asked.
  if (!attributes.includes(name)) return null;
  const found = new RegExp(`(?:^|\\s)${name}\\s*=\\s*(?:"([^"]*)"|'([^']*)')`).exec(attributes);
  return found ? (found[1] ?? found[2] ?? "") : null;
}

/** Text with its references to letters resolved. Any other name is refused: it could stand for anything. */
export function decodeEntities(text: string): string {
  if (!text.includes("&")) return text;
  return text.replaceAll(/&([^;&\s]{0,12});?/g, (whole, name: string) => {
    const letter = letters[name];
    if (letter !== undefined) return letter;
    const number = /^#(?:x([0-9a-fA-F]{1,6})|(\d{1,7}))$/.exec(name);
    const point = number ? Number.parseInt(number[1] ?? number[2] ?? "", number[1] ? 16 : 10) : 0;
    if (point > 0 && point <= 0x10_ff_ff) return String.fromCodePoint(point);
    // An unescaped ampersand, as in `Smith & Sons`.
    if (!whole.endsWith(";")) return whole;
    throw unreadable(`there is an entity &${name}; and entities are not read`);
  });
}

const letters: Readonly<Record<string, string>> = {
  amp: "&",
  lt: "<",
  gt: ">",
  quot: '"',
  apos: "'",
  nbsp: " ",
};

function unreadable(why: string): FileProblemError {
  return new FileProblemError("file_unreadable", `${why}: export the statement again`);
}
