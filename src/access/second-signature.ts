import type { Scope } from "../core/scopes.ts";
import { type SignsAs, type Tie, tieBetween } from "../core/signing-together.ts";
import { actorOfPerson, type Caller } from "./caller.ts";

/** Why someone cannot give the second signature: the first is their own, no role of theirs may, or one let the other in. */
export type Hindrance = "own" | "role" | Tie;

/** `null`: they can. */
export function hindranceOf(
  { personId, vouchedBy, scopes }: Pick<Caller, "personId" | "vouchedBy" | "scopes">,
  first: SignsAs,
  needed: Scope,
): Hindrance | null {
  const actor = personId === null ? null : actorOfPerson(personId);
  if (first.actor === actor) return "own";
  if (actor === null || !scopes.has(needed)) return "role";
  return tieBetween({ actor, vouchedBy }, first);
}
