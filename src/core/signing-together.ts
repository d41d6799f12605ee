/** Whether two people can give the two signatures of one thing. The database has the last word on it. */

/** Between the vouchers of a list such as `person:1, person:4`. */
export const voucherGap = ", ";

/** Who signs, and everyone else who could have opened their session. */
export interface SignsAs {
  actor: string;
  vouchedBy: string | null;
}

/** Why two people cannot sign together: whose sign-in goes back to a link that the other could have opened. */
export type Tie = "mine_to_theirs" | "theirs_to_mine";

/** `null`: they can sign together. */
export function tieBetween(me: SignsAs, other: SignsAs): Tie | null {
  if (hasVouched(me.vouchedBy, other.actor)) return "mine_to_theirs";
  return hasVouched(other.vouchedBy, me.actor) ? "theirs_to_mine" : null;
}

function hasVouched(vouchedBy: string | null, actor: string): boolean {
  return vouchedBy?.split(voucherGap).includes(actor) ?? false;
}
