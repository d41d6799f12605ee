import type { Transaction } from "../../store/database.ts";
import { type Author, recordAudit } from "../../store/people/audit-log.ts";
import type { StoredReceiptFile } from "../../store/receipts/receipt-files.ts";
import type { StoredStatement } from "../../store/statements/statements.ts";

/** What was imported, by whom, and the hash of the file. */
export async function auditImport(
  tx: Transaction,
  { actor, requestId }: Author,
  kind: "statement" | "receipts",
  file: StoredStatement | StoredReceiptFile,
  about: Readonly<Record<string, unknown>>,
): Promise<void> {
  await recordAudit(tx, {
    actor,
    action: `${kind}.imported`,
    subject: `${kind} ${file.id}`,
    after: {
      ...about,
      account: file.account,
      file_name: file.fileName,
      sha256: file.sha256.toString("hex"),
      rows_read: file.rowsRead,
      accepted: file.rowsAccepted,
      restated: file.rowsRestated,
      duplicate: file.rowsDuplicate,
      rejected: file.rowsRejected,
      accepted_codes: file.acceptedCodes,
    },
    reason: file.acceptedReason ?? undefined,
    requestId,
  });
}
