import { unreadable } from "./refusal.ts";

/** A cell of a file that is not text itself, as it is read afterwards: with commas between, and rows of one line each. */
export function cellText(text: string): string {
  if (text.includes("\0")) throw unreadable("it holds a zero byte, so it is not text: save it again");
  const line = /[\r\n]/.test(text) ? text.replaceAll(/\r\n|[\r\n]/g, " ") : text;
  // Of nothing but quotes, replacing them one by one takes several times as long.
  return /[",]/.test(line) ? `"${line.split('"').join('""')}"` : line;
}
