import type { exportRun } from "../../api/exports/schema.ts";
import type { ReportDescription } from "../../report/describe-report.ts";

/** An export as the API presents it; what it says of its totals is what reports say of themselves. */
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
