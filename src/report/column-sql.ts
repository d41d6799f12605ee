import type { ColumnType, ReportFormat } from "./report.ts";

/** How a value of each type is written. Times need a session whose zone is UTC, which ours are. */
export function inLayout(type: ColumnType, expression: string, format: ReportFormat): string {
  if (type === "time") return instant(expression);
  if (type === "text") return expression;
  // A JSON number would be read as a binary float, so an amount is a text there too.
  return format !== "jsonl" || type === "amount" || type === "date" ? `${expression}::text` : expression;
}

/** Milliseconds, and microseconds where there are any: nothing that was sent is cut off. */
function instant(time: string): string {
  return `replace(to_char(${time}, 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'), '000Z', 'Z')`;
}

// What is not seen in front of a sign: spaces, the next-line control, zero-width characters and byte order marks.
const spaces =
  " \u0085\u00a0\u00ad\u180e\u200b\u200c\u200d\u200e\u200f\u2028\u2029\u202f\u205f\u2060\u3000\ufeff";
const formulaSigns = "-=+@\t\r\n－＝＋＠";
const suspects = Array.from(spaces + formulaSigns, (sign) => sign.codePointAt(0)).join(", ");

/**
 * A text that a spreadsheet would take for a formula gets an apostrophe in front. The look at the first character comes
 * first because it costs a tenth of the regular expression, and nearly every text passes it.
 */
export function formulaSafe(text: string): string {
  return `case when ascii(${text}) in (${suspects}) and ${text} ~ '^[${spaces}]*[${formulaSigns}]'
    then '''' || ${text} else ${text} end`;
}

/** Both ends of an address; empty if it is too short to hide its middle. */
export function maskedWallet(address: string): string {
  return `case when length(${address}) > 8 then left(${address}, 4) || '…' || right(${address}, 4)
    when ${address} <> '' then '…' else ${address} end`;
}
