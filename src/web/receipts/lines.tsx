import { receiptLine } from "../../api/receipts/line-schema.ts";
import type { ReceiptLineRow } from "../../store/receipts/receipt-reads.ts";
import { may, type Visitor } from "../deps.ts";
import { ListTable } from "../parts/list-table.tsx";
import { Chip, Given } from "../parts/show.tsx";

/** As the API shows a line: wallets are masked for those who may not see them. */
export type ShownLine = ReturnType<typeof receiptLine.present>;

export function shownTo(visitor: Visitor, line: ReceiptLineRow): ShownLine {
  return receiptLine.present(line, { wallets: may(visitor, "wallets:read") });
}

export function receiptLinePath(lineId: number): string {
  return `/receipts/lines/${lineId}`;
}

interface LinesTableProps {
  label: string;
  caption: string;
  rows: readonly ReceiptLineRow[];
  visitor: Visitor;
  /** Where the lines are not all of one file. */
  withFile?: boolean;
}

/** Bank lines, and what each of them settles. */
export function ReceiptLines({ label, caption, rows, visitor, withFile = false }: LinesTableProps) {
  const lines = rows.map((row) => ({ row, shown: shownTo(visitor, row) }));
  return (
    <ListTable
      label={label}
      caption={caption}
      rows={lines}
      data-rows
      columns={[
        {
          title: "Line",
          rowName: ({ row }) => (
            <a href={receiptLinePath(row.id)}>
              {withFile ? <Given text={`${row.fileName}:${row.lineNo}`} /> : `line ${row.lineNo}`}
            </a>
          ),
        },
        { title: "Value date", show: ({ row }) => row.valueDate },
        { title: "Names", show: ({ shown }) => <Given text={nameOf(shown)} mono /> },
        { title: "From or to", show: ({ shown }) => <Given text={shown.counterparty} /> },
        { title: "State", show: ({ row }) => <LineState line={row} /> },
        { title: "Amount", money: ({ row }) => ({ amount: signedAmount(row), currency: row.currency }) },
        { title: "Unmatched", money: ({ row }) => ({ amount: row.unmatched, currency: row.currency }) },
      ]}
    />
  );
}

/** Money out is negative. */
export function signedAmount({ direction, amount }: Pick<ReceiptLineRow, "direction" | "amount">): string {
  return direction === "debit" && amount !== "0" ? `-${amount}` : amount;
}

/** The best name that the bank gave it. */
function nameOf(line: ShownLine): string | null {
  return line.reference ?? line.end_to_end_id ?? line.hash ?? line.remittance ?? line.bank_reference;
}

export function LineState({ line }: { line: ReceiptLineRow }) {
  if (!line.counts) return <Chip tone="plain">does not count</Chip>;
  if (line.unmatched !== "0") {
    return line.settled === "0" ? (
      <Chip tone="warn">unmatched</Chip>
    ) : (
      <Chip tone="warn">partly matched</Chip>
    );
  }
  if (line.settled !== "0") return <Chip tone="good">matched</Chip>;
  return <Chip tone="plain">money out</Chip>;
}
