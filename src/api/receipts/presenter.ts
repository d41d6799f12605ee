import type { ReceiptImport } from "../../reconcile/receipts/import-receipts.ts";
import type { StoredReceiptFile } from "../../store/receipts/receipt-files.ts";
import type { ReceiptLineRow, ReceiptMatchRow, SuggestedPayout } from "../../store/receipts/receipt-reads.ts";
import { isoTime, maskWallet, maskWalletsIn } from "../present.ts";
import { referenceTo } from "../references.ts";

/** Of a chain's file the account is a wallet, in the balances as well. */
export function presentReceiptFile(file: StoredReceiptFile, { wallets }: { wallets: boolean }) {
  const shown = (text: string | null) => (wallets || file.format !== "chain_csv" ? text : maskWallet(text));
  return {
    object: "receipt_file",
    id: referenceTo("receipt_file", file.id),
    account: file.account,
    file_name: file.fileName,
    sha256: file.sha256.toString("hex"),
    format: file.format,
    bank_account: shown(file.bankAccount),
    state: file.state,
    period_from: file.periodFrom,
    period_to: file.periodTo,
    balances: file.balances.map((balance) => ({
      ...balance,
      bank_account: shown(balance.bank_account) ?? "",
    })),
    rows: {
      of_file: file.rowsOfFile,
      other: file.rowsOther,
      read: file.rowsRead,
      accepted: file.rowsAccepted,
      restated: file.rowsRestated,
      duplicate: file.rowsDuplicate,
      rejected: file.rowsRejected,
    },
    imported_at: isoTime(file.importedAt),
    imported_by: file.importedBy,
    accepted_codes: file.acceptedCodes,
    accepted_reason: file.acceptedReason,
    withdrawn_at: isoTime(file.withdrawnAt),
    withdrawn_by: file.withdrawnBy,
    withdrawn_reason: file.withdrawnReason,
  };
}

/** `wallets`: whether rows may be shown as they stand in the file. */
export function presentReceiptImport(result: ReceiptImport, { wallets }: { wallets: boolean }) {
  return {
    object: "receipt_import",
    state: result.state,
    file: presentReceiptFile(result.file, { wallets }),
    problems: result.problems,
    rejects: result.rejects.map(({ lineNo, code, field, reason, originalText }) => ({
      line_no: lineNo,
      code,
      field,
      reason,
      original_text: wallets ? originalText : null,
    })),
    consequences: result.counts,
  };
}

/** On chain the account and the other side are wallets. */
export function presentReceiptLine(line: ReceiptLineRow, { wallets }: { wallets: boolean }) {
  const shown = (text: string | null) => (wallets || line.hash === null ? text : maskWallet(text));
  return {
    object: "receipt_line",
    id: referenceTo("receipt_line", line.id),
    account: line.account,
    file: referenceTo("receipt_file", line.fileId),
    file_name: line.fileName,
    line_no: line.lineNo,
    bank_account: shown(line.bankAccount),
    value_date: line.valueDate,
    booking_date: line.bookingDate,
    effective_at: isoTime(line.effectiveAt),
    amount: line.amount,
    currency: line.currency,
    direction: line.direction,
    is_reversal: line.isReversal,
    reference: line.reference,
    end_to_end_id: line.endToEndId,
    bank_reference: line.bankReference,
    hash: line.hash,
    remittance: wallets ? line.remittance : maskWalletsIn(line.remittance),
    counterparty: shown(line.counterparty),
    charges: line.charges,
    original_amount: line.originalAmount,
    original_currency: line.originalCurrency,
    counts: line.counts,
    settled_amount: line.settled,
    unmatched_amount: line.unmatched,
  };
}

export function presentReceiptMatch(match: ReceiptMatchRow) {
  return {
    object: "receipt_match",
    id: referenceTo("receipt_match", match.id),
    line: referenceTo("receipt_line", match.lineId),
    payout: referenceTo("payout", match.payoutId),
    provider: match.provider,
    payout_ref: match.payoutRef,
    rule: match.rule,
    key: match.key,
    amount: match.amount,
    currency: match.currency,
    bank_fee: match.bankFee,
    rounding: match.rounding,
    state: match.state,
    made_by: match.madeBy,
    reason: match.reason,
    effective_at: isoTime(match.effectiveAt),
    matched_at: isoTime(match.matchedAt),
    ended_at: isoTime(match.endedAt),
    ended_by: match.endedBy,
    ended_reason: match.endedReason,
  };
}

export function presentSuggestion(suggested: SuggestedPayout) {
  return {
    object: "payout_suggestion",
    payout: referenceTo("payout", suggested.payoutId),
    provider: suggested.provider,
    payout_ref: suggested.payoutRef,
    currency: suggested.currency,
    payout_date: isoTime(suggested.payoutDate),
    expected: suggested.expected,
    outstanding: suggested.outstanding,
    days_apart: suggested.daysApart,
    same_amount: suggested.sameAmount,
    named: suggested.named,
  };
}
