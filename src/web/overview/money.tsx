import { counted } from "../../core/counted.ts";
import { isFiat } from "../../core/fiat.ts";
import type { ClassFigures, VolumeFigures } from "../../store/books/overview-reads.ts";
import { Panel } from "../parts/blocks.tsx";
import { type ListColumn, ListTable } from "../parts/list-table.tsx";
import { Count, Currency, Money, Nothing } from "../parts/show.tsx";
import type { Overview } from "./figures.ts";
import { listLink } from "./links.ts";

const classes = [
  { name: "matched", filter: "matched", title: "Matched" },
  { name: "pending", filter: "pending", title: "Pending" },
  { name: "discrepant", filter: "discrepant", title: "Discrepant" },
  { name: "excluded", filter: "excluded", title: "Excluded" },
] as const;

/** More are a click away: the first screen is for what is looked at every day. */
const currenciesShown = 8;

/** The money of the period, currency by currency: what was completed, and how far it is tied out. */
export function MoneyPanel({ overview }: { overview: Overview }) {
  const { volumes } = overview;
  if (volumes.length === 0) return null;
  const fiat = volumes.filter(({ currency }) => currency !== null && isFiat(currency));
  const others = volumes.filter((volume) => !fiat.includes(volume));
  const more = fiat.slice(currenciesShown);
  return (
    <Panel title="Money by currency" id="money">
      {fiat.length > 0 && (
        <MoneyTable
          overview={overview}
          volumes={fiat.slice(0, currenciesShown)}
          caption="Paid by customers, by currency; currencies are never added together. Of completed transactions: matched with a statement line, pending until one is due, discrepant while an error about them is open, excluded by a rule or a decision."
        />
      )}
      {more.length > 0 && (
        <details>
          <summary>{more.length === 1 ? "1 more currency" : `${more.length} more currencies`}</summary>
          <MoneyTable overview={overview} volumes={more} caption="Paid by customers, further currencies" />
        </details>
      )}
      {others.length > 0 && (
        <details open={fiat.length === 0}>
          <summary>Crypto that customers sold ({others.length})</summary>
          <MoneyTable overview={overview} volumes={others} caption="Crypto that customers sold" />
        </details>
      )}
    </Panel>
  );
}

interface MoneyTableProps {
  overview: Overview;
  volumes: readonly VolumeFigures[];
  caption: string;
}

function MoneyTable({ overview, volumes, caption }: MoneyTableProps) {
  const { reconciliation, days } = overview;
  return (
    <ListTable
      label={caption.split(/[;,]/)[0] ?? caption}
      caption={caption}
      rows={volumes}
      columns={[
        { title: "Currency", rowName: ({ currency }) => <Currency word={currency} /> },
        {
          title: "Transactions",
          figures: ({ currency, transactions }) => (
            <Count of={transactions} href={listLink(days, { source_currency: currency })} />
          ),
        },
        {
          title: "Completed",
          figures: ({ currency, completed_amount: amount, completed }) => (
            <Sum
              of={{ currency, amount, transactions: completed }}
              href={listLink(days, { source_currency: currency, status: "completed" })}
            />
          ),
        },
        ...(reconciliation === null
          ? []
          : classes.map((one) => classColumn(one, reconciliation.classes, days))),
      ]}
    />
  );
}

/** What of each currency is in one class. */
function classColumn(
  { name, filter, title }: (typeof classes)[number],
  found: readonly ClassFigures[],
  days: Overview["days"],
): ListColumn<VolumeFigures> {
  return {
    title,
    figures: ({ currency }) => {
      const sum = found.find((one) => one.currency === currency && one.class === name);
      if (sum === undefined) return <Nothing />;
      return <Sum of={sum} href={listLink(days, { source_currency: currency, class: filter })} />;
    },
  };
}

function Sum({ of, href }: { of: Pick<ClassFigures, "currency" | "amount" | "transactions">; href: string }) {
  return (
    <>
      <a href={href}>
        <Money amount={of.amount} currency={of.currency} bare />
      </a>
      <small class="of">{counted(of.transactions, "transaction")}</small>
    </>
  );
}
