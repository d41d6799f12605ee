import type { ColumnType, ReportFormat } from "./report.ts";

/** How a value of each type is written. Times need a session whose zone is UTC, which ours are. */
export function inLayout(type: ColumnType, expression: string, format: ReportFormat): string {
  if (type === "time") return instant(expression);
  if (type === "text") return expression;
  // A JSON number would be read as a binary float, so an amount is a text there too.
  return format !== "jsonl" || type === "amount" || type === "date" ? `${expression}::text` : expression;
}

/**
 * Milliseconds, and microseconds where there are any: nothing that was sent is cut off. JSON leaves zeros at the end out, so
 * where there are any, a microsecond is added and cut off again. `to_char` writes them, but takes half as long again: it is left
 * for years that have not four digits, and for times without end.
 */
function instant(time: string): string {
  const json = (at: string, letters: number) => `substr(to_json(${at})::text, 2, ${letters})`;
  const later = `${time} + interval '1 microsecond'`;
  return `case
      when not (${time} >= '0001-01-01Z' and ${time} < '9999-12-31Z') then replace(to_char(${time}, 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'), '000Z', 'Z')
      when ${time}::timestamptz(3) = ${time} then ${json(later, 23)} || 'Z'
      when ${time}::timestamptz(5) = ${time} then ${json(later, 25)} || '0Z'
      else ${json(time, 26)} || 'Z'
    end`;
}

// What is not seen in front of a sign: spaces, the next-line control, zero-width characters and byte order marks.
const spaces =
  " \u0085\u00a0\u00ad\u180e\u200b\u200c\u200d\u200e\u200f\u2028\u2029\u202f\u205f\u2060\u3000\ufeff";
const formulaSigns = "-=+@\t\r\n－＝＋＠";
const code = (sign: string) => sign.codePointAt(0);
const suspects = Array.from(spaces + formulaSigns, code).join(", ");

/**
 * A text that a spreadsheet would take for a formula gets an apostrophe in front. The look at the first character comes
 * first because it costs a tenth of the regular expression; and before it, whether that is a letter or a digit, because nearly
 * every text begins with one, and the list is long.
 */
export function formulaSafe(text: string): string {
  const first = `ascii(${text})`;
  return `case
      when ${first} between ${code("A")} and ${code("z")} or ${first} between ${code("0")} and ${code("9")} then ${text}
      when ${first} in (${suspects}) and ${text} ~ '^[${spaces}]*[${formulaSigns}]' then '''' || ${text}
      else ${text}
    end`;
}

/** Both ends of an address; empty if it is too short to hide its middle. */
export function maskedWallet(address: string): string {
  return `case when length(${address}) > 8 then left(${address}, 4) || '…' || right(${address}, 4)
    when ${address} <> '' then '…' else ${address} end`;
}
