import type { FileWarningCode } from "../../core/import-codes.ts";
import type { Layout } from "./recognise-layout.ts";

export interface FileWarning {
  readonly code: FileWarningCode;
  readonly message: string;
}

export function warnIf(isSo: boolean, code: FileWarningCode, message: string): FileWarning[] {
  return isSo ? [{ code, message }] : [];
}

/** Where in a file the table is, and what is to be said about the rest of it. */
export interface TableChoice {
  readonly layout: Layout;
  /** Its start as text. */
  readonly head: string;
  readonly warnings: readonly FileWarning[];
  /** Of a workbook: other sheets, not hidden, with the same header and rows below it. */
  readonly alike?: readonly string[];
}
