import type { ProfileSource } from "../statement/profile.ts";
import { fiatAndCoin, lineTypeWords, orderIdentity, payoutColumns } from "./shared-words.ts";

export const stripe: ProfileSource = {
  name: "stripe",
  version: 1,
  provider: "stripe",
  about: "Gross fiat: 100 + 0.17 + 4.04 = 104.21. Buys only; times are Unix seconds.",
  time: { format: "unix_s" },
  columns: {
    provider_transaction_id: "id",
    our_reference: "metadata",
    status: "status",
    fiat_currency: "source_currency",
    fiat_amount: "source_amount",
    asset: "destination_currency",
    crypto_amount: "destination_amount",
    network: "destination_network",
    fee_processing: "transaction_fee_amount",
    fee_network: "network_fee_amount",
    transaction_hash: "transaction_details.transaction_id",
    wallet_address: "wallet_address",
    created_at: "created",
    effective_at: "created",
    ...payoutColumns,
  },
  required: ["provider_transaction_id", ...fiatAndCoin, "fee_processing", "created_at"],
  line_types: lineTypeWords,
  side: "buy",
  statuses: {
    any: {
      initialized: "created",
      requires_payment: "awaiting_payment",
      fulfillment_processing: "delivering",
      fulfillment_complete: "settled",
      rejected: "failed",
    },
  },
  fiat_basis: "gross",
  fees_deducted: ["fee_processing", "fee_network"],
  identity: orderIdentity,
};
