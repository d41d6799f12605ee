import type { DiscrepancyEvent, DiscrepancyRow } from "../../store/books/discrepancy-reads.ts";
import type { Caller } from "../../access/caller.ts";
import { isoTime, maskWallet } from "../present.ts";
import { referenceTo } from "../references.ts";

/** The two sides as words; of one code both are wallet addresses. */
export function sidesOf(
  { code, expectedText, actualText }: Pick<DiscrepancyRow, "code" | "expectedText" | "actualText">,
  { scopes }: Pick<Caller, "scopes">,
): { expectedText: string | null; actualText: string | null } {
  if (code !== "address_mismatch" || scopes.has("wallets:read")) return { expectedText, actualText };
  return { expectedText: maskWallet(expectedText), actualText: maskWallet(actualText) };
}

export function presentDiscrepancy(row: DiscrepancyRow, caller: Pick<Caller, "scopes">) {
  const { expectedText, actualText } = sidesOf(row, caller);
  return {
    object: "discrepancy",
    id: referenceTo("discrepancy", row.id),
    account: row.account,
    provider: row.provider,
    code: row.code,
    level: row.level,
    subject_kind: row.subjectKind,
    transaction_id: row.transactionId,
    provider_transaction_id: row.providerTransactionId,
    transaction_hash: row.transactionHash,
    line: referenceTo("line", row.lineId),
    statement: referenceTo("statement", row.statementId),
    file_name: row.fileName,
    line_no: row.lineNo,
    payout: referenceTo("payout", row.payoutId),
    payout_ref: row.payoutRef,
    receipt_line: referenceTo("receipt_line", row.receiptLineId),
    period: periodOf(row),
    expected: row.expected,
    actual: row.actual,
    delta: row.delta,
    currency: row.currency,
    expected_text: expectedText,
    actual_text: actualText,
    value: row.value,
    value_currency: row.valueCurrency,
    since: isoTime(row.since),
    age_days: row.ageDays,
    bucket: row.bucket,
    near_period_edge: row.nearPeriodEdge,
    state: row.state,
    owner: row.owner,
    reason: row.reason,
    resolved_by: row.resolvedBy,
    resolved_by_name: row.resolvedByName,
    resolved_at: isoTime(row.resolvedAt),
    pending_approval: referenceTo("approval", row.pendingApprovalId),
    first_seen_at: isoTime(row.firstSeenAt),
    last_changed_at: isoTime(row.lastChangedAt),
    version: row.version,
  };
}

function periodOf({ periodFrom: from, periodTo: to }: DiscrepancyRow) {
  return from === null || to === null ? null : { from: isoTime(from), to: isoTime(to) };
}

export function presentEvent(row: DiscrepancyEvent) {
  const { at, actor, actorName, event, state, owner, comment, reason, requestId } = row;
  return {
    object: "discrepancy_event",
    at: isoTime(at),
    actor,
    actor_name: actorName,
    event,
    state,
    owner,
    comment,
    reason,
    request_id: requestId,
  };
}
