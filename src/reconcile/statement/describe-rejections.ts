import type { RowRejectionCode } from "../../core/import-codes.ts";
import type { Profile } from "./profile.ts";

/** Rows that were rejected for one reason: how many, and what the first of them says. */
export interface RejectedFor {
  readonly code: RowRejectionCode;
  readonly field: string | null;
  /** Of the first. */
  readonly reason: string;
  readonly lineNo: number;
  rows: number;
}

/** The commonest reason, with the next step: mending that mends most of the file. */
export function describeRejections(rejections: readonly RejectedFor[], profile: Profile): string {
  const [commonest] = rejections.toSorted((a, b) => b.rows - a.rows || a.lineNo - b.lineNo);
  if (!commonest) return "";
  const { field, reason, lineNo, rows } = commonest;
  const what = field === null ? reason : `${field} ${reason}`;
  const also = rows > 1 ? `, and ${rows - 1} more rows the same` : "";
  return `line ${lineNo}: ${what}${also}. ${nextStep(commonest, profile)}`;
}

function nextStep({ code, field, reason }: RejectedFor, profile: Profile): string {
  const own = (changes: object) =>
    JSON.stringify({ name: `own-${profile.name}`, version: 1, extends: profile.name, ...changes });
  const write = (changes: object) => `Write a profile such as ${own(changes)} and import the file with it`;
  switch (code) {
    case "row_missing_key":
      return `The profile tells lines apart by ${identityOf(profile)}. Where the file has none, count equal rows instead: ${write({ identity: { mode: "counted" } })}`;
    case "row_key_conflict":
      return `The profile takes ${identityOf(profile)} for unique, and here it is not: ${write({ identity: { mode: "counted" } })}`;
    case "unknown_currency":
      return write({ aliases: { "their word": "EUR" } });
    case "unknown_line_type":
      return write({ line_types: { "their word": "charge" } });
    case "unknown_provider":
      return "Name the provider, or import the rows of each provider as a file of their own";
    case "row_too_long":
      return "Check that the file is a CSV export with line breaks";
    case "row_unparseable":
      if (/^"[^"]*\d,\d{1,2}"/.test(reason) && profile.decimal === ".")
        return `The file writes a decimal comma: ${write({ decimal: ",", grouping: "." })}`;
      if (/^"[^"]*\d,\d{3}(?:\D|$)/.test(reason) && profile.grouping === "")
        return `The file groups thousands: ${write({ grouping: "," })}`;
      if (field === "effective_at" || field === "created_at")
        return `State how the file writes times, and in which zone: ${write({ time: { format: "YYYY-MM-DD HH:mm:ss", zone: "UTC" } })}`;
      return "Correct the file, or write a profile for it";
    default:
      return code satisfies never;
  }
}

function identityOf({ identity }: Profile): string {
  return identity.mode === "unique" ? identity.columns.join(" and ") : "all of its columns";
}
