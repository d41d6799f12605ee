import { FileProblemError, unreadable } from "../statement/refusal.ts";
import { lineCharsMax } from "../statement/limits.ts";

/** Cuts the objects of a list out of JSON that comes in pieces. Holds one of them at most, however long the list. */
export interface RecordCutter {
  /** The texts of the objects that this piece completes. */
  push(piece: string): string[];
  /** After the last piece. */
  end(): Ending;
}

export interface Ending {
  /** The last object, where nothing showed before that it was whole. */
  readonly records: readonly string[];
  /** What the file says beside its list, by name. */
  readonly members: ReadonlyMap<string, unknown>;
}

/** `list`: an array of objects, which may be inside an object; `lines`: an object on each line. */
export type RecordForm = "list" | "lines";

/** How the objects of a file become rows. */
export interface JsonForm {
  readonly form: RecordForm;
  /** The names of all values that any of them has, in the order in which they were met: the header. */
  readonly names: readonly string[];
}

export function createRecordCutter(form: RecordForm): RecordCutter {
  return form === "lines" ? createLineCutter() : createListCutter();
}

/** One object and a line break, and more: a single one could also be an object with a list in it. */
export function formOf(head: string): RecordForm {
  const [first = "", ...others] = head.trimStart().split("\n");
  if (!first.startsWith("{")) return "list";
  const record = parsedOrNull(first);
  if (record === null) return "list";
  return others.some((line) => line.trim() !== "") || listsIn(record).length === 0 ? "lines" : "list";
}

function createLineCutter(): RecordCutter {
  let rest = "";
  return {
    push(piece) {
      const lines = piece.split("\n");
      lines[0] = rest + (lines[0] ?? "");
      rest = lines.pop() ?? "";
      if (rest.length > lineCharsMax) throw tooLong();
      return lines.filter((line) => line.trim() !== "");
    },
    end: () => ({ records: rest.trim() === "" ? [] : [rest], members: new Map() }),
  };
}

const quote = 0x22;
const backslash = 0x5c;
const openings: ReadonlySet<number> = new Set([0x7b, 0x5b]);
const closings: ReadonlySet<number> = new Set([0x7d, 0x5d]);
const openBrace = 0x7b;
const openBracket = 0x5b;

/**
 * An object directly in an array is a record. All other text is kept, with `{}` for each of them, and parsed at the end:
 * so it is known that the whole is JSON, and in which list the records were.
 */
function createListCutter(): RecordCutter {
  let inString = false;
  let isEscaped = false;
  /** The brackets that are open around the place, records apart. */
  const around: number[] = [];
  let record: string | null = null;
  let depth = 0;
  let rest = "";

  function keep(text: string): void {
    rest += inString || text.includes('"') ? text : text.replaceAll(/\s+/g, "");
    if (rest.length > aroundCharsMax)
      throw unreadable("it is not a list of objects: export the statement as CSV");
  }

  function takeUp(text: string): void {
    if (record === null) keep(text);
    else record += text;
    if (record !== null && record.length > lineCharsMax) throw tooLong();
  }

  return {
    push(piece) {
      const records: string[] = [];
      let from = 0;
      for (let at = 0; at < piece.length; at += 1) {
        const code = piece.charCodeAt(at);
        if (inString) {
          if (isEscaped) isEscaped = false;
          else if (code === backslash) isEscaped = true;
          else if (code === quote) inString = false;
        } else if (code === quote) inString = true;
        else if (openings.has(code)) {
          if (record === null && code === openBrace && around.at(-1) === openBracket) {
            takeUp(piece.slice(from, at));
            from = at;
            record = "";
          }
          if (record === null) around.push(code);
          else depth += 1;
          if (depth + around.length > depthMax) throw tooDeep();
        } else if (closings.has(code)) {
          if (record === null) around.pop();
          else if (--depth === 0) {
            records.push(record + piece.slice(from, at + 1));
            record = null;
            from = at + 1;
            keep("{}");
          }
        }
      }
      takeUp(piece.slice(from));
      return records;
    },
    end() {
      const whole = record === null ? parsedOrNull(rest) : null;
      if (whole === null) throw unreadable(brokenOff);
      const lists = listsIn(whole);
      if (lists.length > 1) {
        const names = lists.map((name) => JSON.stringify(name)).join(", ");
        throw unreadable(`it holds several lists of objects (${names}): save each as a file of its own`);
      }
      const members = new Map(Array.isArray(whole) ? [] : Object.entries(whole));
      return { records: [], members };
    },
  };
}

const brokenOff = "it is not JSON, or ends in the middle: download the statement again";
const depthMax = 32;
/** Four characters for each of as many records as a file may have, and room for what else is said. */
const aroundCharsMax = 8 * 1024 * 1024;

function tooLong(): FileProblemError {
  return unreadable(`one of its objects is longer than ${lineCharsMax} characters`);
}

function tooDeep(): FileProblemError {
  return unreadable(`it is nested deeper than ${depthMax} levels`);
}

function parsedOrNull(text: string): object | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" ? value : null;
  } catch {
    return null;
  }
}

/** Where arrays with objects in them are, by name; all their elements must be objects. */
function listsIn(value: object, name = ""): string[] {
  if (!Array.isArray(value))
    return Object.entries(value).flatMap(([key, inner]) =>
      typeof inner === "object" && inner !== null ? listsIn(inner, name === "" ? key : `${name}.${key}`) : [],
    );
  const objects = value.filter((one) => typeof one === "object" && one !== null && !Array.isArray(one));
  if (objects.length === 0) return value.flatMap((one) => (Array.isArray(one) ? listsIn(one, name) : []));
  if (objects.length < value.length) throw unreadable("its list holds something that is not an object");
  return [name];
}
