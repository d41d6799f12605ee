import { compareDecimals } from "../../core/decimal.ts";
import type { FilePeriod } from "./file-period.ts";
import type { FileOutcome } from "./read-file.ts";
import type { FileProblem } from "./refusal.ts";

/** What is wrong with a file as a whole: it is refused for it, unless a person accepts it with a reason. */
export function judgeFile(outcome: FileOutcome, period: FilePeriod): FileProblem[] {
  const { counts, facts, totals, cutOff } = outcome;
  const problems: FileProblem[] = [];
  const add = (code: "file_truncated" | "control_total_mismatch", message: string) =>
    problems.push({ code, message });

  if (counts.read === 0) {
    add(
      "file_truncated",
      "it has a header and no rows: if nothing happened in its period, accept it with a reason",
    );
  }
  if (period.generatedAt === null) {
    add("file_truncated", "nothing in it tells when it was made: correct it, or say so with --generated-at");
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
