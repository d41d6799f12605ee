import type { TransactionRow } from "../../store/transactions/transaction-reads.ts";
import { discrepanciesOf, type DiscrepancyRow } from "../../store/books/discrepancy-reads.ts";
import { type MatchedLine, matchedLines } from "../../store/books/match-reads.ts";
import { may, type Visitor } from "../deps.ts";
import { Empty, Panel } from "../parts/blocks.tsx";
import { compareLine } from "../parts/compare-line.ts";
import { DiscrepancyLine } from "../parts/discrepancy.tsx";
import { LinePlace } from "../parts/line-place.tsx";
import { Chip, Given, GivenLink, Money, Time } from "../parts/show.tsx";
import { SideBySide } from "../parts/side-by-side.tsx";

export interface Reconciliation {
  matches: MatchedLine[];
  discrepancies: DiscrepancyRow[];
}

export async function reconciliationOf(visitor: Visitor, row: TransactionRow): Promise<Reconciliation> {
  const key = { accountId: row.account_id, transactionId: row.transaction_id };
  const [matches, discrepancies] = await Promise.all([
    matchedLines(visitor.reader, key),
    discrepanciesOf(visitor.reader, key),
  ]);
  return { matches, discrepancies };
}

interface ReconciliationPanelProps {
  row: TransactionRow;
  reconciliation: Reconciliation;
  visitor: Visitor;
}

/** The record and the provider's line, field by field, with what differs marked. */
export function ReconciliationPanel({ row, reconciliation, visitor }: ReconciliationPanelProps) {
  const { matches, discrepancies } = reconciliation;
  return (
    <Panel title="Reconciliation" id="reconciliation">
      {discrepancies.length > 0 && (
        <ul class="plain-list">
          {discrepancies.map((found) => (
            <li>
              <DiscrepancyLine found={found} visitor={visitor} />
            </li>
          ))}
        </ul>
      )}
      {matches.length === 0 ? (
        <Empty title="No statement line matches this transaction">
          {row.status === "completed" ? (
            <>
              It is settled when a statement of its provider has a line for it. See{" "}
              <a href="/statements">Statements</a>.
            </>
          ) : (
            "Only completed transactions are expected on a statement."
          )}
        </Empty>
      ) : (
        matches.map((matched) => (
          <Match matched={matched} row={row} found={discrepancies} visitor={visitor} />
        ))
      )}
    </Panel>
  );
}

interface MatchProps {
  matched: MatchedLine;
  row: TransactionRow;
  found: readonly DiscrepancyRow[];
  visitor: Visitor;
}

function Match({ matched, row, found, visitor }: MatchProps) {
  const { match, line, fileName, payoutId, rawText } = matched;
  const tone = match.state === "active" ? "good" : match.state === "suggested" ? "warn" : "plain";
  return (
    <section class="match">
      <p>
        <Chip tone={tone}>{match.state}</Chip> {match.role} by{" "}
        <strong>{match.rule.replaceAll("_", " ")}</strong>, made by <Given text={match.madeByName} /> on{" "}
        <Time at={match.matchedAt} zone={visitor.preferences.zone} />
        {match.endedAt !== null && (
          <>
            , ended <Time at={match.endedAt} zone={visitor.preferences.zone} /> (
            <Given text={match.endedReason} />)
          </>
        )}
      </p>
      <p>
        <LinePlace statementId={line.statementId} lineNo={line.lineNo} fileName={fileName} />
        {line.payoutRef !== null && (
          <>
            , payout{" "}
            {payoutId === null ? (
              <Given text={line.payoutRef} />
            ) : (
              <GivenLink href={`/payouts/${payoutId}`} text={line.payoutRef} />
            )}
          </>
        )}
      </p>
      {match.partAmount !== null && (
        <p>
          A person split this line over several transactions:{" "}
          <Money amount={match.partAmount} currency={line.fiatCurrency} full /> of it belong to this one.
        </p>
      )}
      <SideBySide
        caption={`Our record and line ${line.lineNo} of the statement`}
        fields={compareLine(partOf(line, match.partAmount), row, visitor, { differences: match, found })}
      />
      {rawText !== null && may(visitor, "wallets:read") && (
        <details>
          <summary>Line as in the file</summary>
          <pre tabindex={0} dir="ltr">
            <code>{rawText}</code>
          </pre>
        </details>
      )}
    </section>
  );
}

/** Of a split line, what is compared: its part. Coins, hash, wallet and fees are the whole line's. */
function partOf(line: MatchedLine["line"], part: string | null): MatchedLine["line"] {
  if (part === null) return line;
  const ofWhole = { cryptoAmount: null, transactionHash: null, walletAddress: null, feeTotal: null };
  return { ...line, ...ofWhole, fiatGross: part, fiatNet: part };
}
