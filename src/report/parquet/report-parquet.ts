import type { Readable } from "node:stream";
import type { OpenReport } from "../open-report.ts";
import { reportId } from "../report.ts";
import { parquetOf } from "./parquet.ts";

/** A report as Parquet. Amounts are decimals, but for the columns that hold one too long for that: those are texts. */
export function reportParquet(report: OpenReport, csv: Readable, longAmounts: ReadonlySet<string>): Readable {
  const { request } = report;
  const columns = request.columns.map(({ name, type }) => ({
    name,
    type: longAmounts.has(name) ? ("long_amount" as const) : type,
  }));
  const notes = {
    "tieout.report": reportId(request.report),
    "tieout.timezone": request.zone.name,
    ...(longAmounts.size === 0 ? {} : { "tieout.amounts_as_text": [...longAmounts].join(",") }),
  };
  const body = parquetOf(columns, csv, notes);
  body.once("close", () => csv.destroy());
  return body;
}
