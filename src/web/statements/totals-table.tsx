import { codeWords } from "../parts/discrepancy.tsx";
import { ListTable } from "../parts/list-table.tsx";
import { Count, Given, Money } from "../parts/show.tsx";
import type { StatementTotal } from "./actions.ts";

const rowsShown = 40;

/** Control totals of a file: by currency, payout and type of line, and never across currencies. */
export function TotalsTable({ totals }: { totals: readonly StatementTotal[] }) {
  if (totals.length === 0) return null;
  const cut = totals.length > rowsShown ? `; the first ${rowsShown} of ${totals.length}` : "";
  return (
    <ListTable
      label="Control totals"
      caption={`Control totals, as printed in the file${cut}`}
      rows={totals.slice(0, rowsShown)}
      columns={[
        { title: "Type", rowName: (total) => codeWords(total.line_type) },
        { title: "Payout", show: (total) => <Given text={total.payout_ref} mono /> },
        { title: "Lines", figures: (total) => <Count of={total.lines} /> },
        { title: "Gross", figures: ({ gross, currency }) => <Money amount={gross} currency={currency} /> },
        { title: "Fees", figures: ({ fees, currency }) => <Money amount={fees} currency={currency} /> },
        { title: "Owed to us", figures: ({ net, currency }) => <Money amount={net} currency={currency} /> },
      ]}
    />
  );
}
