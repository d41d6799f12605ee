import { type Report, reportId } from "./report.ts";
import { auditTrail } from "./reports/audit-trail.ts";
import { ageing, discrepancies } from "./reports/books/discrepancies.ts";
import { feeVariance } from "./reports/books/fee-variance.ts";
import { itemised } from "./reports/books/itemised.ts";
import { journal } from "./reports/books/journal.ts";
import { openErrors } from "./reports/books/open-errors.ts";
import { payoutReconciliation } from "./reports/books/payout-reconciliation.ts";
import { position, unsettled } from "./reports/books/position.ts";
import { receipts } from "./reports/books/receipts.ts";
import { receivable } from "./reports/books/receivable.ts";
import { executionQuality } from "./reports/execution-quality.ts";
import { openTransactions } from "./reports/open-transactions.ts";
import { quarantine } from "./reports/quarantine.ts";
import { rates } from "./reports/rates.ts";
import { dailySummary, providerSummary } from "./reports/summaries.ts";
import { transactionStatuses } from "./reports/transaction-statuses.ts";
import { transactions } from "./reports/transactions.ts";

/** Every report there is. The API, the command line and the documentation are made from this list. */
export const reports: readonly Report[] = [
  transactions,
  transactionStatuses,
  dailySummary,
  providerSummary,
  rates,
  executionQuality,
  openTransactions,
  quarantine,
  payoutReconciliation,
  itemised,
  discrepancies,
  openErrors,
  ageing,
  position,
  unsettled,
  receivable,
  journal,
  feeVariance,
  receipts,
  auditTrail,
];

/** `transactions.v1`, or `transactions` for the newest version. */
export function findReport(name: string): Report | null {
  const exact = reports.find((report) => reportId(report) === name);
  if (exact) return exact;
  const versions = reports.filter((report) => report.name === name);
  return versions.toSorted((a, b) => b.version - a.version)[0] ?? null;
}
