import { maskWallet } from "../../api/present.ts";
import type { TransactionRow } from "../../store/transactions/transaction-reads.ts";
import { discrepanciesOf, type DiscrepancyRow } from "../../store/books/discrepancy-reads.ts";
import { type MatchedLine, matchedLines } from "../../store/books/match-reads.ts";
import { may, type Visitor } from "../deps.ts";
import { Empty, Panel } from "../parts/blocks.tsx";
import { DiscrepancyLine } from "../parts/discrepancy.tsx";
import { Chip, Given, Time } from "../parts/show.tsx";
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

/** The record and the provider's line, field by field, with what differs marked. */
export function ReconciliationPanel({
  row,
  reconciliation,
  visitor,
}: {
  row: TransactionRow;
  reconciliation: Reconciliation;
  visitor: Visitor;
}) {
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
        <Empty title="No statement line is matched with this transaction">
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
        matches.map((matched) => <Match matched={matched} row={row} visitor={visitor} />)
      )}
    </Panel>
  );
}

function Match({ matched, row, visitor }: { matched: MatchedLine; row: TransactionRow; visitor: Visitor }) {
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
        <a href={`/statements/${line.statementId}`}>
          <Given text={fileName} />
        </a>{" "}
        line {line.lineNo}
        {line.payoutRef !== null && (
          <>
            , payout{" "}
            {payoutId === null ? (
              <Given text={line.payoutRef} />
            ) : (
              <a href={`/payouts/${payoutId}`}>
                <Given text={line.payoutRef} />
              </a>
            )}
          </>
        )}
      </p>
      <SideBySide
        caption={`Our record and line ${line.lineNo} of the statement`}
        fields={fieldsOf(matched, row, visitor)}
      />
      {rawText !== null && may(visitor, "wallets:read") && (
        <details>
          <summary>Line as it stands in the file</summary>
          <pre tabindex={0} dir="ltr">
            <code>{rawText}</code>
          </pre>
        </details>
      )}
    </section>
  );
}

function fieldsOf({ match, line }: MatchedLine, row: TransactionRow, visitor: Visitor) {
  const { zone } = visitor.preferences;
  const wallet = (address: string | null) => (may(visitor, "wallets:read") ? address : maskWallet(address));
  const isBuy = row.transaction_type !== "sell";
  const fiatOfLine = {
    amount: isBuy ? (line.fiatGross ?? line.fiatNet) : line.fiatNet,
    currency: line.fiatCurrency,
  };
  const cryptoOfLine = {
    amount: line.cryptoAmount,
    currency:
      line.asset === null ? null : line.network === null ? line.asset : `${line.asset}_${line.network}`,
  };
  const [inOfLine, outOfLine] = isBuy ? [fiatOfLine, cryptoOfLine] : [cryptoOfLine, fiatOfLine];
  return [
    { name: "Direction", ours: row.transaction_type, theirs: line.side, kind: "text" as const },
    {
      name: "Status",
      ours: row.status,
      theirs: `${line.status} (${line.providerStatus ?? "no word"})`,
      kind: "note" as const,
    },
    {
      name: "Customer gave",
      kind: "money" as const,
      ours: { amount: row.in_amount, currency: row.source_currency },
      theirs: inOfLine,
      difference: match.inDifference,
    },
    {
      name: "Customer got",
      kind: "money" as const,
      ours: { amount: row.out_amount, currency: row.target_currency },
      theirs: outOfLine,
      difference: match.outDifference,
    },
    {
      name: "Fees",
      ours: null,
      theirs: line.feeTotal === null ? null : `${line.feeTotal} ${line.feeCurrency ?? ""}`,
      kind: "note" as const,
    },
    {
      name: "Provider’s id",
      ours: row.provider_transaction_id,
      theirs: line.providerTransactionId,
      kind: "text" as const,
    },
    { name: "Chain hash", ours: row.transaction_hash, theirs: line.transactionHash, kind: "text" as const },
    {
      name: "Wallet",
      ours: wallet(row.wallet_address),
      theirs: wallet(line.walletAddress),
      kind: "text" as const,
    },
    { name: "Time", kind: "time" as const, ours: row.status_date, theirs: line.effectiveAt, zone },
  ];
}
