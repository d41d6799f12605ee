import {
  findStatement,
  listStatements,
  statementPaging,
  type StoredStatement,
} from "../../store/statements/statements.ts";
import { may, type Visitor, type Web, type WebContext } from "../deps.ts";
import { choicesFor } from "../fresh-totals.ts";
import { show } from "../layout.tsx";
import { listPage } from "../list-page.ts";
import { Choice, Empty, Pager, Panel, TitleRow } from "../parts/blocks.tsx";
import { FilterForm } from "../parts/filter-form.tsx";
import { ListTable } from "../parts/list-table.tsx";
import { Chip, Count, Given, GivenLink, Period, Time } from "../parts/show.tsx";
import { chosenIn, filtersIn, withoutEmpty } from "../address.ts";
import { UploadForm } from "./upload-form.tsx";

const rowsPerPage = 25;

/** Drop a file, see what it would do, import it; and everything that was imported before. */
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
  const replaced = await findReplaced(visitor, address.get("replaces"));
  const actions = may(visitor, "statements:write") ? web.deps.statements : undefined;
  const profiles = (await actions?.profiles(visitor.reader.accountIds)) ?? [];
  return show(web, c, visitor, {
    title: "Statements",
    under: "/statements",
    children: (
      <>
        <TitleRow title="Statements" />
        {actions !== undefined && (
          <Panel title="Import statement" id="upload">
            {replaced !== null && (
              <p>
                Choose the corrected file. It replaces statement {replaced.id},{" "}
                <GivenLink href={`/statements/${replaced.id}`} text={replaced.fileName} />.
              </p>
            )}
            <UploadForm
              profiles={profiles}
              choices={choices}
              visitor={visitor}
              {...(replaced === null ? {} : { sent: filledFor(replaced) })}
            />
            <div id="preview" aria-live="polite"></div>
          </Panel>
        )}
        <Panel title="Imported" id="imported">
          <FilterForm path="/statements">
            {address.has("account") && <input type="hidden" name="account" value={chosen("account")} />}
            <Choice
              name="provider"
              label="Provider"
              options={choices.providers}
              chosen={chosen("provider")}
            />
            <Choice name="state" label="State" options={["imported", "withdrawn"]} chosen={chosen("state")} />
          </FilterForm>
          {rows.length === 0 ? (
            <Empty title="No statements yet">
              {actions === undefined
                ? "Statements are imported by keys with statements:write."
                : "Drop the first file above: nothing is saved until you have seen what it would do."}
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

/** The statement that a link from its own screen asks to correct, if it can be replaced. */
async function findReplaced({ reader }: Visitor, number: string | null): Promise<StoredStatement | null> {
  if (number === null || !/^\d{1,15}$/.test(number)) return null;
  const found = await findStatement(reader.database, Number(number), reader.accountIds);
  return found?.state === "imported" ? found : null;
}

function filledFor({ id, account, provider }: StoredStatement): (name: string) => string {
  const fields: Record<string, string> = { account, provider, replaces: String(id) };
  return (name) => fields[name] ?? "";
}

function StatementTable({ rows, zone }: { rows: readonly StoredStatement[]; zone: string }) {
  return (
    <ListTable
      label="Statements"
      caption={`Imported statements, newest first. Times in ${zone}.`}
      rows={rows}
      data-rows
      columns={[
        { title: "File", rowName: (row) => <GivenLink href={`/statements/${row.id}`} text={row.fileName} /> },
        { title: "Number", figures: (row) => row.id },
        { title: "Provider", show: (row) => <Given text={row.provider} /> },
        { title: "Account", show: (row) => <Given text={row.account} /> },
        { title: "Period", show: (row) => <Period from={row.periodFrom} to={row.periodTo} zone={zone} /> },
        {
          title: "State",
          show: (row) => <Chip tone={row.state === "imported" ? "good" : "plain"}>{row.state}</Chip>,
        },
        { title: "Rows", figures: (row) => <Count of={row.rowsRead} /> },
        { title: "Accepted", figures: (row) => <Count of={row.rowsAccepted} /> },
        { title: "Known", figures: (row) => <Count of={row.rowsDuplicate} /> },
        { title: "Rejected", figures: (row) => <Count of={row.rowsRejected} /> },
        { title: "Imported", show: (row) => <Time at={row.importedAt} zone={zone} /> },
      ]}
    />
  );
}
