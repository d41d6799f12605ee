import type { FileRefusalCode } from "../../core/import-codes.ts";
import { compareDecimals } from "../../core/decimal.ts";
import { shorten } from "../../core/quote.ts";
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
 * A fee without a column counts as none: what is owed would be wrong, and nothing else would show it. Files without fees
 * are common, so it is only said where the file has columns that are not read, one of which may be the fee renamed.
 */
export function warnOfFees({ profile, columns }: Layout) {
  const unread = columns.unmapped.map(({ header }) => header).filter((header) => header !== "");
  const counted = [
    ...(profile.fees_deducted ?? []),
    ...(profile.model === "commission" ? (["fee_partner"] as const) : []),
  ];
  const missing = [...new Set(counted)].filter(
    (fee) => profile.columns[fee] !== undefined && !columns.indexes.has(fee),
  );
  const isStated = columns.indexes.has("fee_total") || columns.indexes.has("net_amount");
  if (isStated || missing.length === 0 || unread.length === 0) return [];
  return [
    {
      code: "fee_column_missing",
      message: `no column states ${missing.join(", ")}, so it counts as zero. The profile does not read ${unread.slice(0, shownMax).join(", ")}: if one of these is the fee, add its name to the profile`,
    },
  ];
}

const shownMax = 10;

/**
 * What is wrong with a file as a whole: it is refused for it, unless a person accepts it with a reason. A file with rows
 * and not a single line is refused whatever anyone says: it would count as proof that nothing happened in its period.
 */
export function judgeFile(outcome: FileOutcome, profile: Profile): FileProblem[] {
  const { counts, facts, totals, cutOff, otherTable, rejections } = outcome;
  const problems: FileProblem[] = [];
  const add = (code: FileRefusalCode, message: string) => problems.push({ code, message });

  const rejected = rejections.reduce((sum, { rows }) => sum + rows, 0);
  if (counts.read > 0 && rejected === counts.read) {
    add("file_without_lines", `none of its rows can be read; ${describeRejections(rejections, profile)}`);
  }
  if (counts.read === 0) {
    add(
      "file_truncated",
      "it has a header and no rows: if nothing happened in its period, accept it with a reason",
    );
  }
  if (otherTable !== null) add("file_layout_changed", otherTable);
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
      `it states a ${field} of ${amount} ${shorten(currency)}, and its rows add up to ${found}`,
    );
  }
  return problems;
}
