import { columnsMax } from "../statement/limits.ts";
import { unreadable } from "../statement/refusal.ts";

export interface JsonCell {
  /** Of a number, the digits as they stand in the file. */
  readonly text: string;
  readonly isNumber: boolean;
}

/**
 * The values of an object by name; those of objects inside it as `outer.inner`. An array stays JSON, and what is null is
 * not there.
 */
export function readRecord(text: string, recordNo: number): Map<string, JsonCell> {
  if (!isObject(text)) throw unreadable(`its record ${recordNo} is not a JSON object: ${startOf(text)}`);
  const cells = new Map<string, JsonCell>();
  const path: string[] = [];
  let key: string | null = null;
  let arrays = 0;
  let arrayStart = 0;
  // It is JSON, so only its tokens are looked for, and of a number nothing is lost.
  for (const { 0: token, index } of text.matchAll(tokens)) {
    if (arrays > 0) {
      arrays += token === "[" ? 1 : token === "]" ? -1 : 0;
      if (arrays === 0) set(text.slice(arrayStart, index + 1), false);
    } else if (token === "{") {
      if (key !== null) path.push(key);
      key = null;
    } else if (token === "}") path.pop();
    else if (token === "[") {
      arrays = 1;
      arrayStart = index;
    } else if (key === null) key = textOf(token);
    else if (token === "null") key = null;
    else if (token.startsWith('"')) set(textOf(token), false);
    else set(token, token !== "true" && token !== "false");
  }
  return cells;

  function set(value: string, isNumber: boolean): void {
    const name = path.length === 0 ? (key ?? "") : [...path, key].join(".");
    key = null;
    if (cells.has(name))
      throw unreadable(`its record ${recordNo} has the name ${JSON.stringify(name)} twice`);
    cells.set(name, { text: value, isNumber });
    if (cells.size > columnsMax)
      throw unreadable(`its record ${recordNo} has more than ${columnsMax} values`);
  }
}

const tokens = /"[^"\\]*(?:\\.[^"\\]*)*"|[{}[\]]|[^\s",:{}[\]]+/g;

/** Hardly any text has an escape in it. */
function textOf(token: string): string {
  return token.includes("\\") ? (JSON.parse(token) as string) : token.slice(1, -1);
}

function isObject(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value);
  } catch {
    return false;
  }
}

function startOf(text: string): string {
  return text.trim().slice(0, 40);
}
