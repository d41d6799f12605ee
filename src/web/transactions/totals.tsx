import type { TransactionFilters } from "../../store/transactions/transaction-reads.ts";
import type {
  CurrencyTotal,
  TotalsBudget,
  TransactionTotals,
} from "../../store/transactions/transaction-totals.ts";
import { Count, Money } from "../parts/show.tsx";

/**
 * Added up at once within this; more is added up when someone asks for it. By the planner's count this much work takes
 * some tens of milliseconds.
 */
const totalsBudget = { transactionsMax: 10_000, costMax: 12_000 };

/** By class every transaction is looked up among matches and discrepancies as well. */
const classBudget = { transactionsMax: 200, costMax: 60_000 };

export function budgetFor(filters: TransactionFilters): TotalsBudget {
  return filters.class === undefined ? totalsBudget : classBudget;
}

export type TotalsState = TransactionTotals | "too many";

/** Totals of the whole filtered set, per currency, and the file of exactly that set. */
export function Totals({ state, address }: { state: TotalsState; address: URLSearchParams }) {
  const file = new URLSearchParams(address);
  file.delete("cursor");
  file.delete("totals");
  return (
    <section class="totals" aria-label="Totals of all that match the filters">
      {state === "too many" ? <TooMany address={address} /> : <Figures totals={state} />}
      <p class="totals-file">
        <a role="button" class="outline" href={`/transactions.csv?${file.toString()}`} download>
          CSV of this list
        </a>
        <small>Spreadsheets show 15 digits at most; the file has all of them.</small>
      </p>
    </section>
  );
}

function TooMany({ address }: { address: URLSearchParams }) {
  const all = new URLSearchParams(address);
  all.set("totals", "all");
  return (
    <p class="totals-offer">
      Totals are not calculated automatically for this many transactions.{" "}
      <a
        href={`/transactions?${all.toString()}`}
        hx-get={`/transactions?${all.toString()}`}
        hx-target="#results"
        hx-select="#results"
        hx-select-oob="#summary"
        hx-swap="outerHTML"
        hx-push-url="true"
        hx-indicator="closest .totals"
      >
        Calculate them now
      </a>
      , or choose a shorter period.
    </p>
  );
}

function Figures({ totals }: { totals: TransactionTotals }) {
  return (
    <div class="totals-tables">
      <Leg title="Customers paid" totals={totals.given} />
      <Leg title="Customers received" totals={totals.got} />
    </div>
  );
}

const currenciesShown = 6;

function Leg({ title, totals }: { title: string; totals: CurrencyTotal[] }) {
  const rest = totals.slice(currenciesShown);
  return (
    <div>
      <LegTable caption={title} totals={totals.slice(0, currenciesShown)} />
      {rest.length > 0 && (
        <details>
          <summary>{rest.length} more currencies</summary>
          <LegTable caption={`${title}, further currencies`} totals={rest} />
        </details>
      )}
    </div>
  );
}

function LegTable({ caption, totals }: { caption: string; totals: CurrencyTotal[] }) {
  return (
    <table class="small">
      <caption>{caption}</caption>
      <thead class="unseen">
        <tr>
          <th scope="col">Amount</th>
          <th scope="col">Transactions</th>
        </tr>
      </thead>
      <tbody>
        {totals.map(({ currency, amount, transactions }) => (
          <tr>
            <th scope="row" class="figures">
              <Money amount={amount ?? "0"} currency={currency} />
            </th>
            <td class="figures muted">
              <Count of={transactions} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
