import { addDecimals, type Decimal, decimal, negateDecimal, zero } from "../../core/decimal.ts";
import { type LineClass, lineClasses, type LineTotal } from "../../store/statements/lines-of-statement.ts";
import { type ListColumn, ListTable } from "../parts/list-table.tsx";
import { Count, Money, Nothing } from "../parts/show.tsx";
import { classWords } from "./line-query.ts";

interface ClassRow {
  name: LineClass;
  lines: number;
  net: Map<string | null, Decimal>;
}

export function linesIn(totals: readonly LineTotal[]): number {
  return countOf(totals, ({ lines }) => lines);
}

/** More of them would make a table with a column for each wider than a screen: then each has a row. */
const columnsMax = 4;
const caption =
  "How the lines change what is owed to us. Payouts and stated balances count as lines, but not in the amounts.";

/**
 * What the lines come to, class by class; below it, all of them, and what of that was paid out. A payout is not part of the
 * sum: it pays the charges above it, and the two together would be owed twice. Nothing is added across currencies.
 */
export function ClassTotals({ totals, path }: { totals: readonly LineTotal[]; path: string }) {
  const rows = lineClasses
    .map((name): ClassRow => {
      const own = totals.filter((one) => one.class === name);
      return {
        name,
        lines: linesIn(own),
        net: new Map(own.map(({ currency, net }) => [currency, decimal(net)])),
      };
    })
    .filter(({ lines }) => lines > 0);
  const sums = sumsOf(totals);
  const currencies = [...new Set(totals.map(({ currency }) => currency))].filter((word) => word !== null);
  if (currencies.length > columnsMax)
    return <CurrencyRows rows={rows} sums={sums} totals={totals} currencies={currencies} path={path} />;
  const columns: ListColumn<ClassRow>[] = currencies.map((currency) => ({
    title: currency,
    money: ({ net, name }) => ({
      amount: net.get(currency) ?? null,
      currency,
      href: `${path}?class=${name}`,
    }),
    sums: sums.map(({ amount }) =>
      amount === null ? <Nothing /> : <Money amount={sumOf(totals, currency, amount)} currency={currency} />,
    ),
  }));
  return (
    <ListTable
      label="Lines by class"
      caption={caption}
      class="keep"
      rows={rows}
      columns={[
        {
          title: "Class",
          rowName: ({ name }) => <span title={classWords[name].means}>{classWords[name].title}</span>,
          sums: sums.map(({ title }) => title),
        },
        {
          title: "Lines",
          figures: ({ name, lines }) => <Count of={lines} href={`${path}?class=${name}`} />,
          sums: sums.map(({ count }) => <Count of={countOf(totals, count)} />),
        },
        ...columns,
      ]}
    />
  );
}

interface CurrencyRowsProps {
  rows: readonly ClassRow[];
  sums: readonly SumRow[];
  totals: readonly LineTotal[];
  currencies: readonly string[];
  path: string;
}

/** The same table turned on its side: a row a currency, and below it how many lines that is. */
function CurrencyRows({ rows, sums, totals, currencies, path }: CurrencyRowsProps) {
  return (
    <ListTable
      label="Lines by class"
      caption={caption}
      class="keep"
      rows={currencies.toSorted()}
      columns={[
        { title: "Currency", rowName: (currency) => currency, sums: ["Lines"] },
        ...rows.map(({ name, net, lines }): ListColumn<string> => {
          const href = `${path}?class=${name}`;
          return {
            title: classWords[name].title,
            money: (currency) => ({ amount: net.get(currency) ?? null, currency, bare: true, href }),
            sums: [<Count of={lines} href={href} />],
          };
        }),
        ...sums.map(({ title, count, amount }): ListColumn<string> => {
          const counts = [<Count of={countOf(totals, count)} />];
          return amount === null
            ? { title, figures: () => <Nothing />, sums: counts }
            : {
                title,
                money: (currency) => ({ amount: sumOf(totals, currency, amount), currency, bare: true }),
                sums: counts,
              };
        }),
      ]}
    />
  );
}

interface SumRow {
  title: string;
  count: (total: LineTotal) => number;
  /** `null`: such lines have no amount that could be added. */
  amount: ((total: LineTotal) => Decimal) | null;
}

/** A file without payouts and balances has one sum; with them, each kind has a row, down to what is left. */
function sumsOf(totals: readonly LineTotal[]): SumRow[] {
  const [hasPayouts, hasStated] = [
    totals.some(({ payouts }) => payouts > 0),
    totals.some(({ stated }) => stated > 0),
  ];
  const net = (total: LineTotal) => decimal(total.net);
  const paid = (total: LineTotal) => negateDecimal(decimal(total.paid));
  if (!hasPayouts && !hasStated) return [{ title: "All lines", count: ({ lines }) => lines, amount: net }];
  return [
    {
      title: "Charges, refunds and fees",
      count: ({ lines, payouts, stated }) => lines - payouts - stated,
      amount: net,
    },
    ...(hasPayouts ? [{ title: "less paid out", count: (one: LineTotal) => one.payouts, amount: paid }] : []),
    ...(hasStated ? [{ title: "stated only", count: (one: LineTotal) => one.stated, amount: null }] : []),
    {
      title: hasPayouts ? "All lines: left" : "All lines",
      count: ({ lines }) => lines,
      amount: (total) => addDecimals(net(total), paid(total)),
    },
  ];
}

function countOf(totals: readonly LineTotal[], count: (total: LineTotal) => number): number {
  return totals.reduce((all, total) => all + count(total), 0);
}

function sumOf(
  totals: readonly LineTotal[],
  currency: string,
  amount: (total: LineTotal) => Decimal,
): Decimal {
  return totals
    .filter((total) => total.currency === currency)
    .reduce((before, total) => addDecimals(before, amount(total)), zero);
}
