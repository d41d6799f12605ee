import { propose } from "../../access/approvals.ts";
import type { ErasureKey } from "../../core/erasure.ts";
import { usageError } from "../../core/errors.ts";
import { describeErasure, keepSubject } from "../../reconcile/erasure/approved-erasure.ts";
import { type ErasureResult, previewErasure } from "../../reconcile/erasure/erase.ts";
import type { Database } from "../../store/database.ts";
import type { ErasureSubject } from "../../store/erasure/find-affected.ts";

/** Counts what it would change, and proposes it: another person decides. Nothing is erased yet. */
export async function proposeErasure(
  { database, key }: { database: Database; key: ErasureKey },
  subject: ErasureSubject,
  { reason, proposedBy }: { reason: string; proposedBy: number },
  author: { actor: string; vouchedBy: string | null; requestId: string },
): Promise<ErasureResult & { approvalId: number }> {
  const { accountId, kind, value } = subject;
  if (kind === "wallet" && reason.toLowerCase().includes(value.trim().toLowerCase()))
    throw usageError("leave the wallet out of the reason; the reason is kept for ever");
  const preview = await previewErasure({ database, key }, subject);
  const approvalId = await database.transaction(async (tx) => {
    const described = describeErasure(key, subject, preview.counts, preview.closedMonths);
    const id = await propose(tx, { kind: "erase", accountId, ...described, proposedBy, reason }, author);
    await keepSubject(tx, key, { approvalId: id, value });
    return id;
  });
  return { ...preview, approvalId };
}
