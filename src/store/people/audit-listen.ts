import type { Database } from "../database.ts";
import { type AuditHead, readAuditHead } from "./audit-head.ts";

/**
 * Calls back with the newest entry of the audit log: at once, and then whenever somebody has written one, in whatever
 * process. Returns when it is told to stop; throws when the connection is lost.
 */
export async function listenForAuditHeads(
  database: Database,
  onHead: (head: AuditHead) => Promise<void>,
  stopping: AbortSignal,
): Promise<void> {
  await database.session(async (client) => {
    let due = true;
    let wake: () => void = () => undefined;
    const lost: { reason?: Error } = {};
    const ring = () => {
      due = true;
      wake();
    };
    const fail = (error: Error) => {
      lost.reason = error;
      wake();
    };
    client.on("notification", ring);
    client.on("error", fail);
    stopping.addEventListener("abort", ring);
    try {
      await client.query("listen tieout_audit");
      while (!stopping.aborted && lost.reason === undefined) {
        if (due) {
          due = false;
          const head = await readAuditHead(database);
          if (head !== null) await onHead(head);
        } else {
          await new Promise<void>((resolve) => (wake = resolve));
        }
      }
    } finally {
      client.off("notification", ring);
      client.off("error", fail);
      stopping.removeEventListener("abort", ring);
    }
    if (lost.reason !== undefined) throw lost.reason;
    await client.query("unlisten *");
  });
}
