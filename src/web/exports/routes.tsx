import { reportFormats, reportId } from "../../report/report.ts";
import { addAction, addPage } from "../add-page.tsx";
import { askApi } from "../ask-api.ts";
import type { Visitor, Web, WebContext } from "../deps.ts";
import { textOf } from "../form-text.ts";
import { leaveNotice } from "../notice.ts";
import { parametersIn } from "../reports/asked.ts";
import { wantedReport } from "../reports/one.tsx";
import type { Export } from "./export.ts";
import { showExports } from "./list.tsx";
import { showExport } from "./one.tsx";

export function addExports(web: Web): void {
  const scopes = ["exports:write", "transactions:read"] as const;
  addPage(web, "/exports", scopes, (c, visitor) => showExports(web, c, visitor));
  addPage(web, "/exports/:id", scopes, (c, visitor) => showExport(web, c, visitor));

  addAction(web, "/exports", scopes, (c, visitor, form) => create(web, c, visitor, form));

  addAction(web, "/exports/cancel", scopes, async (c, visitor, form) => {
    const id = textOf(form, "id");
    await askApi(web, c, visitor, `/v1/exports/${encodeURIComponent(id)}/cancel`, { json: {} });
    leaveNotice(c, "The export was stopped.");
    return c.redirect(`/exports/${encodeURIComponent(id)}`, 303);
  });
}

/** A file of what a report's screen was asked for. What the API refuses is shown there, in the form that sent it. */
async function create(web: Web, c: WebContext, visitor: Visitor, form: FormData): Promise<Response> {
  const report = wantedReport(textOf(form, "report"));
  const format = reportFormats.find((name) => name === textOf(form, "format")) ?? "csv";
  const parameters = parametersIn(report, form);
  // Who makes a CSV file on a page opens it with a spreadsheet; the other formats have one form only.
  const preset = format === "csv" ? { preset: ["excel"] } : {};
  const given = [...new Set(parameters.keys())].map((name) => [name, parameters.getAll(name)]);
  const made = await askApi<Export>(web, c, visitor, "/v1/exports", {
    json: { report: reportId(report), format, parameters: { ...preset, ...Object.fromEntries(given) } },
  });
  return c.redirect(`/exports/${made.id}`, 303);
}
