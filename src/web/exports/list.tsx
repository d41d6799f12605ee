import { askApi } from "../ask-api.ts";
import type { Visitor, Web, WebContext } from "../deps.ts";
import { show } from "../layout.tsx";
import { Empty, Pager, Panel } from "../parts/blocks.tsx";
import { ListTable } from "../parts/list-table.tsx";
import { Count, Given, Nothing, Time } from "../parts/show.tsx";
import { withoutEmpty } from "../address.ts";
import { ReportsHead } from "../reports/list.tsx";
import type { Export, ExportList } from "./export.ts";
import { ExportChip } from "./one.tsx";

/** The exports that were made of reports. */
export async function showExports(web: Web, c: WebContext, visitor: Visitor): Promise<Response> {
  const address = withoutEmpty(new URL(c.req.url).searchParams);
  const query = new URLSearchParams({ limit: "25" });
  const cursor = address.get("cursor");
  if (cursor !== null) query.set("cursor", cursor);
  const exports = await askApi<ExportList>(web, c, visitor, "/v1/exports", { query });
  return show(web, c, visitor, {
    title: "Exports",
    under: "/reports",
    children: (
      <>
        <ReportsHead at="/exports" visitor={visitor} />
        <Panel title="History" id="history">
          {exports.data.length === 0 ? (
            <Empty title="No exports yet">
              Choose a report on <a href="/reports">All reports</a>, and save it as an export.
            </Empty>
          ) : (
            <History rows={exports.data} zone={visitor.preferences.zone} />
          )}
          <Pager
            path="/exports"
            query={address}
            nextCursor={exports.next_cursor}
            shown={`${exports.data.length} shown, newest first`}
          />
        </Panel>
      </>
    ),
  });
}

function History({ rows, zone }: { rows: readonly Export[]; zone: string }) {
  return (
    <ListTable
      label="Exports"
      caption={`Exports, newest first. Times in ${zone}.`}
      rows={rows}
      data-rows
      columns={[
        {
          title: "Asked for",
          rowName: (row) => (
            <a href={`/exports/${row.id}`}>
              <Time at={row.created_at} zone={zone} />
            </a>
          ),
        },
        {
          title: "Report",
          show: (row) => (
            <>
              <Given text={row.report} /> <small>{row.format}</small>
            </>
          ),
        },
        { title: "State", show: (row) => <ExportChip state={row.state} /> },
        { title: "Period", show: periodOf },
        {
          title: "Rows",
          figures: (row) => (row.row_count === null ? <Nothing /> : <Count of={row.row_count} />),
        },
        {
          title: "SHA-256",
          cellClass: "mono",
          show: (row) => (row.sha256 === null ? <Nothing /> : `${row.sha256.slice(0, 16)}…`),
        },
      ]}
    />
  );
}

function periodOf({ parameters }: Export): string {
  const of = (name: string) => parameters[name]?.[0];
  return `${of("from") ?? "start"} up to ${of("to") ?? "now"}, ${of("tz") ?? "UTC"}`;
}
