import { and, eq } from "drizzle-orm";
import type { Queryable, Transaction } from "../database.ts";
import { personIdentities } from "../schema/sign-in-methods.ts";

export interface Identity {
  issuer: string;
  subject: string;
}

export async function findPersonOfIdentity(
  database: Queryable,
  { issuer, subject }: Identity,
): Promise<number | null> {
  const [row] = await database.orm
    .select({ personId: personIdentities.personId })
    .from(personIdentities)
    .where(and(eq(personIdentities.issuer, issuer), eq(personIdentities.subject, subject)));
  return row?.personId ?? null;
}

export async function linkIdentity(tx: Transaction, identity: Identity, personId: number): Promise<void> {
  await tx.orm.insert(personIdentities).values({ ...identity, personId });
}
