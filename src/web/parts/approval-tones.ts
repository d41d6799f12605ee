/** How the state of an approval looks. */
export const approvalTones = {
  proposed: "calm",
  approved: "good",
  rejected: "bad",
  withdrawn: "plain",
  lapsed: "plain",
} as const;
