/** Where each side of an entry is booked. `{account}`, `{provider}` and `{currency}` in a code or name are filled in. */
export interface ChartAccount {
  /** As programs with numbered accounts know it. */
  readonly code: string;
  /** From the whole to the part, with colons between. */
  readonly name: string;
  /** The tax rate by its name, for programs that ask for one on every line. */
  readonly tax_rate?: string;
}

/** The accounts that the journal books to, as they are until a company names its own. */
export const defaultChart = {
  receivable: { code: "1200", name: "assets:receivable:{provider}" },
  payouts_in_transit: { code: "1210", name: "assets:payouts in transit:{provider}" },
  payout_differences: { code: "1215", name: "assets:payout differences:{provider}" },
  reserves: { code: "1220", name: "assets:reserves held:{provider}" },
  bank: { code: "1000", name: "assets:bank" },
  unassigned_receipts: { code: "2100", name: "liabilities:unassigned receipts" },
  currency_exchange: { code: "3900", name: "equity:currency exchange" },
  commission_income: { code: "4000", name: "income:commission:{provider}" },
  sales: { code: "4100", name: "income:customer payments:{provider}" },
  provider_fees: { code: "5000", name: "expenses:provider fees:{provider}" },
  refunds: { code: "5100", name: "expenses:refunds:{provider}" },
  chargebacks: { code: "5200", name: "expenses:chargebacks:{provider}" },
  adjustments: { code: "5300", name: "expenses:adjustments:{provider}" },
  write_offs: { code: "5400", name: "expenses:write-offs:{provider}" },
  bank_fees: { code: "5500", name: "expenses:bank fees" },
  exchange_differences: { code: "5600", name: "expenses:exchange gains and losses" },
} as const satisfies Record<string, ChartAccount>;

export type ChartAccountName = keyof typeof defaultChart;
export const chartAccountNames = Object.keys(defaultChart) as ChartAccountName[];

/** What a line of a journal says about tax where the chart says nothing. */
export const defaultTaxRate = "Tax Exempt";
