/**
 * What the import of a statement says of a file or of one of its rows. Stable, snake_case, never reused. They are shown
 * with the statement; none of them is a discrepancy.
 */
export const importCodes = {
  file_duplicate: { of: "file", effect: "nothing" },
  file_unreadable: { of: "file", effect: "refused" },
  file_profile_unknown: { of: "file", effect: "refused" },
  file_layout_changed: { of: "file", effect: "refused" },
  file_without_lines: { of: "file", effect: "refused" },
  file_truncated: { of: "file", effect: "refused_unless_accepted" },
  control_total_mismatch: { of: "file", effect: "refused_unless_accepted" },
  number_reused: { of: "file", effect: "refused_unless_accepted" },
  booked_in_other_format: { of: "file", effect: "refused_unless_accepted" },
  period_overlap: { of: "file", effect: "warning" },
  balance_gap: { of: "file", effect: "warning" },
  period_gap: { of: "file", effect: "warning" },
  times_shifted: { of: "file", effect: "warning" },
  status_unstated: { of: "file", effect: "warning" },
  fee_column_missing: { of: "file", effect: "warning" },
  workbook_sheets: { of: "file", effect: "warning" },
  workbook_links: { of: "file", effect: "warning" },
  workbook_formulas: { of: "file", effect: "warning" },
  workbook_hidden_rows: { of: "file", effect: "warning" },
  json_members: { of: "file", effect: "warning" },
  row_unparseable: { of: "row", effect: "rejected" },
  row_missing_key: { of: "row", effect: "rejected" },
  row_key_conflict: { of: "row", effect: "rejected" },
  row_too_long: { of: "row", effect: "rejected" },
  unknown_provider: { of: "row", effect: "rejected" },
  unknown_currency: { of: "row", effect: "rejected" },
  unknown_line_type: { of: "row", effect: "rejected" },
  row_duplicate_in_file: { of: "row", effect: "duplicate" },
  row_already_imported: { of: "row", effect: "duplicate" },
  row_restated: { of: "row", effect: "accepted" },
} as const;

export type ImportCode = keyof typeof importCodes;

type CodeWith<Effect extends string> = {
  [Code in ImportCode]: (typeof importCodes)[Code]["effect"] extends Effect ? Code : never;
}[ImportCode];

export type RowRejectionCode = CodeWith<"rejected">;
export type FileRefusalCode = CodeWith<"refused" | "refused_unless_accepted">;
export type FileWarningCode = CodeWith<"warning">;
export type AcceptableCode = CodeWith<"refused_unless_accepted">;

/** Whether a person may have a file imported in spite of it, with a reason. */
export function isAcceptable(code: FileRefusalCode): code is AcceptableCode {
  return importCodes[code].effect === "refused_unless_accepted";
}
