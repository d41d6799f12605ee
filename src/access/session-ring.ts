import { HOUR, MINUTE, SECOND } from "../core/duration.ts";
import { createMemory } from "../core/remember.ts";
import { scopesOfRoles } from "../core/roles.ts";
import type { Database } from "../store/database.ts";
import { noteSeen, type OpenSession, readSession } from "../store/people/sessions.ts";
import { actorOfPerson, type Caller } from "./caller.ts";

/** A working day in all; and someone who went home without signing out is not signed in for long. */
export const sessionLife = { absoluteMs: 12 * HOUR, idleMs: 2 * HOUR };

/** Someone who is suspended, or signs out everywhere, is out within a second in every process. */
const keepMs = SECOND;

/** The sessions that are known here, as they were at most a second ago. */
export interface SessionRing {
  find(token: string): Promise<OpenSession | null>;
  /** After a change made by this process; other processes see it within a second. */
  forget(token: string): void;
}

export function createSessionRing(deps: {
  database: Database;
  now: () => number;
  onError: (error: unknown) => void;
}): SessionRing {
  const { database, now } = deps;
  const known = createMemory<OpenSession | null>({ now, keepMs });
  const noted = createMemory<void>({ now, keepMs: MINUTE });
  return {
    async find(token) {
      const session = await known.get(token, () => readSession(database, token, sessionLife));
      // Not waited for: a database that cannot be written to can still be read.
      if (session !== null) void noted.get(token, () => noteSeen(database, token)).catch(deps.onError);
      return session;
    },
    forget: (token) => known.forget(token),
  };
}

export function callerOfSession(session: OpenSession): Caller {
  return {
    actor: actorOfPerson(session.personId),
    name: session.name,
    keyId: null,
    personId: session.personId,
    personName: session.name,
    vouchedBy: session.vouchedBy,
    scopes: new Set(scopesOfRoles(session.roles)),
    accountIds: session.accountIds,
  };
}
