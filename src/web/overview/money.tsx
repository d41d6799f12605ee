import { isFiat } from "../../core/fiat.ts";
import type { ClassFigures, VolumeFigures } from "../../store/web/overview-reads.ts";
import { formatCount } from "../format.ts";
import { Panel, TableFrame } from "../parts/blocks.tsx";
import { Count, Currency, Money, Nothing } from "../parts/show.tsx";
import type { Overview } from "./figures.ts";
import { listLink } from "./links.ts";

const classes = [
  { name: "matched", filter: "matched", title: "Matched" },
  { name: "unmatched", filter: "pending", title: "Pending" },
  { name: "discrepant", filter: "discrepant", title: "Discrepant" },
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
          caption="What customers gave, by currency; nothing is added across currencies. Of completed transactions: matched with a statement line, pending while neither matched nor in doubt, discrepant while an error about them is open."
        />
      )}
      {more.length > 0 && (
        <details>
          <summary>{more.length === 1 ? "1 more currency" : `${more.length} more currencies`}</summary>
          <MoneyTable overview={overview} volumes={more} caption="What customers gave, further currencies" />
        </details>
      )}
      {others.length > 0 && (
        <details open={fiat.length === 0}>
          <summary>Crypto that customers sold ({others.length})</summary>
          <MoneyTable
            overview={overview}
            volumes={others}
            caption="What customers gave when they sold crypto"
          />
        </details>
      )}
    </Panel>
  );
}

function MoneyTable({
  overview,
  volumes,
  caption,
}: {
  overview: Overview;
  volumes: readonly VolumeFigures[];
  caption: string;
}) {
  const { reconciliation, days } = overview;
  return (
    <TableFrame label={caption.split(/[;,]/)[0] ?? caption}>
      <table class="list">
        <caption>{caption}</caption>
        <thead>
          <tr>
            <th scope="col">Currency</th>
            <th scope="col" class="figures">
              Transactions
            </th>
            <th scope="col" class="figures">
              Completed
            </th>
            {reconciliation !== null &&
              classes.map(({ title }) => (
                <th scope="col" class="figures">
                  {title}
                </th>
              ))}
          </tr>
        </thead>
        <tbody>
          {volumes.map((volume) => (
            <MoneyRow volume={volume} days={days} found={reconciliation?.classes ?? null} />
          ))}
        </tbody>
      </table>
    </TableFrame>
  );
}

interface RowProps {
  volume: VolumeFigures;
  days: Overview["days"];
  found: readonly ClassFigures[] | null;
}

function MoneyRow({ volume, days, found }: RowProps) {
  const { currency } = volume;
  return (
    <tr>
      <th scope="row">
        <Currency word={currency} />
      </th>
      <td class="figures">
        <Count of={volume.transactions} href={listLink(days, { source_currency: currency })} />
      </td>
      <td class="figures">
        <a href={listLink(days, { source_currency: currency, status: "completed" })}>
          <Money amount={volume.completed_amount} currency={currency} />
        </a>
        <Of count={volume.completed} />
      </td>
      {found !== null &&
        classes.map(({ name, filter }) => {
          const row = found.find((one) => one.currency === currency && one.class === name);
          return (
            <td class="figures">
              {row === undefined ? (
                <Nothing />
              ) : (
                <>
                  <a href={listLink(days, { source_currency: currency, class: filter })}>
                    <Money amount={row.amount} currency={currency} />
                  </a>
                  <Of count={row.transactions} />
                </>
              )}
            </td>
          );
        })}
    </tr>
  );
}

function Of({ count }: { count: number }) {
  return <small class="of">{count === 1 ? "1 transaction" : `${formatCount(count)} transactions`}</small>;
}
