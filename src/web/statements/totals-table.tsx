import { codeWords } from "../parts/discrepancy.tsx";
import { TableFrame } from "../parts/blocks.tsx";
import { Count, Given, Money } from "../parts/show.tsx";
import type { StatementTotal } from "./actions.ts";

const rowsShown = 40;

/** Control totals of a file: by currency, payout and type of line, and never across currencies. */
export function TotalsTable({ totals }: { totals: readonly StatementTotal[] }) {
  if (totals.length === 0) return null;
  return (
    <TableFrame label="Control totals">
      <table class="list">
        <caption>
          Control totals, as printed in the file
          {totals.length > rowsShown ? `; the first ${rowsShown} of ${totals.length}` : ""}
        </caption>
        <thead>
          <tr>
            <th scope="col">Type</th>
            <th scope="col">Payout</th>
            <th scope="col" class="figures">
              Lines
            </th>
            <th scope="col" class="figures">
              Gross
            </th>
            <th scope="col" class="figures">
              Fees
            </th>
            <th scope="col" class="figures">
              Owed to us
            </th>
          </tr>
        </thead>
        <tbody>
          {totals.slice(0, rowsShown).map((total) => (
            <tr>
              <th scope="row">{codeWords(total.line_type)}</th>
              <td>
                <Given text={total.payout_ref} mono />
              </td>
              <td class="figures">
                <Count of={total.lines} />
              </td>
              <td class="figures">
                <Money amount={total.gross} currency={total.currency} />
              </td>
              <td class="figures">
                <Money amount={total.fees} currency={total.currency} />
              </td>
              <td class="figures">
                <Money amount={total.net} currency={total.currency} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </TableFrame>
  );
}
