import { listStatements, statementPaging, type StoredStatement } from "../../store/statements/statements.ts";
import { type FilterChoices, may, type Visitor, type Web, type WebContext } from "../deps.ts";
import { choicesFor } from "../fresh-totals.ts";
import { show } from "../layout.tsx";
import { listPage } from "../list-page.ts";
import { Choice, Empty, FormToken, Pager, Panel, TitleRow } from "../parts/blocks.tsx";
import { FilterForm } from "../parts/filter-form.tsx";
import { ListTable } from "../parts/list-table.tsx";
import { Chip, Count, Given, Period, Time } from "../parts/show.tsx";
import { chosenIn, filtersIn, withoutEmpty } from "../address.ts";

const rowsPerPage = 25;

/** Drop a file, see what it would do, take it; and everything that was taken before. */
export async function showStatements(web: Web, c: WebContext, visitor: Visitor): Promise<Response> {
  const address = withoutEmpty(new URL(c.req.url).searchParams);
  const chosen = chosenIn(address);
  const filters = filtersIn(address, "account", "provider", "state");
  const [{ rows, pager }, choices] = await Promise.all([
    listPage({ path: "/statements", address, limit: rowsPerPage }, statementPaging, (page) =>
      listStatements(visitor.reader, filters, page),
    ),
    choicesFor(web, visitor),
  ]);
  const actions = may(visitor, "statements:write") ? web.deps.statements : undefined;
  const profiles = (await actions?.profiles(visitor.reader.accountIds)) ?? [];
  return show(web, c, visitor, {
    title: "Statements",
    under: "/statements",
    children: (
      <>
        <TitleRow title="Statements" />
        {actions !== undefined && <Upload profiles={profiles} choices={choices} visitor={visitor} />}
        <Panel title="Imported" id="imported">
          <FilterForm path="/statements">
            <Choice
              name="provider"
              label="Provider"
              options={choices.providers}
              chosen={chosen("provider")}
            />
            <Choice name="state" label="State" options={["imported", "withdrawn"]} chosen={chosen("state")} />
          </FilterForm>
          {rows.length === 0 ? (
            <Empty title="No statement is here yet">
              {actions === undefined
                ? "Statements are imported by keys with statements:write."
                : "Drop the first file above: nothing is written before you have seen what it would do."}
            </Empty>
          ) : (
            <StatementTable rows={rows} zone={visitor.preferences.zone} />
          )}
          <Pager {...pager} shown={`${rows.length} shown, newest first`} />
        </Panel>
      </>
    ),
  });
}

/**
 * One form with two buttons: the preview is put below it, and so the file stays chosen for the import. Without a script
 * the preview is a page of its own, and the file has to be chosen once more.
 */
function Upload({
  profiles,
  choices,
  visitor,
}: {
  profiles: readonly string[];
  choices: FilterChoices;
  visitor: Visitor;
}) {
  const [onlyAccount = ""] = choices.accounts.length === 1 ? choices.accounts : [];
  return (
    <Panel title="Take a statement in" id="upload">
      <form id="statement-form" method="post" action="/statements/preview" enctype="multipart/form-data">
        <FormToken csrf={visitor.csrf} />
        <div class="drop" data-drop>
          <label>
            <span>Provider’s file, as it came: drop it here, or choose it (CSV, up to 50 MB)</span>
            <input type="file" name="file" required accept=".csv,.txt,.tsv,.xlsx,text/csv,text/plain" />
          </label>
          <output data-chosen></output>
        </div>
        <div class="filter-row">
          <Choice
            name="account"
            label="Account"
            any="Choose …"
            options={choices.accounts}
            chosen={onlyAccount}
          />
          <Choice
            name="profile"
            label="Profile"
            any="by the header of the file"
            options={profiles}
            chosen=""
          />
          <label>
            <span>Provider</span>
            <input type="text" name="provider" placeholder="by the profile" maxlength={60} />
          </label>
          <label>
            <span>Corrects no.</span>
            <input type="text" name="replaces" inputmode="numeric" placeholder="none" maxlength={15} />
          </label>
          <button
            type="submit"
            hx-post="/statements/preview"
            hx-encoding="multipart/form-data"
            hx-validate="true"
            hx-target="#preview"
            hx-select="#preview"
            hx-swap="outerHTML"
            hx-indicator="#reading"
          >
            Preview
          </button>
          <span id="reading" class="htmx-indicator" role="status">
            Reading …
          </span>
        </div>
      </form>
      <div id="preview" aria-live="polite"></div>
    </Panel>
  );
}

function StatementTable({ rows, zone }: { rows: readonly StoredStatement[]; zone: string }) {
  return (
    <ListTable
      label="Statements"
      caption={`Statements that were taken in, newest first. Times in ${zone}.`}
      rows={rows}
      data-rows
      columns={[
        {
          title: "File",
          rowName: (row) => (
            <a href={`/statements/${row.id}`}>
              <Given text={row.fileName} />
            </a>
          ),
        },
        { title: "Provider", show: (row) => <Given text={row.provider} /> },
        { title: "Account", show: (row) => <Given text={row.account} /> },
        { title: "Period", show: (row) => <Period from={row.periodFrom} to={row.periodTo} zone={zone} /> },
        {
          title: "State",
          show: (row) => <Chip tone={row.state === "imported" ? "good" : "plain"}>{row.state}</Chip>,
        },
        { title: "Rows", figures: (row) => <Count of={row.rowsRead} /> },
        { title: "Taken", figures: (row) => <Count of={row.rowsAccepted} /> },
        { title: "Known before", figures: (row) => <Count of={row.rowsDuplicate} /> },
        { title: "Rejected", figures: (row) => <Count of={row.rowsRejected} /> },
        { title: "Imported", show: (row) => <Time at={row.importedAt} zone={zone} /> },
      ]}
    />
  );
}
