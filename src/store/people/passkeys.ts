import { and, asc, eq, lt, or, sql } from "drizzle-orm";
import { clockNow } from "../clock-time.ts";
import type { Queryable, Transaction } from "../database.ts";
import { passkeys } from "../schema/sign-in-methods.ts";

export type Passkey = typeof passkeys.$inferSelect;

export async function listPasskeys(database: Queryable, personId: number): Promise<Passkey[]> {
  return database.orm
    .select()
    .from(passkeys)
    .where(eq(passkeys.personId, personId))
    .orderBy(asc(passkeys.createdAt));
}

export async function readPasskey(database: Queryable, id: string): Promise<Passkey | null> {
  const [row] = await database.orm.select().from(passkeys).where(eq(passkeys.id, id));
  return row ?? null;
}

/** `false`: the key is known already, here or of someone else. */
export async function insertPasskey(
  tx: Transaction,
  passkey: Omit<Passkey, "createdAt" | "lastUsedAt">,
): Promise<boolean> {
  const added = await tx.orm
    .insert(passkeys)
    .values(passkey)
    .onConflictDoNothing()
    .returning({ id: passkeys.id });
  return added.length > 0;
}

/** `false`: the counter has not grown, so someone has a copy. Devices that count nothing always say 0. */
export async function notePasskeyUse(tx: Transaction, id: string, counter: number): Promise<boolean> {
  const used = await tx.orm
    .update(passkeys)
    .set({ counter, lastUsedAt: clockNow })
    .where(
      and(
        eq(passkeys.id, id),
        or(lt(passkeys.counter, counter), sql`${passkeys.counter} = 0 and ${counter} = 0`),
      ),
    )
    .returning({ id: passkeys.id });
  return used.length > 0;
}

export async function deletePasskey(tx: Transaction, personId: number, id: string): Promise<Passkey | null> {
  const [row] = await tx.orm
    .delete(passkeys)
    .where(and(eq(passkeys.id, id), eq(passkeys.personId, personId)))
    .returning();
  return row ?? null;
}
