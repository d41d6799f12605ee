/** The workbook of discrepancies that people edit and send back: its sheet, the columns that they fill in, and what they may choose. */
export const discrepancySheet = "discrepancies";
export const decisionWords = ["investigate", "resolve", "write_off", "reopen"] as const;
export type DecisionWord = (typeof decisionWords)[number];

/** By which a row is known again; the version says whether someone else has changed it meanwhile. */
export const rowColumns = { id: "discrepancy_id", version: "version" } as const;
export const editedColumns = { decision: "decision", owner: "owner", note: "note" } as const;

/** More than a person goes through, and few enough to be changed in one database transaction. */
export const sheetRowsMax = 20_000;
