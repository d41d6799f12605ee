import { eq, gt, lte, or, sql } from "drizzle-orm";
import { clockIn, clockNow } from "../clock-time.ts";
import type { Queryable, Transaction } from "../database.ts";
import { people, signInLinks } from "../schema/people.ts";
import { tokenHash } from "./token-hash.ts";

export type LinkPurpose = (typeof signInLinks.$inferSelect)["purpose"];

/** A link that was found good: what it is for, and for whom. */
export interface GoodLink {
  purpose: LinkPurpose;
  personId: number | null;
  personName: string | null;
  /** Who could open it besides that person. */
  vouchedBy: string | null;
}

const goodColumns = {
  purpose: signInLinks.purpose,
  personId: signInLinks.personId,
  vouchedBy: signInLinks.vouchedBy,
  good: sql<boolean>`${signInLinks.expiresAt} > clock_timestamp()`,
};

/** Of a person there is one link at a time: a newer one takes the place of the older. */
export async function addSignInLink(
  tx: Transaction,
  link: Omit<typeof signInLinks.$inferInsert, "tokenHash" | "expiresAt"> & {
    token: string;
    personId: number | null;
    keepMs: number;
  },
): Promise<void> {
  const { token, keepMs, ...row } = link;
  await tx.orm
    .delete(signInLinks)
    .where(
      or(
        lte(signInLinks.expiresAt, clockNow),
        row.personId === null ? undefined : eq(signInLinks.personId, row.personId),
      ),
    );
  await tx.orm
    .insert(signInLinks)
    .values({ ...row, tokenHash: tokenHash(token), expiresAt: clockIn(keepMs) });
}

/** Looks at a link without using it up. */
export async function readSignInLink(database: Queryable, token: string): Promise<GoodLink | null> {
  const [row] = await database.orm
    .select({ ...goodColumns, personName: people.name })
    .from(signInLinks)
    .leftJoin(people, eq(people.id, signInLinks.personId))
    .where(eq(signInLinks.tokenHash, tokenHash(token)));
  return row?.good === true ? row : null;
}

/** Whether anyone has been given a way in that still works. */
export async function hasGoodLink(database: Queryable): Promise<boolean> {
  const found = await database.orm
    .select({ purpose: signInLinks.purpose })
    .from(signInLinks)
    .where(gt(signInLinks.expiresAt, clockNow))
    .limit(1);
  return found.length > 0;
}

/** Uses a link up. `null`: there is no such link, or its time is over. */
export async function useSignInLink(
  tx: Transaction,
  token: string,
): Promise<Omit<GoodLink, "personName"> | null> {
  const [row] = await tx.orm
    .delete(signInLinks)
    .where(eq(signInLinks.tokenHash, tokenHash(token)))
    .returning(goodColumns);
  return row?.good === true ? row : null;
}

/** Once someone is the first, and when someone is suspended, links that were made before open nothing. */
export async function dropSignInLinks(tx: Transaction, personId: number | null): Promise<void> {
  const of = personId === null ? sql`${signInLinks.personId} is null` : eq(signInLinks.personId, personId);
  await tx.orm.delete(signInLinks).where(of);
}
