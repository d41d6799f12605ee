import { ageBuckets, type AgeingRow } from "../../store/books/discrepancy-reads.ts";
import { Empty, NothingCompared, Panel } from "../parts/blocks.tsx";
import { ListTable } from "../parts/list-table.tsx";
import { PayoutChip } from "../parts/payout.tsx";
import { Count, Day, Given, Money, Nothing, Time } from "../parts/show.tsx";
import type { OverviewReconciliation } from "./figures.ts";

export function ReconciliationPanels({
  reconciliation,
  zone,
  now,
}: {
  reconciliation: OverviewReconciliation;
  zone: string;
  now: number;
}) {
  return (
    <div class="columns-2">
      <Panel title="Age of open discrepancies" id="ageing" aside={<a href="/discrepancies">Work queue</a>}>
        <AgeingTable rows={reconciliation.ageing} compared={reconciliation.compared} />
      </Panel>
      <div>
        <Panel title="Latest statements" id="statements" aside={<a href="/statements">All</a>}>
          <Statements statements={reconciliation.statements} zone={zone} />
        </Panel>
        <Panel title="Latest payouts" id="payouts" aside={<a href="/payouts">All</a>}>
          <Payouts payouts={reconciliation.payouts} zone={zone} now={now} />
        </Panel>
      </div>
    </div>
  );
}

function AgeingTable({ rows, compared }: { rows: readonly AgeingRow[]; compared: boolean }) {
  if (rows.length === 0 && !compared) return <NothingCompared />;
  if (rows.length === 0) {
    return <Empty title="No discrepancy is open">Everything that could be compared agrees.</Empty>;
  }
  const buckets = ageBuckets.map(({ name, min, max }) => ({
    name,
    found: rows.filter(({ bucket }) => bucket === name),
    query: new URLSearchParams({ age_min: String(min), ...(max === null ? {} : { age_max: String(max) }) }),
  }));
  return (
    <ListTable
      label="Age of open discrepancies"
      caption="Open discrepancies by age in days, and their value by currency"
      rows={buckets}
      columns={[
        { title: "Days", rowName: ({ name }) => name.replace("-", "–") },
        {
          title: "Open",
          figures: ({ found, query }) => (
            <Count
              of={found.reduce((sum, row) => sum + row.discrepancies, 0)}
              href={`/discrepancies?${query.toString()}`}
            />
          ),
        },
        { title: "Value", figures: ({ found, query }) => <BucketValue found={found} query={query} /> },
      ]}
    />
  );
}

function Statements({
  statements,
  zone,
}: {
  statements: OverviewReconciliation["statements"];
  zone: string;
}) {
  if (statements.length === 0) {
    return (
      <Empty title="No statement has been imported">
        Drop the first file of a provider on <a href="/statements">Statements</a>.
      </Empty>
    );
  }
  return (
    <ListTable
      label="Latest statements"
      rows={statements}
      columns={[
        {
          title: "File",
          rowName: (statement) => (
            <a href={`/statements/${statement.id}`}>
              <Given text={statement.fileName} />
            </a>
          ),
        },
        { title: "Provider", show: (statement) => <Given text={statement.provider} /> },
        { title: "Imported", show: (statement) => <Time at={statement.importedAt} zone={zone} /> },
        {
          title: "Rejected",
          figures: (statement) => (
            <Count of={statement.rowsRejected} href={`/statements/${statement.id}#rejected`} />
          ),
        },
      ]}
    />
  );
}

function Payouts({
  payouts,
  zone,
  now,
}: {
  payouts: OverviewReconciliation["payouts"];
  zone: string;
  now: number;
}) {
  if (payouts.length === 0) {
    return <Empty title="No payout is known">Payouts appear with the statements that declare them.</Empty>;
  }
  return (
    <ListTable
      label="Latest payouts"
      rows={payouts}
      columns={[
        {
          title: "Payout",
          rowName: (payout) => (
            <>
              <a href={`/payouts/${payout.id}`}>
                <Given text={payout.payoutRef} />
              </a>{" "}
              <small>
                <Given text={payout.provider} />
              </small>
            </>
          ),
        },
        { title: "Date", show: (payout) => <Day at={payout.payoutDate} zone={zone} /> },
        {
          title: "Declared",
          figures: (payout) => (
            <a href={`/payouts/${payout.id}`}>
              <Money amount={payout.netDeclared} currency={payout.currency} />
            </a>
          ),
        },
        { title: "State", show: (payout) => <PayoutChip payout={payout} now={now} /> },
      ]}
    />
  );
}

const currenciesShown = 3;

/** The currencies with most in the bucket; the rest behind a link, because all of them would bury the other buckets. */
function BucketValue({ found, query }: { found: readonly AgeingRow[]; query: URLSearchParams }) {
  const worth = found
    .filter(({ value, currency }) => value !== null && currency !== null)
    .toSorted((a, b) => b.discrepancies - a.discrepancies);
  if (worth.length === 0) return <Nothing />;
  const more = worth.length - currenciesShown;
  return (
    <>
      {worth.slice(0, currenciesShown).map(({ value, currency }) => (
        <a class="line" href={`/discrepancies?${withCurrency(query, currency)}`}>
          <Money amount={value} currency={currency} />
        </a>
      ))}
      {more > 0 && (
        <a class="line more" href={`/discrepancies?${query.toString()}`}>
          {more === 1 ? "and 1 more currency" : `and ${more} more currencies`}
        </a>
      )}
    </>
  );
}

function withCurrency(query: URLSearchParams, currency: string | null): string {
  const narrowed = new URLSearchParams(query);
  if (currency !== null) {
    narrowed.set("value_min", "0");
    narrowed.set("currency", currency);
  }
  return narrowed.toString();
}
