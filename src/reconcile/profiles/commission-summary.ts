import type { ProfileSource } from "../statement/profile.ts";

/** One sum for each month and currency, without orders: held against what the orders' own lines come to. */
export const commissionSummary: ProfileSource = {
  name: "commission-summary",
  version: 1,
  provider: null,
  about:
    "A monthly commission statement: period (2026-10), currency and commission, and how many orders it is about. " +
    "It moves nothing and covers nothing; a sum that is not that of the month's lines is a discrepancy.",
  time: { format: "YYYY-MM", zone: "UTC" },
  columns: {
    provider: "provider",
    effective_at: ["period", "month"],
    net_currency: "currency",
    net_amount: ["commission", "partner_fee", "revenue_share"],
  },
  required: ["effective_at", "net_currency", "net_amount"],
  line_type_default: "commission_total",
  period_basis: "summary",
  identity: { mode: "unique", columns: ["effective_at", "net_currency"] },
};
