import type { PayoutRow } from "../../store/books/payout-reads.ts";
import { Panel } from "../parts/blocks.tsx";
import { LinePlace } from "../parts/line-place.tsx";
import { ListTable } from "../parts/list-table.tsx";

/** Of a payout in another currency than its lines: what was converted, and which line states the rate. */
export function ConversionPanel({ payout: { conversion, currency } }: { payout: PayoutRow }) {
  if (conversion === null) return null;
  const { rate, originals, statementId, lineNo, fileName } = conversion;
  return (
    <Panel title="Conversion" id="conversion">
      <p>
        At the rate of <strong>{rate}</strong>, stated in{" "}
        <LinePlace statementId={statementId} lineNo={lineNo} fileName={fileName} />.
      </p>
      <ListTable
        label="What was converted"
        caption={`Sums of the lines in other currencies, and their value in ${currency} at the rate.`}
        rows={originals}
        columns={[
          { title: "Currency", rowName: (original) => original.currency },
          {
            title: "Sum of the lines",
            money: (original) => ({ amount: original.amount, currency: original.currency }),
          },
          { title: "Converted", money: ({ converted }) => ({ amount: converted, currency, full: true }) },
        ]}
      />
    </Panel>
  );
}
