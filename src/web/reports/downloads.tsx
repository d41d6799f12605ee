import type { RowTotals } from "../../report/describe-report.ts";
import {
  type LayoutName,
  layoutNames,
  oneCurrencyOf,
  type Report,
  type ReportFormat,
  reportFormats,
  reportId,
} from "../../report/report.ts";
import { may, type Visitor } from "../deps.ts";
import { Button } from "../parts/button.tsx";
import { kept, PostForm } from "../parts/post-form.tsx";
import type { Asked } from "./asked.ts";

/** As many as are sent at once; longer ones are exports. */
const rowsMax = 100_000;

const formatTitles: Record<ReportFormat, string> = {
  csv: "CSV",
  jsonl: "JSON lines",
  xlsx: "Excel (XLSX)",
  parquet: "Parquet",
};

const layoutTitles = {
  plain: "",
  xero: "CSV for Xero",
  quickbooks: "CSV for QuickBooks",
  netsuite: "CSV for NetSuite",
  hledger: "hledger journal",
};

interface DownloadsProps {
  report: Report;
  asked: Asked;
  totals: RowTotals;
  visitor: Visitor;
}

/** The same rows as files: with what is in the address, and nothing else. */
export function Downloads({ report, asked, totals, visitor }: DownloadsProps) {
  return (
    <div class="downloads">
      {totals.rows <= rowsMax ? (
        <Links report={report} asked={asked} totals={totals} />
      ) : (
        <p>This is too many rows to download directly: create an export, or choose a shorter period.</p>
      )}
      {may(visitor, "exports:write") && <MakeExport report={report} asked={asked} visitor={visitor} />}
    </div>
  );
}

function Links({ report, asked, totals }: Omit<DownloadsProps, "visitor">) {
  const link = (format: ReportFormat, more: Record<string, string>) => {
    const query = new URLSearchParams(asked.parameters);
    // Another program's file has columns of its own.
    if (more["layout"] !== undefined) query.delete("columns");
    for (const [name, value] of Object.entries(more)) query.set(name, value);
    return `/reports/${reportId(report)}/${format}?${query.toString()}`;
  };
  const layouts = layoutNames
    .filter((name) => name !== "plain" && report.layouts?.[name] !== undefined)
    .map((name) => ({ name, currencies: apartIn(report, name, totals) }));
  const apart = layouts.filter(({ currencies }) => currencies.length > 0);
  return (
    <>
      <p class="actions">
        <span class="muted">Download all rows</span>
        {reportFormats.map((format) => (
          // Who downloads a CSV file from a page opens it with a spreadsheet.
          <a download href={link(format, format === "csv" ? { preset: "excel" } : {})}>
            {formatTitles[format]}
          </a>
        ))}
        {layouts
          .filter(({ currencies }) => currencies.length === 0)
          .map(({ name: layout }) => (
            <a download href={link("csv", { layout })}>
              {layoutTitles[layout]}
            </a>
          ))}
      </p>
      {apart.map(({ name: layout, currencies }) => (
        <details>
          <summary>{layoutTitles[layout]}: a file for each currency</summary>
          <p class="actions">
            {currencies.map((currency) => (
              <a download href={link("csv", { layout, currency })}>
                {currency}
              </a>
            ))}
          </p>
        </details>
      ))}
    </>
  );
}

/** The currencies that need a file each; none where one file holds all of them. */
function apartIn(report: Report, name: LayoutName, { apart = {} }: RowTotals): readonly string[] {
  const single = oneCurrencyOf(name === "plain" ? null : (report.layouts?.[name] ?? null));
  const currencies = single === null ? [] : (apart[single] ?? []);
  return currencies.length > 1 ? currencies.filter((currency) => currency !== null) : [];
}

function MakeExport({ report, asked, visitor }: Omit<DownloadsProps, "totals">) {
  const form = "make-export";
  return (
    <details open={visitor.refused?.form === form}>
      <summary>Save as an export</summary>
      <PostForm
        visitor={visitor}
        action="/exports"
        id={form}
        back={`/reports/${reportId(report)}?${asked.address.toString()}`}
      >
        <input type="hidden" name="report" value={reportId(report)} />
        {[...asked.parameters].map(([name, value]) => (
          <input type="hidden" name={name} value={value} />
        ))}
        <label>
          <span>Format</span>
          <select name="format">
            {reportFormats.map((name) => (
              <option value={name} selected={kept(visitor, form, "format", "csv") === name}>
                {formatTitles[name]}
              </option>
            ))}
          </select>
        </label>
        <Button kind="secondary">Create export</Button>
        <p class="muted">Written in the background, whatever its length, with its hash and control totals.</p>
      </PostForm>
    </details>
  );
}
