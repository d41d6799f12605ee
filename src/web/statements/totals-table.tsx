import { codeWords } from "../parts/discrepancy.tsx";
import { type ListColumn, ListTable } from "../parts/list-table.tsx";
import { Count, Given } from "../parts/show.tsx";
import type { StatementTotal } from "./actions.ts";

const rowsShown = 40;

/** Control totals of a file: by currency, payout and type of line, and never across currencies. */
export function TotalsTable({ totals }: { totals: readonly StatementTotal[] }) {
  if (totals.length === 0) return null;
  const cut = totals.length > rowsShown ? `; the first ${rowsShown} of ${totals.length}` : "";
  const kinds = netKinds.filter(({ isOf }) => totals.some(isOf));
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
        ...kinds.map(({ title, isOf }): ListColumn<StatementTotal> => ({
          title,
          money: (total) => ({ amount: isOf(total) ? total.net : null, currency: total.currency }),
        })),
      ]}
    />
  );
}

const isPayout = ({ line_type: type }: StatementTotal) => type === "payout";
const isStated = ({ line_type: type }: StatementTotal) => type === "balance" || type === "commission_total";

/** Side by side, because a payout settles what is owed and a balance states it: in one column they would seem to add up. */
const netKinds = [
  { title: "Owed to us", isOf: (total: StatementTotal) => !isPayout(total) && !isStated(total) },
  { title: "Paid out", isOf: isPayout },
  { title: "Stated", isOf: isStated },
];
