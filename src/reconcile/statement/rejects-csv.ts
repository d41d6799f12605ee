import { textCell } from "../../core/csv-cell.ts";
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
  return `${lineNo},${[code, field, reason, originalText].map(textCell).join(",")}\n`;
}
