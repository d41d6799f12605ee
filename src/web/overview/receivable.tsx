import { decimal, subtractDecimals, zero } from "../../core/decimal.ts";
import type { ReceivableTrend } from "../../store/books/receivable-trend.ts";
import { currencyParts, formatAmount } from "../format.ts";
import { Empty, Panel } from "../parts/blocks.tsx";
import { StillCalculating } from "../parts/follows.tsx";
import { ListTable } from "../parts/list-table.tsx";
import { Currency } from "../parts/show.tsx";
import { Sparkline } from "../parts/sparkline.tsx";

/** More are in the report. */
const currenciesShown = 8;
/** A line of more days is no clearer, and every day has a link. */
const pointsMax = 31;

interface ReceivableProps {
  /** `null`: still being added up. */
  trends: readonly ReceivableTrend[] | null;
  days: { from: string; last: string };
  zone: string;
}

/** What providers owe us, currency by currency, and how that came about. */
export function ReceivablePanel({ trends, isLong, days, zone }: ReceivableProps & { isLong: boolean }) {
  const whole = reportLink({ from: days.from, last: days.last, zone });
  return (
    <Panel title="Owed by providers" id="receivable" aside={<a href={whole}>By provider</a>}>
      {trends === null ? (
        <StillCalculating isLong={isLong} />
      ) : trends.length === 0 ? (
        <Empty title="Nothing is known to be owed">
          What providers owe follows from their statements: import one on <a href="/statements">Statements</a>
          .
        </Empty>
      ) : (
        <Trends trends={trends} days={days} zone={zone} />
      )}
    </Panel>
  );
}

function Trends({ trends, days, zone }: ReceivableProps & { trends: readonly ReceivableTrend[] }) {
  const more = trends.length - currenciesShown;
  const rows = trends.slice(0, currenciesShown).map(({ currency, days: all }) => {
    const [first, now] = [all[0]?.balance ?? "0", all.at(-1)?.balance ?? "0"];
    const link = (last: string) => reportLink({ from: days.from, last, zone, currency });
    return { currency, all, link, now, change: subtractDecimals(decimal(now), decimal(first)) };
  });
  return (
    <ListTable
      label="Owed by providers"
      caption={
        <>
          At the end of each day in {zone}; nothing is added across currencies.
          {more > 0 && ` ${more} more currencies are in the report.`}
        </>
      }
      rows={rows}
      columns={[
        { title: "Currency", rowName: ({ currency }) => <Currency word={currency} /> },
        {
          title: "Owed now",
          money: ({ now, currency, link }) => ({
            amount: now,
            currency,
            bare: true,
            href: link(days.last),
          }),
        },
        {
          title: `Change since ${days.from}`,
          money: ({ change, currency, link }) => ({
            amount: change === zero ? null : change,
            currency,
            bare: true,
            href: link(days.last),
          }),
        },
        {
          title: "Trend",
          class: "spark-column",
          show: ({ all, currency, link }) => (
            <Sparkline
              points={thinned(all).map(({ day, balance }) => ({
                // For the height of a line, which no digit is read from.
                value: Number(balance),
                title: `${day}: ${formatAmount(balance, currency)} ${currencyParts(currency).code}`,
                href: link(day),
              }))}
            />
          ),
        },
      ]}
    />
  );
}

/** Every second or third day of a long period, and always the last. */
function thinned<T>(days: readonly T[]): readonly T[] {
  const every = Math.ceil(days.length / pointsMax);
  return days.filter((_, at) => (days.length - 1 - at) % every === 0);
}

function reportLink(asked: { from: string; last: string; zone: string; currency?: string }): string {
  const query = new URLSearchParams({
    from: asked.from,
    to_day: asked.last,
    tz: asked.zone,
    partial: "true",
  });
  if (asked.currency !== undefined) query.set("currency", asked.currency);
  return `/reports/receivable.v1?${query.toString()}`;
}
