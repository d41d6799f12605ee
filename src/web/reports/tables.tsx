import type { RowTotals } from "../../report/describe-report.ts";
import type { Column } from "../../report/report.ts";
import { formatAmount } from "../format.ts";
import { type ListColumn, ListTable } from "../parts/list-table.tsx";
import { Count, Currency, Given, GivenLink, Nothing, Time } from "../parts/show.tsx";
import { titleOf } from "./title-of.ts";

/**
 * What the rows add up to: a row per currency, a column per amount. Nothing is added across currencies; nor across the values of the
 * column `by`, where a report has unlike things in its rows.
 */
export function SumsTable({ sums, by }: { sums: RowTotals["sums"]; by?: string | undefined }) {
  if (sums.length === 0) return null;
  const names = [...new Set(sums.map(({ column }) => column))];
  const currencies = [...sameThing(sums).values()].map((same) => ({
    currency: same[0]?.currency ?? null,
    group: same[0]?.group ?? null,
    sums: new Map(same.map(({ column, sum }) => [column, sum] as const)),
  }));
  const [shown, more] = [currencies.slice(0, currenciesShown), currencies.slice(currenciesShown)];
  const table = (rows: typeof currencies, label: string) => (
    <ListTable
      label={label}
      class="narrow"
      rows={rows}
      columns={[
        { title: "Currency", rowName: ({ currency }) => <Currency word={currency} /> },
        ...(by === undefined
          ? []
          : [
              {
                title: titleOf(by),
                show: ({ group }: (typeof currencies)[number]) => <Given text={group} />,
              },
            ]),
        ...names.map((name): ListColumn<(typeof currencies)[number]> => ({
          title: titleOf(name),
          money: (row) => ({ amount: row.sums.get(name) ?? null, currency: row.currency, bare: true }),
        })),
      ]}
    />
  );
  return (
    <>
      {table(shown, "Sums of all rows by currency")}
      {more.length > 0 && (
        <details>
          <summary>{more.length === 1 ? "1 more currency" : `${more.length} more currencies`}</summary>
          {table(more, "Sums of all rows, further currencies")}
        </details>
      )}
    </>
  );
}

function sameThing(sums: RowTotals["sums"]): Map<string, RowTotals["sums"]> {
  const found = new Map<string, RowTotals["sums"]>();
  for (const each of sums) {
    const key = JSON.stringify([each.currency, each.group]);
    found.set(key, [...(found.get(key) ?? []), each]);
  }
  return found;
}

const currenciesShown = 8;

type Cells = readonly (string | null)[];

interface RowsTableProps {
  columns: readonly Column[];
  rows: readonly Cells[];
  zone: string;
}

/** The first rows, column by column as in the file; amounts with their decimal points below each other. */
export function RowsTable({ columns, rows, zone }: RowsTableProps) {
  const place = (name: string | undefined) => columns.findIndex((column) => column.name === name);
  const account = place("account");
  const hasClosing = place("closing") >= 0;
  return (
    <ListTable
      label="Rows"
      class="keep tight"
      data-rows
      rows={rows}
      columns={columns.map((column, at): ListColumn<Cells> => {
        const title = titleOf(column.name);
        const pin = hasClosing ? pinned[column.name] : undefined;
        const cell = (row: Cells) => row[at] ?? null;
        if (at === 0 && column.type !== "time")
          return { title, pin, rowName: (row) => <Given text={cell(row)} /> };
        if (column.type === "amount") {
          const currency = place(column.currency);
          // What is in no currency, such as a rate, is a figure like others.
          if (currency < 0) return { title, figures: (row) => <Plain value={cell(row)} /> };
          return {
            title,
            pin,
            money: (row) => ({ amount: cell(row), currency: row[currency] ?? null, bare: true }),
          };
        }
        if (column.name === "discrepancy_id") {
          return { title, figures: (row) => <Discrepancy id={cell(row)} /> };
        }
        if (column.type === "integer") {
          return {
            title,
            figures: (row) => <Integer value={cell(row)} isId={column.name.endsWith("_id")} />,
          };
        }
        if (column.type === "time") return { title, show: (row) => <Time at={cell(row)} zone={zone} /> };
        if (column.type === "boolean") return { title, show: (row) => <YesNo value={cell(row)} /> };
        if (column.name === "transaction_id" && account >= 0) {
          return { title, show: (row) => <Transaction account={row[account] ?? null} id={cell(row)} /> };
        }
        return { title, pin, show: (row) => <Given text={cell(row)} /> };
      })}
    />
  );
}

/** Whose balance it is, and what it comes to: what is between them may be moved. */
const pinned: Record<string, "start" | "end"> = { provider: "start", closing: "end" };

function Plain({ value }: { value: string | null }) {
  return value === null ? <Nothing /> : <span class="figure">{formatAmount(value, null)}</span>;
}

/** A number that names something is not grouped. */
function Integer({ value, isId }: { value: string | null; isId: boolean }) {
  if (value === null) return <Nothing />;
  return isId ? <span class="figure">{value}</span> : <Count of={value} />;
}

function Discrepancy({ id }: { id: string | null }) {
  return id === null ? <Nothing /> : <a href={`/discrepancies/${id}`}>{id}</a>;
}

function YesNo({ value }: { value: string | null }) {
  return value === null ? <Nothing /> : <>{value === "true" ? "yes" : "no"}</>;
}

function Transaction({ account, id }: { account: string | null; id: string | null }) {
  if (account === null || id === null || id === "") return <Given text={id} />;
  return (
    <GivenLink href={`/transactions/one?${new URLSearchParams({ account, id }).toString()}`} text={id} mono />
  );
}
