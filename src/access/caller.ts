import type { Scope } from "../core/scopes.ts";

/** Who asks, and what they may do: a person who is signed in, or a key that was found good. */
export interface Caller {
  /** As the audit log has it: `person:12` or `key:3fK9ZQ2b`. */
  actor: string;
  /** For people to read. */
  name: string;
  /** The key, when one was sent. */
  keyId: string | null;
  /** Who is signed in, or who owns the key; keys made on the command line may have no owner. */
  personId: number | null;
  /** Of a session that was opened by a link: who made that link. Whoever did could have used it as well. */
  vouchedBy: string | null;
  scopes: ReadonlySet<Scope>;
  /** `null`: every account. */
  accountIds: readonly number[] | null;
}

export function actorOfPerson(id: number): string {
  return `person:${id}`;
}

export function actorOfKey(id: string): string {
  return `key:${id}`;
}
