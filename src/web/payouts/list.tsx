import {
  listPayouts,
  type PayoutRow,
  type PayoutSort,
  payoutSorts,
  payoutStates,
  type PayoutTotal,
  totalPayouts,
} from "../../store/books/payout-reads.ts";
import { counted } from "../../core/counted.ts";
import type { Visitor, Web, WebContext } from "../deps.ts";
import { choicesFor } from "../fresh-totals.ts";
import { show } from "../layout.tsx";
import { listPage } from "../list-page.ts";
import { Choice, Empty, Pager, TitleRow } from "../parts/blocks.tsx";
import { FilterForm } from "../parts/filter-form.tsx";
import { ListTable } from "../parts/list-table.tsx";
import { PayoutChip } from "../parts/payout.tsx";
import { Count, Currency, Day, Given, GivenLink } from "../parts/show.tsx";
import { sortingBy } from "../parts/sorting.ts";
import { chosenIn, filtersIn, withoutEmpty } from "../address.ts";
import { ArrivedChip, arrivalWords, isAmiss } from "./arrived.tsx";

const rowsPerPage = 50;
const statuses = ["tied", "not_tied", "undeclared"];

/** Payouts as providers declare them, beside what their lines add up to. */
export async function showPayouts(web: Web, c: WebContext, visitor: Visitor): Promise<Response> {
  const address = withoutEmpty(new URL(c.req.url).searchParams);
  const chosen = chosenIn(address);
  const filters = filtersIn(address, "account", "provider", "status", "state");
  const sort =
    (Object.keys(payoutSorts) as PayoutSort[]).find((name) => name === address.get("sort")) ?? "-id";
  const [{ rows, pager }, choices, totals] = await Promise.all([
    listPage({ path: "/payouts", address, limit: rowsPerPage, sort }, payoutSorts[sort], (page) =>
      listPayouts(visitor.reader, filters, page, sort),
    ),
    choicesFor(web, visitor),
    totalPayouts(visitor.reader, filters),
  ]);
  const now = web.api.deps.now();
  return show(web, c, visitor, {
    title: "Payouts",
    under: "/payouts",
    children: (
      <>
        <TitleRow title="Payouts" />
        <FilterForm path="/payouts" clear>
          {address.has("sort") && <input type="hidden" name="sort" value={sort} />}
          <Choice name="account" label="Account" options={choices.accounts} chosen={chosen("account")} />
          <Choice name="provider" label="Provider" options={choices.providers} chosen={chosen("provider")} />
          <Choice
            name="status"
            label="Lines"
            options={statuses}
            chosen={chosen("status")}
            words={(status) => stateWords[status] ?? status}
          />
          <Choice
            name="state"
            label="Arrival"
            options={payoutStates}
            chosen={chosen("state")}
            words={arrivalWords}
          />
        </FilterForm>
        {rows.length === 0 ? (
          <Empty title="No payouts yet">
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
            <Totals totals={totals} address={address} />
            <PayoutTable rows={rows} zone={visitor.preferences.zone} now={now} at={{ address, sort }} />
            <Pager {...pager} shown={`${rows.length} shown`} />
          </>
        )}
      </>
    ),
  });
}

const stateWords: Record<string, string> = {
  tied: "ties",
  not_tied: "does not tie",
  undeclared: "not declared yet",
};

/** What all payouts of the filter come to: one row a currency, nothing added across. Closed, because there may be more of them than payouts. */
function Totals({ totals, address }: { totals: readonly PayoutTotal[]; address: URLSearchParams }) {
  const query = new URLSearchParams(address);
  query.delete("cursor");
  query.set("status", "not_tied");
  const untied = `/payouts?${query.toString()}`;
  return (
    <details class="sums">
      <summary>Sums of {counted(totals.length, "currency", "currencies")}</summary>
      <ListTable
        label="Sums by currency"
        caption="All payouts that match the filter. Expected: declared, with a date in the future."
        class="keep"
        rows={totals}
        columns={[
          { title: "Currency", rowName: ({ currency }) => currency },
          { title: "Payouts", figures: ({ payouts }) => <Count of={payouts} /> },
          {
            title: "Lines add up to",
            money: ({ computed, currency }) => ({ amount: computed, currency, bare: true }),
          },
          {
            title: "Declared",
            money: ({ declared, currency }) => ({ amount: declared, currency, bare: true }),
          },
          {
            title: "of which expected",
            money: ({ expected, currency }) => ({ amount: expected, currency, bare: true }),
          },
          {
            title: "Declared less lines",
            money: ({ difference, currency }) => ({
              amount: difference,
              currency,
              bare: true,
              href: difference === "0" ? undefined : untied,
            }),
          },
        ]}
      />
    </details>
  );
}

interface PayoutTableProps {
  rows: readonly PayoutRow[];
  zone: string;
  now: number;
  at: { address: URLSearchParams; sort: string };
}

function PayoutTable({ rows, zone, now, at }: PayoutTableProps) {
  const place = { path: "/payouts", address: at.address, now: at.sort };
  return (
    <ListTable
      label="Payouts"
      caption={`Payouts: what providers declared, and what their lines add up to. Times in ${zone}.`}
      class="broad"
      rows={rows}
      data-rows
      columns={[
        {
          title: "Payout",
          rowName: (row) => <GivenLink href={`/payouts/${row.id}`} text={row.payoutRef} mono />,
        },
        { title: "Provider", show: (row) => <Given text={row.provider} /> },
        { title: "Account", show: (row) => <Given text={row.account} /> },
        {
          title: "Date",
          show: (row) => <Day at={row.payoutDate} zone={zone} />,
          ...sortingBy(place, "date"),
        },
        {
          title: "State",
          show: (row) => (
            <>
              <PayoutChip payout={row} now={now} />{" "}
              {isAmiss(row.arrived) && <ArrivedChip arrived={row.arrived} />}
            </>
          ),
        },
        { title: "Lines", figures: (row) => <Count of={row.lineCount} href={`/payouts/${row.id}#lines`} /> },
        { title: "Currency", show: (row) => <Currency word={row.currency} /> },
        {
          title: "Lines add up to",
          money: (row) => ({ amount: row.netComputed, currency: row.currency, bare: true }),
        },
        {
          title: "Declared",
          money: (row) => ({ amount: row.netDeclared, currency: row.currency, bare: true }),
        },
        {
          title: "Difference",
          money: (row) => ({
            amount: row.difference,
            currency: row.currency,
            bare: true,
            href: row.status === "not_tied" ? `/discrepancies?payout=${row.id}` : undefined,
          }),
          ...sortingBy(place, "difference"),
        },
        {
          title: "Arrived",
          money: ({ id, arrived, currency }) => ({
            amount: arrived.received,
            currency,
            bare: true,
            href: arrived.received === "0" ? undefined : `/payouts/${id}#arrived`,
          }),
        },
      ]}
    />
  );
}
