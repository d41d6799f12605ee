import type { Scope } from "../core/scopes.ts";
import { voucherGap } from "../core/signing-together.ts";

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
  /** Their name; of a key, its owner's. */
  personName: string | null;
  /**
   * Everyone who could be this caller besides the person: who made the link that the session came from, or that the
   * passkey or the key goes back to. A list such as `person:1, person:4`; of the company's sign-in service, its address.
   */
  vouchedBy: string | null;
  scopes: ReadonlySet<Scope>;
  /** `null`: every account. */
  accountIds: readonly number[] | null;
}

/** Whom a link counts as made by: the person, whichever key or session they used, and everyone who could be them there. */
export function vouchersFrom({
  actor,
  personId,
  vouchedBy,
}: Pick<Caller, "actor" | "personId" | "vouchedBy">): string {
  const maker = personId === null ? actor : actorOfPerson(personId);
  return [...new Set([maker, ...(vouchedBy?.split(voucherGap) ?? [])])].join(voucherGap);
}

export function actorOfPerson(id: number): string {
  return `person:${id}`;
}

export function actorOfKey(id: string): string {
  return `key:${id}`;
}
