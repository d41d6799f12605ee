import type { ProfileSource } from "../statement/profile.ts";
import { buyAndSell, fiatAndCoin, lineTypeWords, orderIdentity, payoutColumns } from "./shared-words.ts";

export const transak: ProfileSource = {
  name: "transak",
  version: 1,
  provider: "transak",
  about: "Gross fiat; the partner fee lies inside the total fee; the rate is crypto per fiat.",
  columns: {
    provider_transaction_id: ["id", "orderId"],
    our_reference: "partnerOrderId",
    side: "isBuyOrSell",
    status: "status",
    fiat_currency: "fiatCurrency",
    fiat_amount: "fiatAmount",
    asset: "cryptoCurrency",
    crypto_amount: "cryptoAmount",
    network: "network",
    fee_total: "totalFeeInFiat",
    fee_partner: "partnerFeeInLocalCurrency",
    rate: "conversionPrice",
    transaction_hash: "transactionHash",
    wallet_address: "walletAddress",
    created_at: "createdAt",
    effective_at: "completedAt",
    ...payoutColumns,
  },
  required: ["provider_transaction_id", "side", ...fiatAndCoin, "fee_total", "created_at"],
  line_types: lineTypeWords,
  side: buyAndSell,
  statuses: {
    any: {
      AWAITING_PAYMENT_FROM_USER: "awaiting_payment",
      // Only the customer's claim.
      PAYMENT_DONE_MARKED_BY_USER: "processing",
      PROCESSING: "processing",
      PENDING_DELIVERY_FROM_TRANSAK: "captured",
      ON_HOLD_PENDING_DELIVERY_FROM_TRANSAK: "on_hold",
      COMPLETED: "settled",
      CANCELLED: "canceled",
      FAILED: "failed",
      REFUNDED: "refunded",
      EXPIRED: "expired",
    },
  },
  fiat_basis: "gross",
  rate_basis: "crypto_per_fiat",
  identity: orderIdentity,
};
