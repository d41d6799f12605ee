import { and, eq, lte, sql } from "drizzle-orm";
import { MINUTE } from "../../core/duration.ts";
import { clockIn, clockNow } from "../clock-time.ts";
import type { Database } from "../database.ts";
import { signInStates } from "../schema/sign-in-methods.ts";
import { tokenHash } from "./token-hash.ts";

/** As long as someone may look for their telephone. */
export const signInStateKeepMs = 10 * MINUTE;

export type StateMethod = "passkey" | "add-passkey" | "oidc";

export async function keepSignInState(
  database: Database,
  token: string,
  method: StateMethod,
  asked: Record<string, string>,
): Promise<void> {
  await database.orm.delete(signInStates).where(lte(signInStates.expiresAt, clockNow));
  await database.orm
    .insert(signInStates)
    .values({ tokenHash: tokenHash(token), method, asked, expiresAt: clockIn(signInStateKeepMs) });
}

/** Uses it up. `null`: there is none, it was used before, or its time is over. */
export async function takeSignInState(
  database: Database,
  token: string,
  method: StateMethod,
): Promise<Record<string, string> | null> {
  const [row] = await database.orm
    .delete(signInStates)
    .where(and(eq(signInStates.tokenHash, tokenHash(token)), eq(signInStates.method, method)))
    .returning({
      asked: signInStates.asked,
      good: sql<boolean>`${signInStates.expiresAt} > clock_timestamp()`,
    });
  return row?.good === true ? row.asked : null;
}
