import type { DiscrepancyRow } from "../../store/books/discrepancy-reads.ts";
import type { Visitor } from "../deps.ts";
import { Chip, Given, Money, Time, type Tone } from "./show.tsx";

/** A code as a sentence begins: `in_amount_mismatch` is read more easily as words. */
export function codeWords(code: string): string {
  return code.replaceAll("_", " ");
}

export function stateTone(state: string): Tone {
  if (state === "open") return "warn";
  if (state === "investigating") return "calm";
  return state === "resolved" ? "good" : "plain";
}

/** One discrepancy in a line: what, how much, how old, how far. */
export function DiscrepancyLine({ found, visitor }: { found: DiscrepancyRow; visitor: Visitor }) {
  return (
    <span class="discrepancy-line">
      <Chip tone={stateTone(found.state)}>{codeWords(found.state)}</Chip>{" "}
      <a href={`/discrepancies/${found.id}`}>
        <strong>{codeWords(found.code)}</strong>
      </a>{" "}
      <Money amount={found.value} currency={found.valueCurrency} />{" "}
      <span class="muted">
        since <Time at={found.since} zone={visitor.preferences.zone} />
        {found.owner !== null && (
          <>
            , owner <Given text={found.owner} />
          </>
        )}
      </span>
    </span>
  );
}
