import { eq } from "drizzle-orm";
import type { Transaction } from "../database.ts";
import { erasureRequests } from "../schema/erasures.ts";

/** Keeps what an erasure is about until a second person has decided; the database removes it then. */
export async function keepErasureRequest(
  tx: Transaction,
  request: typeof erasureRequests.$inferInsert,
): Promise<void> {
  await tx.orm.insert(erasureRequests).values(request).onConflictDoNothing();
}

export async function readErasureRequest(tx: Transaction, approvalId: number): Promise<Buffer | null> {
  const [row] = await tx.orm
    .select({ sealed: erasureRequests.sealed })
    .from(erasureRequests)
    .where(eq(erasureRequests.approvalId, approvalId));
  return row?.sealed ?? null;
}
