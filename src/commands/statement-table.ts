import { describeClosedMonth } from "../core/closed-month.ts";
import { counted } from "../core/counted.ts";
import { isMadeIntoText } from "../reconcile/statement/decode.ts";
import { mayBeAccepted } from "../reconcile/statement/refusal.ts";
import type { ImportResult } from "../reconcile/statement/import-statement.ts";
import { statementRef } from "../reconcile/statement/statement-ref.ts";
import type { StatementTotal } from "../reconcile/statement/statement-totals.ts";
import { describeChanges, whyItCounts } from "../reconcile/statement/which-counts.ts";
import type { RestatedRow } from "../store/statements/statement-rows.ts";
import type { StoredStatement } from "../store/statements/statements.ts";

/** What an import or a preview did, for the person at the terminal. */
export function describeImport(result: ImportResult): string {
  const { state, statement, problems, rejects, restated } = result;
  const lines = [
    `${statement.fileName}: ${headline(result)}`,
    `  profile ${statement.profile} ${statement.profileVersion}, ${formOf(statement)}`,
    `  ${counted(statement.rowsOfFile, "row")}: ${statement.rowsRead} read, ${countsOf(statement)}`,
    "",
    table(
      ["currency", "payout", "type", "lines", "gross", "fees", "net"],
      (statement.totals as StatementTotal[]).map((total) => [
        total.currency ?? "",
        total.payout_ref ?? "(none)",
        total.line_type,
        String(total.lines),
        total.gross,
        total.fees,
        total.net,
      ]),
    ),
    ...problems.map(({ code, message }) => `  refused: ${message} (${code})`),
    ...(mayBeAccepted(problems) ? [`  to import it all the same, say why: --accept REASON`] : []),
    ...(statement.warnings as { message: string; code: string }[]).map(
      ({ message, code }) => `  look: ${message} (${code})`,
    ),
    ...replacedOf(result),
    ...restated.map((row) => `  line ${row.lineNo}, ${row.lineKey}: ${describeRestated(row)}`),
    ...result.repeated.first.map(
      ({ lineNo, firstLineNo }) => `  line ${lineNo} repeats line ${firstLineNo} of this file`,
    ),
    ...rejects.map(
      ({ lineNo, code, field, reason }) =>
        `  line ${lineNo} not taken: ${field === null ? "" : `${field} `}${reason} (${code})`,
    ),
    ...(statement.rowsRejected > rejects.length
      ? [
          `  and ${statement.rowsRejected - rejects.length} more rows not taken: --rejects FILE writes all of them`,
        ]
      : []),
    ...result.closedMonths.map((month) => `  look: ${describeClosedMonth(month)}`),
    ...consequencesOf(result),
  ];
  return state === "already_imported" ? (lines[0] ?? "") : lines.join("\n");
}

export function describeList(statements: readonly StoredStatement[]): string {
  return table(
    ["id", "account", "provider", "period", "state", "rows", "accepted", "rejected", "file"],
    statements.map((each) => [
      statementRef(each.id),
      each.account,
      each.provider,
      each.periodFrom === null ? "" : `${each.periodFrom.slice(0, 10)} to ${each.periodTo?.slice(0, 10)}`,
      each.state,
      String(each.rowsRead),
      String(each.rowsAccepted),
      String(each.rowsRejected),
      each.fileName,
    ]),
  );
}

function headline({ state, statement }: ImportResult): string {
  const reference = statementRef(statement.id);
  if (state === "already_imported") return `imported before as ${reference}, nothing changed`;
  const what = `${statement.provider}, account ${statement.account}`;
  return state === "imported" ? `imported as ${reference}, ${what}` : `nothing written yet, ${what}`;
}

function countsOf({ rowsAccepted, rowsRestated, rowsDuplicate, rowsRejected }: StoredStatement): string {
  const restated = rowsRestated === 0 ? "" : ` (${rowsRestated} restated)`;
  return `${rowsAccepted} accepted${restated}, ${rowsDuplicate} duplicate, ${rowsRejected} rejected`;
}

function describeRestated(row: RestatedRow): string {
  const verdict = row.stands ? "the new value counts" : "this value is kept and does not count";
  return `${describeChanges(row)}; ${verdict}: ${whyItCounts(row)}`;
}

function replacedOf({ state, replaced }: ImportResult): string[] {
  if (replaced === null) return [];
  const { id, fileName, gone } = replaced;
  const verb = state === "previewed" ? "withdraws" : "withdrew";
  const sums = gone.sums.map(({ currency, amount }) => `${amount} ${currency}`.trimEnd()).join(", ");
  const names = `${gone.names.join(", ")}${gone.lines > gone.names.length ? ", …" : ""}`;
  const missing = `${counted(gone.lines, "line")} of it ${gone.lines === 1 ? "is" : "are"} not in this file`;
  return [
    `  ${verb} ${statementRef(id)}, ${fileName}${gone.lines === 0 ? "" : `: ${missing}: ${names}${sums && `; owed: ${sums}`}`}`,
  ];
}

/** The results of matching; for a preview, those it would have. */
function consequencesOf({ state, consequences, untied }: ImportResult): string[] {
  if (consequences === undefined) return [];
  const { matched, unmatched, raised, reopened, agreed } = consequences.counts;
  const when = state === "previewed" ? "result if imported" : "result";
  const codes = Object.entries(consequences.codes).map(([code, count]) => `${count} ${code}`);
  const which = codes.length === 0 ? "" : `: ${codes.join(", ")}`;
  return [
    `  ${when}: ${counted(matched, "match", "matches")} made, ${unmatched} ended; ${counted(agreed, "discrepancy", "discrepancies")} agreed`,
    `  ${counted(raised + reopened, "discrepancy", "discrepancies")} raised${which}`,
    ...untied.map(({ ref, currency, computed, declared }) =>
      `  payout ${ref}: its lines come to ${computed}, declared ${declared} ${currency ?? ""}`.trimEnd(),
    ),
  ];
}

/** Columns of figures stand to the right. */
export function table(header: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = header.map((name, at) => Math.max(name.length, ...rows.map((row) => row[at]?.length ?? 0)));
  const isFigure = header.map(
    (_, at) => rows.length > 0 && rows.every((row) => /^-?[\d.]+$/.test(row[at] ?? "")),
  );
  return [header, ...rows]
    .map((row) =>
      row
        .map((cell, at) => (isFigure[at] ? cell.padStart(widths[at] ?? 0) : cell.padEnd(widths[at] ?? 0)))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}

/** Of a workbook or JSON, text is made, and its delimiter is ours. */
function formOf({ encoding, delimiter }: StoredStatement): string {
  return isMadeIntoText(encoding) ? encoding : `${encoding}, delimiter ${JSON.stringify(delimiter)}`;
}
