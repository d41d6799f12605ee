import type { Day } from "../core/period.ts";
import { isText, type ReportRequest } from "./parameters.ts";

/** `transactions_v1_2026-10-01_2026-10-31_Europe-London_acme.csv`: what it is, its days, their zone, whose it is. */
export function fileNameOf(request: ReportRequest, lastDay: Day): string {
  const { report, filters, zone, format, period, layout } = request;
  const [provider = "all", ...others] = filters.provider ?? [];
  const words = [
    report.name,
    `v${report.version}`,
    period.firstDay ?? "start",
    period.lastDay ?? lastDay,
    zone.name,
    others.length > 0 ? "several" : provider,
  ];
  return `${words.map(plainWord).join("_")}.${isText(layout) ? layout.extension : format}${request.gzip ? ".gz" : ""}`;
}

/** Providers' names come from outside: none may lead out of a folder or need quoting. */
function plainWord(word: string): string {
  return (
    word
      .replaceAll(/[^A-Za-z0-9.-]+/g, "-")
      .replace(/^[.-]+/, "")
      .slice(0, 60) || "other"
  );
}
