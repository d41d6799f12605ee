import { formatCount, formatShare } from "../format.ts";
import { Card } from "../parts/blocks.tsx";
import { Money } from "../parts/show.tsx";
import type { Overview, OverviewReconciliation } from "./figures.ts";
import { isStale } from "./accounts.tsx";
import { listLink, sumOf } from "./links.ts";

export function Cards({ overview }: { overview: Overview }) {
  const transactions = sumOf(overview, "transactions");
  const completed = sumOf(overview, "completed");
  const stale = overview.accounts.filter(isStale).length;
  const { reconciliation, days } = overview;
  return (
    <section class="cards" aria-label="Key figures">
      <Card
        title="Accounts"
        href="/sync"
        tone={stale > 0 ? "warn" : "good"}
        note={stale > 0 ? "read late or paused: see Sync" : "all read up to date"}
      >
        {stale > 0 ? `${stale} of ${overview.accounts.length} stale` : String(overview.accounts.length)}
      </Card>
      <Card
        title="Transactions"
        href={listLink(days, {})}
        note={`${formatCount(sumOf(overview, "open"))} still open`}
      >
        {formatCount(transactions)}
      </Card>
      <Card
        title="Completed"
        href={listLink(days, { status: "completed" })}
        note={`${formatCount(completed)} of ${formatCount(transactions)}`}
      >
        {formatShare(completed, transactions)}
      </Card>
      {reconciliation !== null && (
        <ReconciliationCards reconciliation={reconciliation} completed={completed} days={days} />
      )}
    </section>
  );
}

function ReconciliationCards({
  reconciliation,
  completed,
  days,
}: {
  reconciliation: OverviewReconciliation;
  completed: number;
  days: Overview["days"];
}) {
  const { classes, atRisk } = reconciliation;
  const matched = classes
    .filter((row) => row.class === "matched")
    .reduce((sum, row) => sum + row.transactions, 0);
  const open = atRisk.reduce((sum, row) => sum + row.discrepancies, 0);
  const [first, ...others] = atRisk.filter(({ value }) => value !== null && value !== "0");
  return (
    <>
      <Card
        title="Matched"
        href={listLink(days, { class: "matched" })}
        note={`${formatCount(matched)} of ${formatCount(completed)} completed`}
      >
        {formatShare(matched, completed)}
      </Card>
      <Card
        title="Open discrepancies"
        href="/discrepancies"
        tone={open > 0 ? "warn" : "good"}
        note={open > 0 ? "oldest first in the queue" : "everything that was compared agrees"}
      >
        {formatCount(open)}
      </Card>
      <Card
        title="Value at risk"
        href={
          first?.currency
            ? `/discrepancies?${new URLSearchParams({ value_min: "0", currency: first.currency }).toString()}`
            : "/discrepancies"
        }
        tone={first === undefined ? "good" : "warn"}
        note={noteOf(others.length)}
      >
        {first === undefined ? "none" : <Money amount={first.value} currency={first.currency} />}
      </Card>
    </>
  );
}

function noteOf(more: number): string {
  if (more === 0) return "of open discrepancies";
  return more === 1 ? "and one more currency, below" : `and ${more} more currencies, below`;
}
