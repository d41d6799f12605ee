/** What needs two people: one proposes, another decides. */
export const approvalKinds = ["write_off", "admin_key", "settings", "reopen", "erase"] as const;

export type ApprovalKind = (typeof approvalKinds)[number];

export const approvalStates = ["proposed", "approved", "rejected", "withdrawn"] as const;

export type ApprovalState = (typeof approvalStates)[number];
