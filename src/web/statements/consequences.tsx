import { counted } from "../../core/counted.ts";
import { explain } from "../discrepancies/advice.ts";
import { formatAmount } from "../format.ts";
import { codeWords } from "../parts/discrepancy.tsx";
import { ListTable } from "../parts/list-table.tsx";
import { Count, Given, Period } from "../parts/show.tsx";
import type { StatementOutcome } from "./actions.ts";

/** What an import would raise, code by code, and the two of them that say most about the file itself. */
export function Consequences({ outcome, zone }: { outcome: StatementOutcome; zone: string }) {
  const codes = Object.entries(outcome.codes);
  if (codes.length === 0) return null;
  const missing = outcome.codes["missing_from_statement"] ?? 0;
  return (
    <>
      {missing > 0 && <Missing statement={outcome.statement} count={missing} zone={zone} />}
      {outcome.untied.length > 0 && <Untied untied={outcome.untied} />}
      <ListTable
        label="Discrepancies"
        caption="Discrepancies that the import would raise"
        rows={codes}
        columns={[
          { title: "Discrepancy", rowName: ([code]) => codeWords(code) },
          { title: "How many", figures: ([, count]) => <Count of={count} /> },
          { title: "Means", show: ([code]) => explain(code) },
        ]}
      />
    </>
  );
}

interface MissingProps {
  statement: StatementOutcome["statement"];
  count: number;
  zone: string;
}

function Missing({ statement, count, zone }: MissingProps) {
  return (
    <p class="warning">
      This file is read as everything that <Given text={statement.provider} /> did in its period,{" "}
      <Period from={statement.periodFrom} to={statement.periodTo} zone={zone} />, in all currencies:{" "}
      {counted(count, "completed transaction")} would count as missing. If it is only a part, get the whole
      file, or import the other parts too: what they contain is then no longer missing.
    </p>
  );
}

function Untied({ untied }: Pick<StatementOutcome, "untied">) {
  return (
    <ul class="warning">
      {untied.map(({ ref, currency, computed, declared }) => (
        <li>
          Payout <Given text={ref} mono /> does not tie: its lines come to {formatAmount(computed, currency)}{" "}
          {currency}, the provider states {formatAmount(declared, currency)} {currency}.
        </li>
      ))}
    </ul>
  );
}
