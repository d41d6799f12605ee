import type { Database } from "../database.ts";
import { listenTo } from "../listen.ts";
import { type AuditHead, readAuditHead } from "./audit-head.ts";

/**
 * Calls back with the newest entry of the audit log: at once, and then whenever someone has written one, in whatever
 * process. Returns when it is told to stop; throws when the connection is lost.
 */
export async function listenForAuditHeads(
  database: Database,
  onHead: (head: AuditHead) => Promise<void>,
  stopping: AbortSignal,
): Promise<void> {
  await listenTo(
    database,
    "tieout_audit",
    async () => {
      const head = await readAuditHead(database);
      if (head !== null) await onHead(head);
    },
    stopping,
  );
}
