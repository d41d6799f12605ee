import type { Layout } from "./recognise-layout.ts";

/** Where in a file the table is, and what is to be said about the rest of it. */
export interface TableChoice {
  readonly layout: Layout;
  /** Its start as text. */
  readonly head: string;
  readonly warnings: readonly { code: string; message: string }[];
  /** Of a workbook: other sheets, not hidden, with the same header and rows below it. */
  readonly alike?: readonly string[];
}
