import type { Child } from "hono/jsx";
import { currencyParts, shortAmount } from "../format.ts";
import { TableFrame } from "./blocks.tsx";
import { Money, type MoneyProps } from "./show.tsx";

/** One column of a table: its title, and what its cells show of a row. */
export type ListColumn<Row> = {
  title: string;
  /** Of the title and the cells. */
  class?: "coverage-column" | "spark-column";
  /** Stays in sight at that side while the rest of a wide table is moved. */
  pin?: "start" | "end" | undefined;
  /** Of the cells alone. */
  cellClass?: "mono" | "figures";
  /** The bare figure of a cell, for charts. */
  value?: (row: Row) => number | null;
  /** What else a chart has to know of a cell. */
  plotted?: (row: Row) => { [name: `data-${string}`]: string | number };
  "aria-sort"?: "ascending" | "descending" | undefined;
  /** The address that sorts by this column, where that can be done. */
  sortHref?: string;
  /** Below the last row, and below that. The first column has as many of them as there are rows of sums. */
  sums?: readonly Child[];
} & (
  | { show: (row: Row) => Child }
  /** Stands right, title and all, so that digits stand below each other. */
  | { figures: (row: Row) => Child }
  /** Amounts, whose decimal points stand below each other; with an address, each leads to what is behind it. */
  | { money: (row: Row) => MoneyProps & { href?: string | undefined } }
  /** What the row is called: read out with each of its cells, and where its link is for the keyboard. */
  | { rowName: (row: Row) => Child }
);

interface ListTableProps<Row> {
  /** Names the frame; and the table as well, where no caption says more. */
  label: string;
  caption?: Child;
  rows: readonly Row[];
  columns: readonly ListColumn<Row>[];
  rowAttributes?: (row: Row) => { [name: `data-${string}`]: string | true; class?: "differs" | undefined };
  /** `keep`: stays a table on a phone, where others become cards. `broad`: has too many columns for a tablet as well. */
  class?: "broad" | "keep" | "keep tight" | "narrow" | "compare" | "whole";
  headUnseen?: boolean;
  id?: string;
  /** Its rows can be walked through with the keyboard. */
  "data-rows"?: boolean;
}

/** Rows that are all alike, column by column, in a frame of their own. */
export function ListTable<Row>(props: ListTableProps<Row>) {
  const { label, caption, rows, columns, rowAttributes, class: kind, headUnseen = false, ...table } = props;
  const classes = columns.map((column) => {
    const pin = column.pin === undefined ? undefined : `pin-${column.pin}`;
    return [classOf(column, rows), pin].filter((name) => name !== undefined).join(" ") || undefined;
  });
  return (
    <TableFrame label={label}>
      <table class={kind === undefined ? "list" : `list ${kind}`} {...table}>
        {caption === undefined ? <caption class="unseen">{label}</caption> : <caption>{caption}</caption>}
        <thead class={headUnseen ? "unseen" : undefined}>
          <tr>
            {columns.map((column, at) => (
              <th scope="col" class={classes[at]} aria-sort={column["aria-sort"]}>
                <Title column={column} />
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr {...rowAttributes?.(row)}>
              {columns.map((column, at) => (
                <Cell column={column} row={row} kind={column.cellClass ?? classes[at]} />
              ))}
            </tr>
          ))}
        </tbody>
        {columns[0]?.sums !== undefined && (
          <tfoot>
            {columns[0].sums.map((_, row) => (
              <tr>
                {columns.map(({ sums, title }, at) =>
                  at === 0 ? (
                    <th scope="row">{sums?.[row]}</th>
                  ) : (
                    <td class={classes[at]} data-label={sums === undefined ? undefined : title}>
                      {sums?.[row]}
                    </td>
                  ),
                )}
              </tr>
            ))}
          </tfoot>
        )}
      </table>
    </TableFrame>
  );
}

const arrows = { ascending: "▲", descending: "▼" };

function Title<Row>({ column }: { column: ListColumn<Row> }) {
  const { title, sortHref } = column;
  if (sortHref === undefined) return <>{title}</>;
  const sorted = column["aria-sort"];
  return (
    <a href={sortHref}>
      {title} {sorted !== undefined && <span aria-hidden="true">{arrows[sorted]}</span>}
    </a>
  );
}

/** Each cell carries the name of its column: on a phone the row is a card, and the name stands above the value. */
function Cell<Row>({ column, row, kind }: { column: ListColumn<Row>; row: Row; kind: string | undefined }) {
  if ("rowName" in column) {
    return (
      <th scope="row" class={kind}>
        {column.rowName(row)}
      </th>
    );
  }
  return (
    <td
      class={kind}
      data-label={column.title}
      data-value={column.value?.(row) ?? undefined}
      {...column.plotted?.(row)}
    >
      <CellContent column={column} row={row} />
    </td>
  );
}

function CellContent<Row>({ column, row }: { column: ListColumn<Row>; row: Row }) {
  if ("money" in column) {
    const { href, ...money } = column.money(row);
    if (href === undefined || money.amount === null) return <Money {...money} />;
    return (
      <a href={href}>
        <Money {...money} />
      </a>
    );
  }
  if ("figures" in column) return <>{column.figures(row)}</>;
  return "show" in column ? <>{column.show(row)}</> : null;
}

function classOf<Row>(column: ListColumn<Row>, rows: readonly Row[]): string | undefined {
  if ("money" in column) return moneyClass(rows.map((row) => column.money(row)));
  return "figures" in column ? "figures" : column.class;
}

const placesMax = 8;

/** As many places as the longest fraction has, and room for networks where a currency names one. */
function moneyClass(amounts: readonly MoneyProps[]): string {
  const places = amounts.map(({ amount, currency }) =>
    amount === null ? 0 : Math.max(0, shortAmount(amount, currency).fraction.length - 1),
  );
  const networks = amounts.some(
    ({ currency, bare }) => bare !== true && currency !== null && currencyParts(currency).network !== null,
  );
  return `figures places-${Math.min(placesMax, Math.max(0, ...places))}${networks ? " networks" : ""}`;
}
