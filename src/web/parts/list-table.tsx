import type { Child } from "hono/jsx";
import { TableFrame } from "./blocks.tsx";

/** One column of a table: its title, and what its cells show of a row. */
export type ListColumn<Row> = {
  title: string;
  /** Of the title and the cells. */
  class?: "coverage-column";
  /** Of the cells alone. */
  cellClass?: "mono" | "figures";
  /** The bare figure of a cell, for charts. */
  value?: (row: Row) => number;
  "aria-sort"?: "descending";
} & (
  | { show: (row: Row) => Child }
  /** Stands right, title and all, so that digits stand below each other. */
  | { figures: (row: Row) => Child }
  /** What the row is called: read out with each of its cells, and where its link is for the keyboard. */
  | { rowName: (row: Row) => Child }
);

interface ListTableProps<Row> {
  /** Names the frame; and the table as well, where no caption says more. */
  label: string;
  caption?: Child;
  rows: readonly Row[];
  columns: readonly ListColumn<Row>[];
  rowAttributes?: (row: Row) => { [name: `data-${string}`]: string | true; class?: "differs" };
  /** `keep`: stays a table on a phone, where others become cards. */
  class?: "keep" | "narrow" | "compare";
  headUnseen?: boolean;
  id?: string;
  /** Its rows can be walked through with the keyboard. */
  "data-rows"?: boolean;
}

/** Rows that are all alike, column by column, in a frame of their own. */
export function ListTable<Row>(props: ListTableProps<Row>) {
  const { label, caption, rows, columns, rowAttributes, class: kind, headUnseen = false, ...table } = props;
  return (
    <TableFrame label={label}>
      <table class={kind === undefined ? "list" : `list ${kind}`} {...table}>
        {caption === undefined ? <caption class="unseen">{label}</caption> : <caption>{caption}</caption>}
        <thead class={headUnseen ? "unseen" : undefined}>
          <tr>
            {columns.map((column) => (
              <th scope="col" class={classOf(column)} aria-sort={column["aria-sort"]}>
                {column.title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr {...rowAttributes?.(row)}>
              {columns.map((column) => (
                <Cell column={column} row={row} />
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </TableFrame>
  );
}

function Cell<Row>({ column, row }: { column: ListColumn<Row>; row: Row }) {
  const kind = column.cellClass ?? classOf(column);
  if ("rowName" in column) {
    return (
      <th scope="row" class={kind}>
        {column.rowName(row)}
      </th>
    );
  }
  return (
    <td class={kind} data-value={column.value?.(row)}>
      {"figures" in column ? column.figures(row) : column.show(row)}
    </td>
  );
}

function classOf<Row>(column: ListColumn<Row>): string | undefined {
  return "figures" in column ? "figures" : column.class;
}
