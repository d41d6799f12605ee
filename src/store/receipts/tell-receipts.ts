import type { LastRun } from "../books/runs.ts";
import type { Run } from "../books/run.ts";

/**
 * Tells webhook endpoints which payouts have arrived since the run before, in full or in part, in the database transaction
 * in which that became known. Whatever changes that goes through a run, so its time divides what was told from what is new.
 */
export async function tellReceipts({ tx, accountId }: Run, last: LastRun | null): Promise<void> {
  await tx.query("select tieout.tell_receipts($1, $2::timestamptz)", [accountId, last?.asAt ?? "-infinity"]);
}
