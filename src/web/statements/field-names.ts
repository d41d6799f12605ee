/** The columns of a line, as an accountant names them. */
const fields: Readonly<Record<string, { title: string; isFigure?: true; isTime?: true }>> = {
  line_type: { title: "Type" },
  side: { title: "Direction" },
  provider_status: { title: "Provider’s status" },
  status: { title: "Status" },
  provider_transaction_id: { title: "Provider’s id" },
  our_reference: { title: "Our reference" },
  payout_ref: { title: "Payout" },
  fiat_currency: { title: "Currency" },
  fiat_gross: { title: "Gross", isFigure: true },
  fiat_net: { title: "Net", isFigure: true },
  asset: { title: "Coin" },
  network: { title: "Network" },
  crypto_amount: { title: "Crypto", isFigure: true },
  fee_total: { title: "Fees", isFigure: true },
  fee_processing: { title: "Processing fee", isFigure: true },
  fee_network: { title: "Network fee", isFigure: true },
  fee_partner: { title: "Our share", isFigure: true },
  fee_currency: { title: "Currency of the fees" },
  rate: { title: "Rate", isFigure: true },
  rate_basis: { title: "Direction of the rate" },
  rate_applies_to: { title: "What the rate applies to" },
  net_amount: { title: "Owed to us", isFigure: true },
  net_currency: { title: "Currency owed" },
  category: { title: "Category" },
  transaction_hash: { title: "Chain hash" },
  wallet_address: { title: "Wallet" },
  address_tag: { title: "Tag of the wallet" },
  created_at: { title: "Created", isTime: true },
  effective_at: { title: "Time", isTime: true },
  extra: { title: "Other columns" },
};

/** A column of a later version names itself. */
export function fieldOf(column: string): { title: string; isFigure?: true; isTime?: true } {
  return fields[column] ?? { title: column.replaceAll("_", " ") };
}

const order = Object.keys(fields);

/** Columns in the order of a line; those of a later version first. */
export function byField(one: string, other: string): number {
  return order.indexOf(one) - order.indexOf(other);
}
