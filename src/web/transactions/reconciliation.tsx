import { maskWallet } from "../../api/present.ts";
import type { TransactionRow } from "../../store/transactions/transaction-reads.ts";
import { discrepanciesOf, type DiscrepancyRow } from "../../store/books/discrepancy-reads.ts";
import { type MatchedLine, matchedLines } from "../../store/books/transaction-matches.ts";
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
        matches.map((match) => <Match match={match} row={row} visitor={visitor} />)
      )}
    </Panel>
  );
}

function Match({ match, row, visitor }: { match: MatchedLine; row: TransactionRow; visitor: Visitor }) {
  const tone = match.state === "active" ? "good" : match.state === "suggested" ? "warn" : "plain";
  return (
    <section class="match">
      <p>
        <Chip tone={tone}>{match.state}</Chip> {match.role} by{" "}
        <strong>{match.rule.replaceAll("_", " ")}</strong>, made by <Given text={match.made_by} /> on{" "}
        <Time at={match.matched_at} zone={visitor.preferences.zone} />
        {match.ended_at !== null && (
          <>
            , ended <Time at={match.ended_at} zone={visitor.preferences.zone} /> (
            <Given text={match.ended_reason} />)
          </>
        )}
      </p>
      <p>
        <a href={`/statements/${match.statement_id}`}>
          <Given text={match.file_name} />
        </a>{" "}
        line {match.line_no}
        {match.payout_ref !== null && (
          <>
            , payout{" "}
            {match.payout_id === null ? (
              <Given text={match.payout_ref} />
            ) : (
              <a href={`/payouts/${match.payout_id}`}>
                <Given text={match.payout_ref} />
              </a>
            )}
          </>
        )}
      </p>
      <SideBySide
        caption={`Our record and line ${match.line_no} of the statement`}
        fields={fieldsOf(match, row, visitor)}
      />
      {match.raw_text !== null && may(visitor, "wallets:read") && (
        <details>
          <summary>Line as it stands in the file</summary>
          <pre tabindex={0} dir="ltr">
            <code>{match.raw_text}</code>
          </pre>
        </details>
      )}
    </section>
  );
}

function fieldsOf(match: MatchedLine, row: TransactionRow, visitor: Visitor) {
  const { zone } = visitor.preferences;
  const wallet = (address: string | null) => (may(visitor, "wallets:read") ? address : maskWallet(address));
  const isBuy = row.transaction_type !== "sell";
  const fiatOfLine = {
    amount: isBuy ? (match.fiat_gross ?? match.fiat_net) : match.fiat_net,
    currency: match.fiat_currency,
  };
  const cryptoOfLine = {
    amount: match.crypto_amount,
    currency:
      match.asset === null ? null : match.network === null ? match.asset : `${match.asset}_${match.network}`,
  };
  const [inOfLine, outOfLine] = isBuy ? [fiatOfLine, cryptoOfLine] : [cryptoOfLine, fiatOfLine];
  return [
    { name: "Direction", ours: row.transaction_type, theirs: match.side, kind: "text" as const },
    {
      name: "Status",
      ours: row.status,
      theirs: `${match.line_status} (${match.provider_status ?? "no word"})`,
      kind: "note" as const,
    },
    {
      name: "Customer gave",
      kind: "money" as const,
      ours: { amount: row.in_amount, currency: row.source_currency },
      theirs: inOfLine,
      difference: match.in_difference,
    },
    {
      name: "Customer got",
      kind: "money" as const,
      ours: { amount: row.out_amount, currency: row.target_currency },
      theirs: outOfLine,
      difference: match.out_difference,
    },
    {
      name: "Fees",
      ours: null,
      theirs: match.fee_total === null ? null : `${match.fee_total} ${match.fee_currency ?? ""}`,
      kind: "note" as const,
    },
    {
      name: "Provider’s id",
      ours: row.provider_transaction_id,
      theirs: match.provider_transaction_id,
      kind: "text" as const,
    },
    { name: "Chain hash", ours: row.transaction_hash, theirs: match.transaction_hash, kind: "text" as const },
    {
      name: "Wallet",
      ours: wallet(row.wallet_address),
      theirs: wallet(match.wallet_address),
      kind: "text" as const,
    },
    { name: "Time", kind: "time" as const, ours: row.status_date, theirs: match.effective_at, zone },
  ];
}
