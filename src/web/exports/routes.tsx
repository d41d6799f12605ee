import { problem, ProblemError } from "../../api/problem.ts";
import { findReport } from "../../report/catalogue.ts";
import { reportId } from "../../report/report.ts";
import { addAction, addPage } from "../add-page.tsx";
import { askApi } from "../ask-api.ts";
import type { Visitor, Web, WebContext } from "../deps.ts";
import { textOf } from "../form-text.ts";
import { leaveNotice } from "../notice.ts";
import type { Export } from "./export.ts";
import { readExportForm, showExportForm } from "./form.tsx";
import { showExports } from "./list.tsx";
import { namedPeriods } from "./months.ts";
import { showExport } from "./one.tsx";

export function addExports(web: Web): void {
  const scopes = ["exports:write", "transactions:read"] as const;
  addPage(web, "/exports", scopes, (c, visitor) => showExports(web, c, visitor));
  addPage(web, "/exports/new", scopes, (c, visitor) =>
    showExportForm(web, c, visitor, {
      report: wantedReport(c.req.query("report") ?? ""),
      given: givenInAddress(new URL(c.req.url).searchParams, web.api.deps.now(), visitor.preferences.zone),
      refused: null,
    }),
  );
  addPage(web, "/exports/:id", scopes, (c, visitor) => showExport(web, c, visitor));

  addAction(web, "/exports", scopes, (c, visitor, form) => create(web, c, visitor, form));

  addAction(web, "/exports/cancel", scopes, async (c, visitor, form) => {
    const id = textOf(form, "id");
    await askApi(web, c, visitor, `/v1/exports/${encodeURIComponent(id)}/cancel`, {
      method: "POST",
      json: {},
    });
    leaveNotice(c, "The export was stopped.");
    return c.redirect(`/exports/${encodeURIComponent(id)}`, 303);
  });
}

/** The last month is what most exports are made of; an address may say otherwise. */
function givenInAddress(address: URLSearchParams, nowMs: number, zone: string): Map<string, string> {
  const [lastMonth] = namedPeriods(nowMs, zone);
  return new Map([["from", lastMonth.from], ["to_day", lastMonth.to], ...address]);
}

/** What the API refuses is shown beside the form, with everything that was filled in. */
async function create(web: Web, c: WebContext, visitor: Visitor, form: FormData): Promise<Response> {
  const report = wantedReport(textOf(form, "report"));
  const { given, format, parameters } = readExportForm(form);
  try {
    const made = await askApi<Export>(web, c, visitor, "/v1/exports", {
      method: "POST",
      json: { report: reportId(report), format, parameters },
    });
    return c.redirect(`/exports/${made.id}`, 303);
  } catch (error) {
    if (!(error instanceof ProblemError) || error.problem.status >= 500) throw error;
    c.status(error.problem.status);
    return showExportForm(web, c, visitor, { report, given, refused: error.problem });
  }
}

function wantedReport(name: string) {
  const report = findReport(name);
  if (report === null) throw problem("not_found", "There is no such report. Choose one on the page Exports.");
  return report;
}
