import type { Scope } from "../core/scopes.ts";
import type { Caller } from "./caller.ts";

/** What a route, a screen or a report asks of its caller. */
export interface Needed {
  /** All of them. */
  scopes: readonly Scope[];
  /** Concerns the service as a whole: not for those who are limited to accounts. */
  wholeService?: boolean;
}

export type Refusal = { kind: "scope_missing"; missing: Scope[] } | { kind: "limited" };

/**
 * The one decision whether someone may do something, for the API and the page alike; `null`: they may. Which accounts
 * they see is not a decision: what lies outside is not there for them.
 */
export function refusalOf({ scopes, accountIds }: Caller, needed: Needed): Refusal | null {
  const missing = needed.scopes.filter((scope) => !scopes.has(scope));
  if (missing.length > 0) return { kind: "scope_missing", missing };
  if (needed.wholeService === true && accountIds !== null) return { kind: "limited" };
  return null;
}

/** What someone would hand on without having it: nothing can be granted that the granter lacks. */
export function lackingToGrant(
  granter: Pick<Caller, "scopes" | "accountIds">,
  granted: { scopes: readonly Scope[]; accountIds: readonly number[] | null },
): { scopes: Scope[]; accounts: boolean } {
  return {
    scopes: granted.scopes.filter((scope) => !granter.scopes.has(scope)),
    accounts:
      granter.accountIds !== null &&
      (granted.accountIds === null || granted.accountIds.some((id) => !granter.accountIds?.includes(id))),
  };
}
