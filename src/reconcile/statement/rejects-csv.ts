import type { Queryable } from "../../store/database.ts";
import { listRejects, type RejectedRow } from "../../store/statements/statement-rows.ts";

/** Every row of a statement that was not taken, as CSV: line number, reason and the text as it stands in the file. */
export async function* writeRejects(database: Queryable, statementId: number): AsyncGenerator<string> {
  yield "line_no,code,field,reason,original_text\n";
  for (let after = 0; ;) {
    const rows = await listRejects(database, { statementId, after, limit: rowsPerPage });
    if (rows.length > 0) yield rows.map(csvRow).join("");
    const last = rows.at(-1);
    if (!last || rows.length < rowsPerPage) return;
    after = last.lineNo;
  }
}

const rowsPerPage = 1_000;

function csvRow({ lineNo, code, field, reason, originalText }: RejectedRow): string {
  return `${lineNo},${[code, field ?? "", reason, originalText].map(csvCell).join(",")}\n`;
}

/** The text came from outside: in a spreadsheet it must not run as a formula. */
function csvCell(text: string): string {
  const safe = formula.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

const formula = /^[\s\u0085\u00ad\u180e\u200b-\u200f\u2060]*[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]/;
