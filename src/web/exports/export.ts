import type { exportRun } from "../../api/exports/schema.ts";
import type { ReportDescription } from "../../report/describe-report.ts";

/** An export as the API presents it; its totals have the form of a report's totals. */
export type Export = Omit<ReturnType<typeof exportRun.present>, "totals"> & {
  totals: ReportDescription | null;
};

export interface ExportList {
  data: Export[];
  has_more: boolean;
  next_cursor: string | null;
}

export function isUnfinished({ state }: Pick<Export, "state">): boolean {
  return state === "queued" || state === "running";
}
