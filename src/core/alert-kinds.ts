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

/** How much a rule lets pass; `null` where its kind has no such limit. */
export interface AlertLimit {
  limitSeconds: number | null;
  limitAmount: string | null;
  currency: string | null;
}

/** What is wrong with the limit of a rule: the field, and why; `null`: nothing. */
export function limitProblem(
  kind: AlertKind,
  { limitSeconds, limitAmount, currency }: AlertLimit,
): { field: "limit_seconds" | "limit_amount" | "currency"; why: string } | null {
  const { limit } = alertKinds[kind];
  if (limit === "seconds" && limitSeconds === null)
    return {
      field: "limit_seconds",
      why: `is missing: a rule of the kind ${kind} says how old data may get`,
    };
  if (limit !== "seconds" && limitSeconds !== null)
    return { field: "limit_seconds", why: `is nothing that a rule of the kind ${kind} has` };
  if (limit === "amount" && limitAmount === null)
    return {
      field: "limit_amount",
      why: `is missing: a rule of the kind ${kind} says how much may be at risk`,
    };
  if (limit !== "amount" && limitAmount !== null)
    return { field: "limit_amount", why: `is nothing that a rule of the kind ${kind} has` };
  if ((limitAmount === null) !== (currency === null))
    return {
      field: "currency",
      why:
        limitAmount === null ? `is nothing that a rule of the kind ${kind} has` : "of the amount is missing",
    };
  return null;
}
