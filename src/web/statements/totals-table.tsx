import { codeWords } from "../parts/discrepancy.tsx";
import { ListTable } from "../parts/list-table.tsx";
import { Count, Given } from "../parts/show.tsx";
import type { StatementTotal } from "./actions.ts";

const rowsShown = 40;

/** Control totals of a file: by currency, payout and type of line, and never across currencies. */
export function TotalsTable({ totals }: { totals: readonly StatementTotal[] }) {
  if (totals.length === 0) return null;
  const cut = totals.length > rowsShown ? `; the first ${rowsShown} of ${totals.length}` : "";
  return (
    <ListTable
      label="Control totals"
      caption={`What the rows add up to, by type and payout${cut}`}
      rows={totals.slice(0, rowsShown)}
      columns={[
        { title: "Type", rowName: (total) => codeWords(total.line_type) },
        { title: "Payout", show: (total) => <Given text={total.payout_ref} mono /> },
        { title: "Lines", figures: (total) => <Count of={total.lines} /> },
        { title: "Gross", money: ({ gross, currency }) => ({ amount: gross, currency }) },
        { title: "Fees", money: ({ fees, currency }) => ({ amount: fees, currency }) },
        { title: "Owed to us", money: ({ net, currency }) => ({ amount: net, currency }) },
      ]}
    />
  );
}
