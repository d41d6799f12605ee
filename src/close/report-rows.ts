import { findReport } from "../report/catalogue.ts";
import { openReport } from "../report/open-report.ts";
import { parseRequest } from "../report/parameters.ts";
import { readReport } from "../report/read-report.ts";
import type { Report, ReportFormat } from "../report/report.ts";
import type { Snapshot } from "../store/exports/copy-report.ts";

/** Whose report of which time, by what was known when. */
export interface ReportScope {
  accountId: number;
  account: string;
  from: string;
  to: string;
  knownAt: string;
  /** What was known when the time before was closed, if it was. */
  priorKnownAt: string | null;
  zone: { name: string };
}

/** A report of a period, as every part of a close asks for it: whole, without wallets, also where something is missing. */
export async function openPeriodReport(
  snapshot: Snapshot,
  report: Report,
  scope: ReportScope,
  wanted: { format: ReportFormat; columns?: readonly string[] },
) {
  const { period, moment, showsPriorPeriod } = report;
  const request = parseRequest(report, wanted.format, {
    account: [scope.account],
    tz: [scope.zone.name],
    known_at: [scope.knownAt],
    // The checklist says what is missing; refusing the report would hide the rest.
    partial: ["true"],
    ...(period === null ? {} : { from: [scope.from], to: [scope.to] }),
    ...(period === null || moment === "apart" ? { as_at: [scope.to] } : {}),
    // As it was signed: the month before may have been closed, or reopened, since.
    ...(showsPriorPeriod === undefined ? {} : { prior_known_at: [scope.priorKnownAt ?? "none"] }),
    ...(wanted.columns === undefined ? {} : { columns: wanted.columns }),
  });
  return openReport(snapshot, request, { accountIds: [scope.accountId], wallets: false });
}

/** The rows of a short report, each as an object. */
export async function readRows(
  snapshot: Snapshot,
  name: string,
  scope: ReportScope,
): Promise<Record<string, string | number | null>[]> {
  const report = findReport(name);
  if (report === null) throw new TypeError(`a report, not ${name}`);
  const opened = await openPeriodReport(snapshot, report, scope, { format: "jsonl" });
  const { body } = await readReport(snapshot, opened, { sums: false, rowsMax: null });
  const chunks: Buffer[] = [];
  for await (const chunk of body) chunks.push(chunk as Buffer);
  const text = Buffer.concat(chunks).toString("utf8");
  return text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as Record<string, string | number | null>);
}
