import { counted } from "../../core/counted.ts";
import { problem, type Problem, ProblemError } from "../../api/problem.ts";
import { asProblem } from "../../api/reports/problem.ts";
import { requireReport } from "../../api/reports/access.ts";
import { accessOf } from "../../api/send-file.ts";
import { untilGone } from "../../api/while-waited.ts";
import { findReport } from "../../report/catalogue.ts";
import { type FirstRows, readFirstRows } from "../../report/first-rows.ts";
import { parametersOf, parseRequest } from "../../report/parameters.ts";
import { type Report, reportId } from "../../report/report.ts";
import type { TakePlace } from "../../api/reports/running-reports.ts";
import type { Visitor, Web, WebContext } from "../deps.ts";
import { formatCount } from "../format.ts";
import { choicesFor } from "../fresh-totals.ts";
import { shortWaitMs } from "../kept-figures.ts";
import { show } from "../layout.tsx";
import { Empty, Panel, TitleRow } from "../parts/blocks.tsx";
import { Follows, patienceOf } from "../parts/follows.tsx";
import { Given, Time } from "../parts/show.tsx";
import { type Asked, readAsked } from "./asked.ts";
import type { BegunWork } from "./begun-work.ts";
import { Downloads } from "./downloads.tsx";
import { Periods, ReportForm } from "./form.tsx";
import { namedPeriods } from "./months.ts";
import { RowsTable, SumsTable } from "./tables.tsx";

/** More than people read on a screen; the files have all rows. */
const linesMax = 200;

export interface ReportsInMaking {
  takePlace: TakePlace;
  begun: BegunWork<FirstRows>;
}

/** A report before it is a file: what it was asked, what it adds up to, and its first rows. */
export async function showReport(
  web: Web,
  c: WebContext,
  visitor: Visitor,
  making: ReportsInMaking,
): Promise<Response> {
  const report = wantedReport(c.req.param("id") ?? "");
  requireReport(visitor.caller, report);
  const { zone } = visitor.preferences;
  const now = web.api.deps.now();
  const asked = readAsked(report, new URL(c.req.url).searchParams, now, zone);
  const isFetched = c.req.header("hx-request") === "true";
  // A form that was refused is shown once, and stands below the totals: it cannot follow later.
  const waitMs = patienceOf(c).isLong || visitor.refused !== null ? undefined : shortWaitMs;
  const [choices, found] = await Promise.all([
    choicesFor(web, visitor),
    readUnlessRefused(web, c, visitor, { report, asked, making, waitMs }),
  ]);
  // What is fetched for a screen takes its place there: a refusal is shown like any other answer.
  if (found !== null && "refused" in found && !isFetched) c.status(found.refused.status);
  const whole = new URLSearchParams(asked.address);
  whole.set("wait", "true");
  return show(web, c, visitor, {
    title: report.title,
    under: "/reports",
    children: (
      <>
        <TitleRow title={report.title}>
          <a href="/reports">All reports</a>
        </TitleRow>
        <p>
          {report.purpose} {report.grain}
        </p>
        {parametersOf(report).includes("from") && (
          <Periods report={report} asked={asked} periods={namedPeriods(now, zone)} />
        )}
        <ReportForm report={report} asked={asked} choices={choices} />
        <Follows
          id="report-part"
          from={found === null ? `/reports/${reportId(report)}?${whole.toString()}` : null}
        >
          {found === null ? (
            <div data-until-fetched>
              <Empty title="The report is being prepared">
                Its rows appear here as soon as they are ready.
              </Empty>
            </div>
          ) : "refused" in found ? (
            <Refusal problem={found.refused} report={report} asked={asked} />
          ) : (
            <Shown found={found} asked={asked} visitor={visitor} />
          )}
        </Follows>
      </>
    ),
  });
}

export function wantedReport(name: string): Report {
  const report = findReport(name);
  if (report === null) throw problem("not_found", "There is no such report. Choose one on the page Reports.");
  return report;
}

