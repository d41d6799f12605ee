import { type AcceptableCode, isAcceptable } from "../../core/import-codes.ts";
import type { IntakeTally } from "../../store/statements/statement-intake.ts";
import type { FilePeriod } from "./file-period.ts";
import { parserVersion } from "./line-key.ts";
import type { OpenedStatement } from "./open-statement.ts";
import type { FileOutcome } from "./read-file.ts";
import type { FileProblem } from "./refusal.ts";

/** The columns of a statement, each part from the one who knows it. */
export function describeFile({ source, digest, encoding, layout }: OpenedStatement) {
  const { profile, delimiter } = layout;
  return {
    fileName: source.name,
    sha256: digest.sha256,
    byteCount: digest.byteCount,
    profile: profile.name,
    profileVersion: profile.version,
    profileUsed: profile,
    parserVersion,
    encoding,
    delimiter,
    periodBasis: profile.period_basis,
  };
}

export function describePeriod({ generatedAt, generatedAtFrom, from, to }: FilePeriod) {
  return { generatedAt, generatedAtFrom, periodFrom: from, periodTo: to };
}

export function describeCounts({ counts }: FileOutcome, tally: IntakeTally) {
  return {
    preambleRows: counts.preamble,
    headerRows: counts.header,
    blankRows: counts.blank,
    skippedRows: counts.skipped,
    trailerRows: counts.trailer,
    rowsOfFile: counts.file,
    rowsRead: counts.read,
    rowsAccepted: tally.accepted,
    rowsRestated: tally.restated,
    rowsDuplicate: tally.duplicate,
    rowsRejected: tally.rejected,
  };
}

export function describeStated({ facts, totals }: FileOutcome) {
  if (facts.rowCount === null && facts.sums.length === 0) return null;
  const sums = facts.sums.map(({ field, currency, amount }) => ({
    field,
    currency,
    stated: amount,
    found: totals.sumOf(field, currency),
  }));
  return { rows: facts.rowCount, sums };
}

export function codesOf(problems: readonly FileProblem[]): AcceptableCode[] {
  return [...new Set(problems.map(({ code }) => code).filter(isAcceptable))];
}
