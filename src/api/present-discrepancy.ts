import type { DiscrepancyEvent, DiscrepancyRow } from "../store/books/discrepancy-reads.ts";
import type { Caller } from "./caller.ts";
import { isoTime, maskWallet } from "./present.ts";
import { referenceTo } from "./references.ts";

export function presentDiscrepancy(row: DiscrepancyRow, { scopes }: Pick<Caller, "scopes">) {
  // Of this one code both sides are wallet addresses.
  const text =
    row.code === "address_mismatch" && !scopes.has("wallets:read")
      ? maskWallet
      : (words: string | null) => words;
  return {
    object: "discrepancy",
    id: referenceTo("discrepancy", row.id),
    account: row.account,
    provider: row.provider,
    code: row.code,
    level: row.level,
    subject_kind: row.subject_kind,
    transaction_id: row.transaction_id,
    provider_transaction_id: row.provider_transaction_id,
    transaction_hash: row.transaction_hash,
    line: referenceTo("line", row.line_id),
    statement: referenceTo("statement", row.statement_id),
    file_name: row.file_name,
    line_no: row.line_no,
    payout: referenceTo("payout", row.payout_id),
    payout_ref: row.payout_ref,
    period: periodOf(row),
    expected: row.expected,
    actual: row.actual,
    delta: row.delta,
    currency: row.currency,
    expected_text: text(row.expected_text),
    actual_text: text(row.actual_text),
    value: row.value,
    value_currency: row.value_currency,
    since: isoTime(row.since),
    age_days: row.age_days,
    bucket: row.bucket,
    near_period_edge: row.near_period_edge,
    state: row.state,
    owner: row.owner,
    reason: row.reason,
    resolved_by: row.resolved_by,
    resolved_at: isoTime(row.resolved_at),
    first_seen_at: isoTime(row.first_seen_at),
    last_changed_at: isoTime(row.last_changed_at),
    version: row.version,
  };
}

function periodOf({ period_from: from, period_to: to }: DiscrepancyRow) {
  return from === null || to === null ? null : { from: isoTime(from), to: isoTime(to) };
}

export function presentEvent(row: DiscrepancyEvent) {
  const { at, actor, event, state, owner, comment, reason, request_id } = row;
  return {
    object: "discrepancy_event",
    at: isoTime(at),
    actor,
    event,
    state,
    owner,
    comment,
    reason,
    request_id,
  };
}
