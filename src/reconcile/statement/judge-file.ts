import type { FileRefusalCode } from "../../core/import-codes.ts";
import { compareDecimals } from "../../core/decimal.ts";
import { describeRejections } from "./describe-rejections.ts";
import type { Profile } from "./profile.ts";
import type { FileOutcome } from "./read-file.ts";
import type { Layout } from "./recognise-layout.ts";
import type { FileProblem } from "./refusal.ts";

/** Whether an order failed or was paid must not be guessed, and a file that never says it raises a discrepancy for every line. */
export function warnOfStatus(outcome: FileOutcome, { profile, columns }: Layout) {
  const isStated = columns.indexes.has("status") || profile.constants?.status !== undefined;
  if (isStated || !outcome.totals.totals().some(({ line_type }) => line_type === "charge")) return [];
  const remedy = `"constants": { "status": "paid" }, "statuses": { "any": { "paid": "settled" } }`;
  const message = `no column says the status of an order, so every line is unknown_status: if the file lists only what was paid, add ${remedy} to the profile`;
  return [{ code: "status_unstated", message }];
}

/**
 * What is wrong with a file as a whole: it is refused for it, unless a person accepts it with a reason. A file with rows
 * and not a single line is refused whatever anyone says: it would count as proof that nothing happened in its period.
 */
export function judgeFile(outcome: FileOutcome, profile: Profile): FileProblem[] {
  const { counts, facts, totals, cutOff, rejections } = outcome;
  const problems: FileProblem[] = [];
  const add = (code: FileRefusalCode, message: string) => problems.push({ code, message });

  const rejected = rejections.reduce((sum, { rows }) => sum + rows, 0);
  if (counts.read > 0 && rejected === counts.read) {
    add("file_without_lines", `no row of it can be read; ${describeRejections(rejections, profile)}`);
  }
  if (counts.read === 0) {
    add(
      "file_truncated",
      "it has a header and no rows: if nothing happened in its period, accept it with a reason",
    );
  }
  if (cutOff !== null) add("file_truncated", `${cutOff}: download it again`);
  for (const missing of facts.missing) {
    add(
      "file_truncated",
      `the row that begins with ${JSON.stringify(missing)} is missing: download it again`,
    );
  }
  for (const text of facts.unreadable) {
    add("control_total_mismatch", `it states ${JSON.stringify(text.slice(0, 80))}, which cannot be read`);
  }
  if (facts.rowCount !== null && facts.rowCount !== counts.read) {
    add("control_total_mismatch", `it states ${facts.rowCount} rows and has ${counts.read}`);
  }
  for (const { field, currency, amount } of facts.sums) {
    const found = totals.sumOf(field, currency);
    if (compareDecimals(found, amount) === 0) continue;
    add(
      "control_total_mismatch",
      `it states a ${field} of ${amount} ${currency}, and its rows add up to ${found}`,
    );
  }
  return problems;
}
