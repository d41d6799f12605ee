import { SECOND } from "../core/duration.ts";
import { visible } from "./write-out.ts";

/** Where there is no terminal, progress is a line of its own this often. */
export const plainIntervalMs = 5 * SECOND;

/** On a terminal, one line of progress that replaces the one before; an empty one ends it. Elsewhere nothing. */
export function showLine(text: string): void {
  if (!process.stderr.isTTY) return;
  // A line that wraps could not be written over. Some terminals do not know how wide they are.
  const width = process.stderr.columns > 0 ? process.stderr.columns - 1 : text.length;
  process.stderr.write(`\r\u001b[K${visible(text).slice(0, width)}`);
}
