import { reports } from "../../report/catalogue.ts";
import { type Report, reportId } from "../../report/report.ts";
import { isReadable } from "../../api/reports/access.ts";
import { may, type Visitor, type Web, type WebContext } from "../deps.ts";
import { show } from "../layout.tsx";
import { Panel, TitleRow } from "../parts/blocks.tsx";
import { Tabs } from "../parts/tabs.tsx";

/** Every report that the visitor may read, by what it is about. */
export async function showReports(web: Web, c: WebContext, visitor: Visitor): Promise<Response> {
  const readable = reports.filter((report) => isReadable(visitor.caller, report));
  const groups = subjects.map((subject) => ({ ...subject, found: readable.filter(subject.holds) }));
  return show(web, c, visitor, {
    title: "Reports",
    under: "/reports",
    children: (
      <>
        <ReportsHead at="/reports" visitor={visitor} />
        {groups
          .filter(({ found }) => found.length > 0)
          .map(({ title, id, found }) => (
            <Panel title={title} id={id}>
              <ul class="report-list">
                {found.map((report) => (
                  <li>
                    <a href={`/reports/${reportId(report)}`}>{report.title}</a>
                    <span>
                      {report.purpose} {report.grain}
                    </span>
                  </li>
                ))}
              </ul>
            </Panel>
          ))}
      </>
    ),
  });
}

const subjects: { title: string; id: string; holds: (report: Report) => boolean }[] = [
  {
    title: "Money and reconciliation",
    id: "books",
    holds: ({ needs }) => needs?.scope === "reconcile:read",
  },
  { title: "Transactions", id: "transactions", holds: ({ needs }) => needs === undefined },
  {
    title: "The service",
    id: "service",
    holds: ({ needs }) => needs !== undefined && needs.scope !== "reconcile:read",
  },
];

/** Reports and the files that were made of them are one place, with a tab for each. */
export function ReportsHead({ at, visitor }: { at: "/reports" | "/exports"; visitor: Visitor }) {
  const tabs = [
    { title: "All reports", href: "/reports" },
    ...(may(visitor, "exports:write") ? [{ title: "Exports made", href: "/exports" }] : []),
  ];
  return (
    <>
      <TitleRow title={at === "/reports" ? "Reports" : "Exports"} />
      <Tabs label="Reports" tabs={tabs.map((tab) => ({ ...tab, isCurrent: tab.href === at }))} />
    </>
  );
}
