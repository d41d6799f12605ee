import type { Transaction } from "../../store/database.ts";
import { type Author, recordAudit } from "../../store/people/audit-log.ts";
import type { StoredStatement } from "../../store/statements/statements.ts";

/** What was imported, by whom, and the hash of the file. */
export async function auditImport(
  tx: Transaction,
  task: Author,
  statement: StoredStatement,
  keptSha256: string | null,
): Promise<void> {
  await recordAudit(tx, {
    actor: task.actor,
    action: "statement.imported",
    subject: `statement ${statement.id}`,
    after: {
      account: statement.account,
      provider: statement.provider,
      file_name: statement.fileName,
      sha256: statement.sha256.toString("hex"),
      ...(keptSha256 === null ? {} : { kept_sha256: keptSha256 }),
      profile: `${statement.profile} ${statement.profileVersion}`,
      rows_read: statement.rowsRead,
      accepted: statement.rowsAccepted,
      restated: statement.rowsRestated,
      duplicate: statement.rowsDuplicate,
      rejected: statement.rowsRejected,
      replaces: statement.replacesId,
      accepted_codes: statement.acceptedCodes,
    },
    reason: statement.acceptedReason ?? undefined,
    requestId: task.requestId,
  });
}
