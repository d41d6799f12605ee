import { listPayouts, payoutPaging, type PayoutRow } from "../../store/books/payout-reads.ts";
import type { Visitor, Web, WebContext } from "../deps.ts";
import { choicesFor } from "../fresh-totals.ts";
import { show } from "../layout.tsx";
import { listPage } from "../list-page.ts";
import { Choice, Empty, Pager, TitleRow } from "../parts/blocks.tsx";
import { FilterForm } from "../parts/filter-form.tsx";
import { ListTable } from "../parts/list-table.tsx";
import { PayoutChip } from "../parts/payout.tsx";
import { Count, Day, Given } from "../parts/show.tsx";
import { chosenIn, filtersIn, withoutEmpty } from "../address.ts";

const rowsPerPage = 50;
const statuses = ["tied", "not_tied", "undeclared"];

/** Payouts as providers declare them, beside what their lines add up to. */
export async function showPayouts(web: Web, c: WebContext, visitor: Visitor): Promise<Response> {
  const address = withoutEmpty(new URL(c.req.url).searchParams);
  const chosen = chosenIn(address);
  const filters = filtersIn(address, "account", "provider", "status");
  const [{ rows, pager }, choices] = await Promise.all([
    listPage({ path: "/payouts", address, limit: rowsPerPage }, payoutPaging, (page) =>
      listPayouts(visitor.reader, filters, page),
    ),
    choicesFor(web, visitor),
  ]);
  return show(web, c, visitor, {
    title: "Payouts",
    under: "/payouts",
    children: (
      <>
        <TitleRow title="Payouts" />
        <FilterForm path="/payouts">
          <Choice name="account" label="Account" options={choices.accounts} chosen={chosen("account")} />
          <Choice name="provider" label="Provider" options={choices.providers} chosen={chosen("provider")} />
          <Choice name="status" label="State" options={statuses} chosen={chosen("status")} />
        </FilterForm>
        {rows.length === 0 ? (
          <Empty title="No payout is known">
            {address.size > 0 ? (
              <a href="/payouts">Show all payouts</a>
            ) : (
              <>
                Payouts come with the statements that declare them: see <a href="/statements">Statements</a>.
              </>
            )}
          </Empty>
        ) : (
          <>
            <PayoutTable rows={rows} zone={visitor.preferences.zone} />
            <Pager {...pager} shown={`${rows.length} shown`} />
          </>
        )}
      </>
    ),
  });
}

function PayoutTable({ rows, zone }: { rows: readonly PayoutRow[]; zone: string }) {
  return (
    <ListTable
      label="Payouts"
      caption={`Payouts, the latest first: what providers declared, and what their lines add up to. Times in ${zone}.`}
      rows={rows}
      data-rows
      columns={[
        {
          title: "Payout",
          rowName: (row) => (
            <a href={`/payouts/${row.id}`}>
              <Given text={row.payoutRef} mono />
            </a>
          ),
        },
        { title: "Provider", show: (row) => <Given text={row.provider} /> },
        { title: "Account", show: (row) => <Given text={row.account} /> },
        { title: "Date", show: (row) => <Day at={row.payoutDate} zone={zone} /> },
        { title: "Lines", figures: (row) => <Count of={row.lineCount} /> },
        { title: "Computed", money: (row) => ({ amount: row.netComputed, currency: row.currency }) },
        { title: "Declared", money: (row) => ({ amount: row.netDeclared, currency: row.currency }) },
        { title: "Difference", money: (row) => ({ amount: row.difference, currency: row.currency }) },
        { title: "State", show: (row) => <PayoutChip status={row.status} /> },
      ]}
    />
  );
}
