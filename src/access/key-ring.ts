import { timingSafeEqual } from "node:crypto";
import { hashApiKey, parseApiKey } from "../core/api-key.ts";
import { MINUTE, SECOND } from "../core/duration.ts";
import { effectiveScopes, scopesOfRoles } from "../core/roles.ts";
import { findKey, type KeyToCheck, noteUse } from "../store/people/api-keys.ts";
import type { Database } from "../store/database.ts";
import { actorOfKey, type Caller } from "./caller.ts";
import { createMemory } from "../core/remember.ts";

type KeyVerdict =
  | { kind: "good"; caller: Caller }
  | { kind: "malformed" | "unknown" | "revoked" | "expired" | "owner_suspended" | "unapproved" };

/** The keys that are known here, as they were at most `keepMs` ago. */
export interface KeyRing {
  check(key: string): Promise<KeyVerdict>;
  /** After a change made by this process; other processes see it within `keepMs`. */
  forget(id: string): void;
}

/** A key revoked elsewhere is good for one more second at most; a busy client costs one query in that time. */
const keepMs = SECOND;

/** Compared with when there is no such key: the same work is done, so that time does not tell which ids exist. */
const nobody = hashApiKey("");

export function createKeyRing(deps: {
  database: Database;
  now: () => number;
  onError: (error: unknown) => void;
  compare?: typeof timingSafeEqual;
}): KeyRing {
  const { database, now, compare = timingSafeEqual } = deps;
  const known = createMemory<KeyToCheck | null>({ now, keepMs });
  const noted = createMemory<void>({ now, keepMs: MINUTE });

  return {
    async check(key) {
      const parts = parseApiKey(key);
      if (parts === null) return { kind: "malformed" };
      const held = await known.get(parts.id, () => findKey(database, parts.id));
      const isRight = compare(hashApiKey(key), held?.secretHash ?? nobody);
      if (held === null || !isRight) return { kind: "unknown" };
      if (held.revoked) return { kind: "revoked" };
      if (held.expiresAtMs <= now()) return { kind: "expired" };
      if (held.unapproved) return { kind: "unapproved" };
      if (held.owner?.suspended === true) return { kind: "owner_suspended" };
      // Not awaited, because a database that takes no writes can still be read.
      void noted.get(held.id, () => noteUse(database, held.id)).catch(deps.onError);
      return { kind: "good", caller: callerOf(held) };
    },
    forget: (id) => known.forget(id),
  };
}

/** A key does what it was made for, and never more than its owner may do at this moment. */
function callerOf(held: KeyToCheck): Caller {
  const { owner } = held;
  const own = effectiveScopes(held.role, held.scopes);
  const lent = owner === null ? own : scopesOfRoles(owner.roles).filter((scope) => own.includes(scope));
  return {
    actor: actorOfKey(held.id),
    name: held.name,
    keyId: held.id,
    personId: held.ownerId,
    personName: owner?.name ?? null,
    vouchedBy: held.vouchedBy,
    scopes: new Set(lent),
    accountIds: inBoth(held.accountIds, owner?.accountIds ?? null),
  };
}

/** `null` is every account. What is left may be none, and then the key sees nothing. */
function inBoth(some: readonly number[] | null, others: readonly number[] | null): readonly number[] | null {
  if (some === null || others === null) return some ?? others;
  return some.filter((id) => others.includes(id));
}
