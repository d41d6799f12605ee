/** What alert rules can watch; `limit` says which limit a rule of the kind has. */
export const alertKinds = {
  data_old: { title: "Data is older than", limit: "seconds" },
  value_at_risk: { title: "Value at risk is above", limit: "amount" },
  payout_overdue: { title: "A payout is overdue", limit: null },
  statement_missing: { title: "A statement is missing after its day", limit: null },
  account_paused: { title: "An account is paused or refused", limit: null },
  quarantine: { title: "Quarantine is not empty", limit: null },
} as const satisfies Record<string, { title: string; limit: "seconds" | "amount" | null }>;

export type AlertKind = keyof typeof alertKinds;

export function isAlertKind(text: string): text is AlertKind {
  return Object.hasOwn(alertKinds, text);
}
