import type { Transaction } from "../database.ts";
import { auditLog } from "../schema/audit-log.ts";

export interface AuditEntry {
  actor: string;
  action: string;
  subject: string;
  before?: unknown;
  after?: unknown;
  reason?: string;
  requestId?: string;
}

/** Written in the database transaction of the change itself: there is no change without its entry, and no entry without. */
export async function recordAudit(tx: Transaction, entry: AuditEntry): Promise<void> {
  await tx.orm.insert(auditLog).values({
    actor: entry.actor,
    action: entry.action,
    subject: entry.subject,
    before: entry.before,
    after: entry.after,
    reason: entry.reason,
    requestId: entry.requestId,
    // The trigger `chain_entry` puts the true values here.
    number: 0,
    at: "now",
    previousHash: Buffer.alloc(0),
    hash: Buffer.alloc(0),
  });
}
