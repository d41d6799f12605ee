import type { ProfileSource } from "../statement/profile.ts";
import { fiatAndCoin, lineTypeWords, orderIdentity, payoutColumns } from "./shared-words.ts";

export const simplex: ProfileSource = {
  name: "simplex",
  version: 1,
  provider: "simplex",
  about:
    "Gross fiat, no fees, no side: a buy and a sell export look alike. No networks: ETH may be on any. order_id is ours, payment_id theirs.",
  time: { format: "unix_s" },
  columns: {
    provider_transaction_id: "payment_id",
    our_reference: "order_id",
    status: "status_name",
    fiat_currency: "currency",
    fiat_amount: "fiat_total_amount",
    asset: "crypto_currency",
    crypto_amount: "amount_crypto",
    transaction_hash: "blockchain_txn_hash",
    created_at: "created_at",
    effective_at: ["updated_at", "created_at"],
    ...payoutColumns,
  },
  required: ["provider_transaction_id", ...fiatAndCoin, "created_at"],
  bare_coin: "any_network",
  line_types: lineTypeWords,
  statuses: {
    any: {
      submitted: "created",
      // Ordered, not delivered.
      approved: "captured",
      declined: "failed",
      crypto_sent: "settled",
      refunded: "refunded",
    },
  },
  identity: orderIdentity,
};
