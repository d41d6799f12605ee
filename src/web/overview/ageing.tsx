import { ageBuckets, type AgeingRow } from "../../store/books/discrepancy-reads.ts";
import { Empty, NothingCompared, Panel } from "../parts/blocks.tsx";
import { ListTable } from "../parts/list-table.tsx";
import { Count, Money, Nothing } from "../parts/show.tsx";
import type { OverviewReconciliation } from "./figures.ts";

export function AgeingPanel({ reconciliation }: { reconciliation: OverviewReconciliation }) {
  return (
    <Panel title="Age of open discrepancies" id="ageing" aside={<a href="/discrepancies">Work queue</a>}>
      <AgeingTable rows={reconciliation.ageing} compared={reconciliation.compared} />
    </Panel>
  );
}

function AgeingTable({ rows, compared }: { rows: readonly AgeingRow[]; compared: boolean }) {
  if (rows.length === 0 && !compared) return <NothingCompared />;
  if (rows.length === 0) {
    return <Empty title="No open discrepancies">Everything that could be compared agrees.</Empty>;
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
