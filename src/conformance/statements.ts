import assert from "node:assert";
import { statementsText } from "./statements-text.ts";

/** Everything the interface specification states, one line a statement, numbered in the order of its text. */
export interface Statement {
  readonly number: number;
  readonly heading: string;
  readonly text: string;
  /** Why no check can exist; `null` where one does. A test holds the two together. */
  readonly uncheckable: string | null;
}

export const statements: readonly Statement[] = read(statementsText);

function read(lines: string): Statement[] {
  let heading = "";
  return lines.split("\n").flatMap((line) => {
    if (line.startsWith("# ")) heading = line.slice(2);
    const found = /^(\d+) ([^|]+?)(?: \| (.+))?$/.exec(line);
    if (found === null) return [];
    return [{ number: Number(found[1]), heading, text: found[2] ?? "", uncheckable: found[3] ?? null }];
  });
}

export function statement(number: number): Statement {
  const found = statements[number - 1];
  assert(found?.number === number, `statement ${number} is on the list`);
  return found;
}
