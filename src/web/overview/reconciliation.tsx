import { ageBuckets, type AgeingRow } from "../../store/discrepancy-reads.ts";
import { Empty, Panel, TableFrame } from "../parts/blocks.tsx";
import { PayoutChip } from "../parts/payout.tsx";
import { Count, Day, Given, Money, Nothing, Time } from "../parts/show.tsx";
import type { OverviewReconciliation } from "./figures.ts";

export function ReconciliationPanels({
  reconciliation,
  zone,
}: {
  reconciliation: OverviewReconciliation;
  zone: string;
}) {
  return (
    <div class="columns-2">
      <Panel title="Age of open discrepancies" id="ageing" aside={<a href="/discrepancies">Work queue</a>}>
        <AgeingTable rows={reconciliation.ageing} />
      </Panel>
      <div>
        <Panel title="Latest statements" id="statements" aside={<a href="/statements">All</a>}>
          <Statements statements={reconciliation.statements} zone={zone} />
        </Panel>
        <Panel title="Latest payouts" id="payouts" aside={<a href="/payouts">All</a>}>
          <Payouts payouts={reconciliation.payouts} zone={zone} />
        </Panel>
      </div>
    </div>
  );
}

function AgeingTable({ rows }: { rows: readonly AgeingRow[] }) {
  if (rows.length === 0) {
    return <Empty title="No discrepancy is open">Everything that could be compared agrees.</Empty>;
  }
  return (
    <TableFrame label="Age of open discrepancies">
      <table class="list">
        <caption>Open discrepancies by age in days, and their value by currency</caption>
        <thead>
          <tr>
            <th scope="col">Days</th>
            <th scope="col" class="figures">
              Open
            </th>
            <th scope="col" class="figures">
              Value
            </th>
          </tr>
        </thead>
        <tbody>
          {ageBuckets.map(({ name, min, max }) => {
            const found = rows.filter(({ bucket }) => bucket === name);
            const count = found.reduce((sum, row) => sum + row.discrepancies, 0);
            const query = new URLSearchParams({
              age_min: String(min),
              ...(max === null ? {} : { age_max: String(max) }),
            });
            return (
              <tr>
                <th scope="row">{name.replace("-", "–")}</th>
                <td class="figures">
                  <Count of={count} href={`/discrepancies?${query.toString()}`} />
                </td>
                <td class="figures">
                  <BucketValue found={found} query={query} />
                </td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </TableFrame>
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
    <TableFrame label="Latest statements">
      <table class="list">
        <caption class="unseen">Latest statements</caption>
        <thead>
          <tr>
            <th scope="col">File</th>
            <th scope="col">Provider</th>
            <th scope="col">Imported</th>
            <th scope="col" class="figures">
              Rejected
            </th>
          </tr>
        </thead>
        <tbody>
          {statements.map((statement) => (
            <tr>
              <th scope="row">
                <a href={`/statements/${statement.id}`}>
                  <Given text={statement.file_name} />
                </a>
              </th>
              <td>
                <Given text={statement.provider} />
              </td>
              <td>
                <Time at={statement.imported_at} zone={zone} />
              </td>
              <td class="figures">
                <Count of={statement.rows_rejected} href={`/statements/${statement.id}#rejected`} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </TableFrame>
  );
}

function Payouts({ payouts, zone }: { payouts: OverviewReconciliation["payouts"]; zone: string }) {
  if (payouts.length === 0) {
    return <Empty title="No payout is known">Payouts appear with the statements that declare them.</Empty>;
  }
  return (
    <TableFrame label="Latest payouts">
      <table class="list">
        <caption class="unseen">Latest payouts</caption>
        <thead>
          <tr>
            <th scope="col">Payout</th>
            <th scope="col">Date</th>
            <th scope="col" class="figures">
              Declared
            </th>
            <th scope="col">State</th>
          </tr>
        </thead>
        <tbody>
          {payouts.map((payout) => (
            <tr>
              <th scope="row">
                <a href={`/payouts/${payout.id}`}>
                  <Given text={payout.payout_ref} />
                </a>{" "}
                <small>
                  <Given text={payout.provider} />
                </small>
              </th>
              <td>
                <Day at={payout.payout_date} zone={zone} />
              </td>
              <td class="figures">
                <a href={`/payouts/${payout.id}`}>
                  <Money amount={payout.net_declared} currency={payout.currency} />
                </a>
              </td>
              <td>
                <PayoutChip status={payout.status} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </TableFrame>
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
