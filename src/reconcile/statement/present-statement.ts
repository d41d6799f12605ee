import type { StoredStatement } from "../../store/statements/statements.ts";
import type { ShownImport } from "./without-wallets.ts";
import { whyItCounts } from "./which-counts.ts";

/** A statement as people and programs see it: on the command line with --json, and over HTTP. */
export function presentStatement(statement: StoredStatement) {
  return {
    object: "statement",
    id: statementRef(statement.id),
    account: statement.account,
    provider: statement.provider,
    state: statement.state,
    file_name: statement.fileName,
    sha256: statement.sha256.toString("hex"),
    byte_count: statement.byteCount,
    profile: { name: statement.profile, version: statement.profileVersion },
    parser_version: statement.parserVersion,
    encoding: statement.encoding,
    delimiter: statement.delimiter,
    generated_at: isoTime(statement.generatedAt),
    generated_at_from: statement.generatedAtFrom,
    period: {
      from: isoTime(statement.periodFrom),
      to: isoTime(statement.periodTo),
      basis: statement.periodBasis,
    },
    rows: {
      of_file: statement.rowsOfFile,
      preamble: statement.preambleRows,
      header: statement.headerRows,
      blank: statement.blankRows,
      skipped: statement.skippedRows,
      trailer: statement.trailerRows,
      read: statement.rowsRead,
      accepted: statement.rowsAccepted,
      restated: statement.rowsRestated,
      duplicate: statement.rowsDuplicate,
      rejected: statement.rowsRejected,
    },
    totals: statement.totals,
    stated: statement.stated,
    warnings: statement.warnings,
    accepted: acceptedOf(statement),
    replaces: statement.replacesId === null ? null : statementRef(statement.replacesId),
    imported_at: isoTime(statement.importedAt),
    imported_by: statement.importedBy,
    imported_by_name: statement.importedByName ?? null,
    withdrawn: withdrawnOf(statement),
  };
}

export function presentImport(result: ShownImport) {
  const { state, statement, problems, rejects, restated } = result;
  return {
    object: "statement_import",
    state,
    /** A preview has no number: nothing was written. */
    statement: { ...presentStatement(statement), ...(state === "previewed" ? { id: null } : {}) },
    problems,
    rejects: rejects.map(({ lineNo, originalText, ...row }) => ({
      line_no: lineNo,
      code: row.code,
      field: row.field,
      reason: row.reason,
      original_text: originalText,
    })),
    restated: restated.map((row) => ({
      line_no: row.lineNo,
      line_key: row.lineKey,
      changes: row.changes,
      stands: row.stands,
      because: whyItCounts(row),
    })),
    consequences: result.consequences ?? null,
  };
}

/** `stm_12`; on the command line the bare number does as well. */
export function statementRef(id: number): string {
  return `stm_${id}`;
}

export function parseStatementRef(text: string): number | null {
  const found = /^(?:stm_)?([1-9]\d{0,14})$/.exec(text);
  return found ? Number(found[1]) : null;
}

function acceptedOf({ acceptedCodes, acceptedReason }: StoredStatement) {
  return acceptedCodes === null ? null : { codes: acceptedCodes, reason: acceptedReason };
}

function withdrawnOf(statement: StoredStatement) {
  const { withdrawnAt: at, withdrawnBy: by, withdrawnByName, withdrawnReason: reason } = statement;
  return at === null ? null : { at: isoTime(at), by, by_name: withdrawnByName ?? null, reason };
}

/** The database's own text of a time, as ISO 8601 with milliseconds and `Z`. */
function isoTime(text: string | null): string | null {
  if (text === null || text.endsWith("infinity")) return null;
  const fraction = /\.(\d+)/.exec(text)?.[1] ?? "";
  return `${text.slice(0, 10)}T${text.slice(11, 19)}.${fraction.slice(0, 3).padEnd(3, "0")}Z`;
}
