/** What needs two people: one proposes, another decides. */
export const approvalKinds = ["write_off", "admin_key", "settings", "reopen", "erase"] as const;

export type ApprovalKind = (typeof approvalKinds)[number];

export const approvalStates = ["proposed", "approved", "rejected", "withdrawn", "lapsed"] as const;

export type ApprovalState = (typeof approvalStates)[number];

/** What a write-off would book: how much, and from which instant on. `null`: from when it is approved. */
export function bookingOf(details: Record<string, unknown>): {
  amount: string | null;
  currency: string | null;
  bookedAt: string | null;
} {
  const text = (name: string) => {
    const value = details[name];
    return typeof value === "string" ? value : null;
  };
  return { amount: text("amount"), currency: text("currency"), bookedAt: text("booked_at") };
}
