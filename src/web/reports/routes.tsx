import { problem } from "../../api/problem.ts";
import { limitReports } from "../../api/reports/running-reports.ts";
import { reportFormats, reportId } from "../../report/report.ts";
import type { FirstRows } from "../../report/first-rows.ts";
import { addPage } from "../add-page.tsx";
import { fetchFile } from "../ask-api.ts";
import type { Web } from "../deps.ts";
import { createBegunWork } from "./begun-work.ts";
import { showReports } from "./list.tsx";
import { showReport, wantedReport } from "./one.tsx";

/** Reports on screens at the same time: each holds a connection and a core of the database, as a download does. */
const placesMax = 4;

export function addReports(web: Web): void {
  const making = { takePlace: limitReports({ max: placesMax }), begun: createBegunWork<FirstRows>() };
  addPage(web, "/reports", ["transactions:read"], (c, visitor) => showReports(web, c, visitor));
  addPage(web, "/reports/:id", ["transactions:read"], (c, visitor) => showReport(web, c, visitor, making));

  // The API's own file: who may have it, how many rows it may have and what is noted of it are decided there.
  addPage(web, "/reports/:id/:format", ["transactions:read"], (c, visitor) => {
    const report = wantedReport(c.req.param("id") ?? "");
    const format = reportFormats.find((name) => name === c.req.param("format"));
    if (format === undefined) throw problem("not_found", "There is no such format of a report.");
    return fetchFile(web, c, visitor, `/v1/reports/${reportId(report)}.${format}`, {
      query: new URL(c.req.url).searchParams,
    });
  });
}
