import { findReport } from "../report/catalogue.ts";
import type { SheetColumn } from "../report/xlsx/sheet.ts";
import { csvOf } from "../report/xlsx/report-workbook.ts";
import { workbookParts } from "../report/xlsx/workbook.ts";
import type { Snapshot } from "../store/exports/copy-report.ts";
import { measure } from "./measure.ts";
import type { PackContents, PackOrder } from "./pack-contents.ts";
import { readRows, type ReportScope } from "./report-rows.ts";

import { directoryOf, localHeader } from "./zip.ts";

/** Short reports, a row per provider or payout: what people look at first. */
const summaries = ["receivable", "payout-reconciliation", "provider-summary"];

/** The month on a few sheets: the checklist, and the reports that add up. Packed like the pack itself, for the same reason. */
export async function summaryWorkbook(
  snapshot: Snapshot,
  order: PackOrder,
  scope: ReportScope,
): Promise<Buffer> {
  const sheets = [checklistSheet(order)];
  for (const { report: id, columns } of wantedIn(order.contents)) {
    const report = findReport(id);
    if (report === null) continue;
    const rows = await readRows(snapshot, id, scope);
    const shown = report.columns.filter(({ name }) => columns.includes(name));
    const cells = rows.map((row) => shown.map(({ name }) => textOf(row[name])));
    sheets.push({ name: report.name, columns: shown, csv: csvOf(shown, cells) });
  }
  return stored(sheets);
}

function wantedIn({ reports }: PackContents): PackContents["reports"] {
  return summaries.flatMap((name) => reports.filter(({ report }) => report.startsWith(`${name}.v`)));
}

const checklistColumns: readonly SheetColumn[] = [
  { name: "line", type: "text", width: 60 },
  { name: "state", type: "text" },
  { name: "found", type: "text", width: 80 },
  { name: "left", type: "integer" },
  { name: "accepted_because", type: "text", width: 60 },
];

function checklistSheet({ period, checklist, accepted }: PackOrder) {
  const reasons = new Map(accepted.map(({ line, reason }) => [line, reason]));
  const rows = checklist.lines.map(({ line, title, state, says, left }) => [
    title,
    state,
    says,
    String(left),
    reasons.get(line) ?? null,
  ]);
  return {
    name: `Checklist ${period.month}`,
    columns: checklistColumns,
    csv: csvOf(checklistColumns, rows),
  };
}

function textOf(value: string | number | boolean | null | undefined): string | null {
  return value === null || value === undefined ? null : String(value);
}

async function stored(sheets: Parameters<typeof workbookParts>[0]): Promise<Buffer> {
  const parts = [];
  for (const { name, body } of workbookParts(sheets)) {
    const pieces: Uint8Array[] = [];
    for await (const piece of body()) pieces.push(piece);
    const content = Buffer.concat(pieces);
    parts.push({ name, content, ...measure(content) });
  }
  const files = parts.flatMap((part) => [localHeader(part), part.content]);
  return Buffer.concat([...files, directoryOf(parts)]);
}
