import { auditPaging, type AuditRow, listActors, listAudit } from "../../store/people/audit-log.ts";
import { addPage } from "../add-page.tsx";
import { chosenIn, filtersIn, withoutEmpty } from "../address.ts";
import type { Web } from "../deps.ts";
import { show } from "../layout.tsx";
import { listPage } from "../list-page.ts";
import { Choice, Empty, Pager } from "../parts/blocks.tsx";
import { FilterForm } from "../parts/filter-form.tsx";
import { ListTable } from "../parts/list-table.tsx";
import { Given, Nothing, Time } from "../parts/show.tsx";
import { SettingsHead } from "./tabs.tsx";

const rowsPerPage = 50;

/** Who did what, newest first. It belongs to no account, and is shown to those alone who may see all of them. */
export function addAudit(web: Web): void {
  addPage(
    web,
    "/settings/audit",
    ["audit:read"],
    async (c, visitor) => {
      const address = withoutEmpty(new URL(c.req.url).searchParams);
      const chosen = chosenIn(address);
      const filters = filtersIn(address, "actor", "action", "subject");
      const wanted = { path: "/settings/audit", address, limit: rowsPerPage };
      const [{ rows, pager }, actors] = await Promise.all([
        listPage(wanted, auditPaging, (page) => listAudit(visitor.reader.database, filters, page)),
        listActors(visitor.reader.database),
      ]);
      const names = new Map(actors.map(({ actor, name }) => [actor, name]));
      return show(web, c, visitor, {
        title: "Audit trail",
        under: "/settings",
        children: (
          <>
            <SettingsHead visitor={visitor} at="/settings/audit" />
            <FilterForm path="/settings/audit" clear>
              <Choice
                name="actor"
                label="Who"
                options={[...names.keys()]}
                chosen={chosen("actor")}
                words={(actor) => names.get(actor) ?? actor}
              />
              {(["action", "subject"] as const).map((name) => (
                <label>
                  <span>{words[name]}</span>
                  <input type="text" name={name} value={chosen(name)} maxlength={100} />
                </label>
              ))}
            </FilterForm>
            {rows.length === 0 ? (
              <Empty title="No entries match these filters">
                <a href="/settings/audit">Show all entries</a>
              </Empty>
            ) : (
              <Entries rows={rows} zone={visitor.preferences.zone} />
            )}
            <Pager {...pager} shown={`${rows.length} shown, newest first`} />
          </>
        ),
      });
    },
    { wholeService: true },
  );
}

const words = { action: "Action", subject: "Subject" } as const;

function Entries({ rows, zone }: { rows: readonly AuditRow[]; zone: string }) {
  return (
    <ListTable
      label="Audit trail"
      caption={`Each entry is chained to the one before it by its hash. Times in ${zone}.`}
      rows={rows}
      data-rows
      columns={[
        { title: "No.", rowName: (row) => String(row.number) },
        { title: "When", show: (row) => <Time at={row.at} zone={zone} /> },
        { title: "Who", show: (row) => <Given text={row.actorName} /> },
        { title: "Action", show: (row) => <code>{row.action}</code> },
        { title: "Subject", show: (row) => <Given text={row.subject} mono /> },
        { title: "Reason", show: (row) => <Given text={row.reason} /> },
        { title: "Before and after", show: (row) => <Change row={row} /> },
      ]}
    />
  );
}

function Change({ row }: { row: AuditRow }) {
  if (row.before === null && row.after === null) return <Nothing />;
  return (
    <details>
      <summary>show</summary>
      <pre tabindex={0}>
        <code>
          {row.before ?? "nothing"} → {row.after ?? "nothing"}
        </code>
      </pre>
    </details>
  );
}
