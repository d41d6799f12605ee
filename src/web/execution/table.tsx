import type { ExecutionRow } from "../../store/quotes/execution-reads.ts";
import { ListTable } from "../parts/list-table.tsx";
import { Age, Count, Currency, Given, GivenLink, Money, Nothing } from "../parts/show.tsx";

/** One row per provider, pair and method; every average with the number that it comes from. */
export function ExecutionTable({ rows, caption }: { rows: readonly ExecutionRow[]; caption: string }) {
  // All bars of a screen have one scale, or they could not be compared.
  const widest = Math.max(1, ...rows.map(({ costBps }) => Math.abs(Number(costBps ?? 0))));
  return (
    <ListTable
      label="Execution quality"
      caption={caption}
      rows={rows}
      data-rows
      columns={[
        { title: "Provider", rowName: (row) => <GivenLink href={ordersOf(row)} text={row.provider} /> },
        {
          title: "Pair",
          show: (row) => (
            <>
              {row.transactionType} <Currency word={row.sourceCurrency} /> →{" "}
              <Currency word={row.targetCurrency} />
            </>
          ),
        },
        { title: "Method", show: (row) => <Given text={row.paymentMethod} /> },
        { title: "Orders", figures: (row) => <Count of={row.orders} href={ordersOf(row)} /> },
        { title: "Completed", figures: (row) => <Percent of={row.completedPercent} /> },
        { title: "Other endings", show: (row) => <Given text={row.failureReasons} /> },
        { title: "Median time", figures: (row) => <Age seconds={row.medianSeconds} /> },
        { title: "90th percentile", figures: (row) => <Age seconds={row.slowSeconds} /> },
        { title: "Compared", figures: (row) => <Count of={row.compared} /> },
        { title: "Slippage, bp", figures: (row) => <Figure text={row.slippageBps} /> },
        { title: "Cost, bp", figures: (row) => <Cost text={row.costBps} widest={widest} /> },
        {
          title: "Mean rank",
          figures: (row) =>
            row.meanPlace === null ? <Nothing /> : `${row.meanPlace} of ${row.meanQuotes ?? ""}`,
        },
        {
          title: "Forgone vs best",
          figures: (row) => <Money amount={row.forgone} currency={row.targetCurrency} />,
        },
      ]}
    />
  );
}

function Figure({ text }: { text: string | null }) {
  return text === null ? <Nothing /> : <span class="figure">{text}</span>;
}

function Percent({ of }: { of: string | null }) {
  if (of === null) return <Nothing />;
  return (
    <>
      <span class="figure">{of} %</span> <Bar part={Number(of) / 100} />
    </>
  );
}

function Cost({ text, widest }: { text: string | null; widest: number }) {
  if (text === null) return <Nothing />;
  return (
    <>
      <Figure text={text} /> <Bar part={Math.abs(Number(text)) / widest} />
    </>
  );
}

/** Decoration: the figure beside it says the same. */
function Bar({ part }: { part: number }) {
  return (
    <svg class="bar" viewBox="0 0 100 8" width="60" height="8" aria-hidden="true" preserveAspectRatio="none">
      <rect width="100" height="8" fill="currentColor" opacity="0.12" />
      <rect
        width={Math.min(100, Math.max(0, part * 100)).toFixed(1)}
        height="8"
        fill="currentColor"
        opacity="0.6"
      />
    </svg>
  );
}

function ordersOf(row: ExecutionRow): string {
  const address = new URLSearchParams({ provider: row.provider ?? "", account: row.account });
  for (const [name, value] of [
    ["transaction_type", row.transactionType],
    ["source_currency", row.sourceCurrency],
    ["target_currency", row.targetCurrency],
    ["payment_method", row.paymentMethod],
  ] as const)
    if (value !== null) address.set(name, value);
  return `/transactions?${address.toString()}`;
}
