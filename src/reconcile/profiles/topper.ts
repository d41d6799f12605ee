import type { ProfileSource } from "../statement/profile.ts";
import { bothLegs, lineTypeWords, orderIdentity, payoutColumns } from "./shared-words.ts";

export const topper: ProfileSource = {
  name: "topper",
  version: 1,
  provider: "topper",
  about: "Gross fiat; the partner fee is listed but not deducted: it is inside the deposit fee.",
  columns: {
    provider_transaction_id: "data.id",
    our_reference: "bootstrapTokenId",
    status: "status",
    from_currency: "origin.asset",
    from_amount: "origin.amount",
    from_network: "origin.network",
    to_currency: "destination.asset",
    to_amount: "destination.amount",
    to_network: "destination.network",
    fee_processing: "fees.deposit",
    fee_network: "fees.network",
    fee_partner: "fees.partner",
    transaction_hash: "destination.ledger.txid",
    wallet_address: "destination.address",
    address_tag: "destination.tag",
    created_at: "createdAt",
    effective_at: "updatedAt",
    ...payoutColumns,
  },
  required: ["provider_transaction_id", ...bothLegs, "fee_processing", "created_at"],
  line_types: lineTypeWords,
  side: "by_currency",
  statuses: {
    any: {
      pending: "awaiting_payment",
      processing: "processing",
      completed: "settled",
      // Canceled and abandoned orders too.
      expired: "expired",
      failed: "failed",
      refunded: "refunded",
    },
  },
  fiat_basis: "gross",
  fees_deducted: ["fee_processing", "fee_network"],
  identity: orderIdentity,
};