/** What the person can mend is shown beside the form, with everything that was filled in. `null`: it is still being made. */
async function readUnlessRefused(
  web: Web,
  c: WebContext,
  visitor: Visitor,
  {
    report,
    asked,
    making,
    waitMs,
  }: { report: Report; asked: Asked; making: ReportsInMaking; waitMs: number | undefined },
): Promise<FirstRows | { refused: Problem } | null> {
  const given = Object.fromEntries(
    [...new Set(asked.parameters.keys())].map((name) => [name, asked.parameters.getAll(name)]),
  );
  const access = accessOf(visitor.caller);
  const database = web.deps.reportDatabase ?? web.api.deps.database;
  try {
    const request = parseRequest(report, "csv", given);
    return await making.begun.await({
      key: JSON.stringify([visitor.caller.actor, access, reportId(report), given]),
      gone: untilGone(c),
      waitMs,
      begin: async (signal) => {
        const end = await making.takePlace(visitor.caller, signal);
        return readFirstRows(database, request, access, { linesMax, signal }).finally(end);
      },
    });
  } catch (error) {
    const told = asProblem(error, "query");
    if (told instanceof ProblemError && [400, 409].includes(told.problem.status)) {
      return { refused: told.problem };
    }
    throw told;
  }
}

function Refusal({ problem: told, report, asked }: { problem: Problem; report: Report; asked: Asked }) {
  const anyway = new URLSearchParams(asked.address);
  anyway.set("partial", "true");
  return (
    <div class="form-error" role="alert">
      <p>{told.detail}</p>
      {told.code === "period_not_covered" && (
        <p>
          The gaps are on <a href="/sync">Sync</a>.{" "}
          <a href={`/reports/${reportId(report)}?${anyway.toString()}`}>Show what has been read</a>: the
          report then says that it is partial.
        </p>
      )}
    </div>
  );
}

function Shown({ found, asked, visitor }: { found: FirstRows; asked: Asked; visitor: Visitor }) {
  const { report, totals, rows } = found;
  const { zone, columns } = report.request;
  const more = totals.rows - rows.length;
  return (
    <>
      {report.coverage.complete === false && (
        <p class="warning">
          The period has not been read completely: figures may be missing. See <a href="/sync">Sync</a>.
        </p>
      )}
      {(report.moment?.notes ?? []).map((note) => (
        <p class="warning">{note}.</p>
      ))}
      <Panel
        title={counted(totals.rows, "row")}
        id="totals"
        aside={<Moment report={report} zone={zone.name} />}
      >
        <SumsTable sums={totals.sums} by={report.request.report.totalsBy} />
        <Downloads report={report.request.report} asked={asked} totals={totals} visitor={visitor} />
      </Panel>
      {rows.length === 0 ? (
        <Empty title="No rows">Choose another period, or remove a filter.</Empty>
      ) : (
        <>
          <RowsTable columns={columns} rows={rows} zone={zone.name} />
          {more > 0 && (
            <p class="pager">
              The first {counted(rows.length, "row")}; {formatCount(more)} more are in the files above.
            </p>
          )}
        </>
      )}
    </>
  );
}

/** Of which moment all of it is. */
function Moment({ report, zone }: { report: FirstRows["report"]; zone: string }) {
  const { moment, accounts } = report;
  return (
    <span class="muted">
      Of{" "}
      {accounts.map((name, at) => (
        <>
          {at > 0 && ", "}
          <Given text={name} />
        </>
      ))}
      {moment !== null && (
        <>
          {" "}
          as at <Time at={moment.asAt} zone={zone} />, known at <Time at={moment.knownAt} zone={zone} />
          {moment.priors.map(({ account, month, knownAt }) => (
            <>
              {month === null ? ", before it" : `, following the close of ${month}`}
              {accounts.length > 1 && (
                <>
                  {" of "}
                  <Given text={account} />
                </>
              )}{" "}
              as known at <Time at={knownAt} zone={zone} />
            </>
          ))}
        </>
      )}
      {moment === null && (
        <>
          {" "}
          as of <Time at={report.asOf} zone={zone} />
        </>
      )}
    </span>
  );
}
