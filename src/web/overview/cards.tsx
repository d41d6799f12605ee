import { counted } from "../../core/counted.ts";
import { formatCount, formatShare } from "../format.ts";
import { Card } from "../parts/blocks.tsx";
import { Money, Nothing } from "../parts/show.tsx";
import type { Overview, OverviewReconciliation } from "./figures.ts";
import { hasGaps, isBroken, isStale } from "./accounts.tsx";
import { listLink, sumOf } from "./links.ts";

export function Cards({ overview }: { overview: Overview }) {
  const transactions = sumOf(overview, "transactions");
  const completed = sumOf(overview, "completed");
  const { accounts, reconciliation, days } = overview;
  const { tone, note, figure } = accountsCard(accounts);
  return (
    <section class="cards" aria-label="Key figures">
      <Card title="Accounts" href="/sync" tone={tone} note={note}>
        {figure}
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

function accountsCard(accounts: Overview["accounts"]) {
  const broken = accounts.filter(isBroken).length;
  const stale = accounts.filter(isStale).length;
  const all = accounts.length;
  if (all === 0) return { tone: "plain", note: "none is configured yet", figure: "0" } as const;
  if (broken > 0)
    return {
      tone: "bad",
      note: "key refused or no answer: see Sync",
      figure: `${broken} of ${all} not read`,
    } as const;
  if (stale > 0)
    return {
      tone: "warn",
      note: "read late or paused: see Sync",
      figure: `${stale} of ${all} stale`,
    } as const;
  const withGaps = accounts.filter(hasGaps).length;
  if (withGaps > 0)
    return {
      tone: "warn",
      note: "older time is not read yet: figures are too low",
      figure: `${withGaps} of ${all} with gaps`,
    } as const;
  return { tone: "good", note: "all read up to date", figure: String(all) } as const;
}

interface ReconciliationCardsProps {
  reconciliation: OverviewReconciliation;
  completed: number;
  days: Overview["days"];
}

function ReconciliationCards({ reconciliation, completed, days }: ReconciliationCardsProps) {
  const { classes, atRisk, compared } = reconciliation;
  const matched = classes
    .filter((row) => row.class === "matched")
    .reduce((sum, row) => sum + row.transactions, 0);
  const [first, ...others] = atRisk;
  // Nothing was compared, so there is no share to show.
  const isUnknown = first === undefined && !compared;
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
        title="Owed to us, at risk"
        href="/reports/open-errors.v1"
        tone={first !== undefined ? "warn" : compared ? "good" : "plain"}
        note={isUnknown ? "nothing has been compared yet" : noteOf(others.length)}
      >
        {first !== undefined && <Money amount={first.value} currency={first.currency} rounded />}
        {first === undefined && (isUnknown ? <Nothing /> : "none")}
      </Card>
    </>
  );
}

function noteOf(more: number): string {
  if (more === 0) return "our share of all open errors";
  return `our share of all open errors; ${counted(more, "more currency", "more currencies")} in the list`;
}
