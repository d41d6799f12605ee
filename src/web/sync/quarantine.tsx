import { listQuarantine, quarantinePaging, type QuarantineRow } from "../../store/windows/sync-reads.ts";
import { may, type Visitor, type Web, type WebContext } from "../deps.ts";
import { choicesFor } from "../fresh-totals.ts";
import { show } from "../layout.tsx";
import { listPage } from "../list-page.ts";
import { Choice, Empty, Pager, TitleRow } from "../parts/blocks.tsx";
import { FilterForm } from "../parts/filter-form.tsx";
import { ListTable } from "../parts/list-table.tsx";
import { Given, Time } from "../parts/show.tsx";
import { chosenIn, filtersIn, withoutEmpty } from "../address.ts";

const rowsPerPage = 25;

/** Records that could not be understood: each with its reason, and as it was received. */
export async function showQuarantine(web: Web, c: WebContext, visitor: Visitor): Promise<Response> {
  const address = withoutEmpty(new URL(c.req.url).searchParams);
  const chosen = chosenIn(address);
  const filters = filtersIn(address, "account", "reason");
  const [{ rows, pager }, choices] = await Promise.all([
    listPage({ path: "/sync/quarantine", address, limit: rowsPerPage }, quarantinePaging, (page) =>
      listQuarantine(visitor.reader, filters, page),
    ),
    choicesFor(web, visitor),
  ]);
  const { zone } = visitor.preferences;
  return show(web, c, visitor, {
    title: "Quarantine",
    under: "/sync",
    children: (
      <>
        <TitleRow title="Quarantine">
          <a href="/sync">Back to Sync</a>
        </TitleRow>
        <p>
          Records of the aggregator that could not be understood. They are in no total and in no report; the
          rest of their page was read. Send the record to the aggregator, and read it again with{" "}
          <code>tieout verify --deep</code>.
        </p>
        <FilterForm path="/sync/quarantine">
          <Choice name="account" label="Account" options={choices.accounts} chosen={chosen("account")} />
          <label>
            <span>Reason</span>
            <input type="text" name="reason" value={chosen("reason")} placeholder="amount_not_a_decimal" />
          </label>
        </FilterForm>
        {rows.length === 0 ? (
          <Empty title="The quarantine is empty">Every record read so far could be understood.</Empty>
        ) : (
          <ListTable
            label="Quarantined records"
            caption={`Quarantined records, newest first. Times in ${zone}.`}
            rows={rows}
            data-rows
            columns={[
              { title: "First seen", show: (row) => <Time at={row.firstSeenAt} zone={zone} /> },
              { title: "Account", show: (row) => <Given text={row.account} /> },
              { title: "Reason", rowName: (row) => <Given text={row.reason} /> },
              { title: "Field", show: (row) => <Given text={row.field} /> },
              { title: "Window", cellClass: "mono", show: (row) => `win_${row.windowId}` },
              {
                title: "Record as received",
                show: (row) =>
                  may(visitor, "wallets:read") ? (
                    <Received row={row} />
                  ) : (
                    <span class="muted">needs wallets:read</span>
                  ),
              },
            ]}
          />
        )}
        <Pager {...pager} shown={`${rows.length} shown`} />
      </>
    ),
  });
}

function Received({ row }: { row: QuarantineRow }) {
  return (
    <details>
      <summary>
        <span class="mono">{row.rawHash.toString("hex").slice(0, 12)}…</span>
      </summary>
      <pre tabindex={0} dir="ltr">
        <code>{row.raw}</code>
      </pre>
    </details>
  );
}
