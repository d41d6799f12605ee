import {
  address,
  everything,
  gross,
  hash,
  id,
  iso,
  networkFee,
  processingFee,
  reference,
  same,
  status,
  unixSeconds,
  withoutZone,
  type Layout,
} from "./layout.ts";
import { cryptoText, fiatPerCrypto, fiatText } from "./line.ts";

/** Providers whose statements list orders and nothing else. */
export const orderLayouts: Readonly<Record<string, Layout>> = {
  banxa: {
    ...everything,
    name: "banxa",
    hasAddress: false,
    hasPayouts: false,
    words: same({ settled: "complete", failed: "declined", refunded: "refunded" }),
    columns: [
      ["order_id", id],
      ["external_id", reference],
      ["order_type", (line) => line.side.toUpperCase()],
      ["status", status],
      ["fiat_currency", (line) => line.fiat.code],
      ["fiat_amount", gross],
      ["crypto_coin", (line) => line.asset.code],
      ["crypto_amount", (line) => cutPlaces(cryptoText(line), 16)],
      ["crypto_blockchain", (line) => line.asset.network],
      ["processing_fee", processingFee],
      ["network_fee", networkFee],
      ["asset_price", fiatPerCrypto],
      // Its way of saying that there is none.
      ["transaction_hash", (line) => line.hash || "0"],
      ["created_at", (line) => withoutZone(line.createdMs)],
      ["status_date", (line) => withoutZone(line.effectiveMs)],
    ],
  },
  simplex: {
    ...everything,
    name: "simplex",
    hasSide: false,
    hasNetwork: false,
    hasAddress: false,
    hasPayouts: false,
    words: same({ settled: "crypto_sent", failed: "declined", refunded: "refunded" }),
    columns: [
      ["payment_id", id],
      ["order_id", reference],
      ["status_name", status],
      ["currency", (line) => line.fiat.code],
      ["fiat_total_amount", gross],
      ["crypto_currency", (line) => line.asset.code],
      ["amount_crypto", cryptoText],
      ["blockchain_txn_hash", hash],
      ["created_at", (line) => unixSeconds(line.createdMs)],
    ],
  },
  coinbase: {
    ...everything,
    name: "coinbase",
    // Its reference is a user's, and a user has many orders.
    hasReference: false,
    hasSide: false,
    hasPayouts: false,
    words: (side) =>
      side === "buy"
        ? { settled: "ONRAMP_TRANSACTION_STATUS_SUCCESS", failed: "ONRAMP_TRANSACTION_STATUS_FAILED" }
        : { settled: "TRANSACTION_STATUS_SUCCESS", failed: "TRANSACTION_STATUS_FAILED" },
    columns: [
      ["transactionId", id],
      ["partnerUserRef", (line) => `user-${line.address.slice(-6)}`],
      ["status", status],
      ["paymentTotal.currency", (line) => line.fiat.code],
      ["paymentTotal.value", gross],
      ["paymentSubtotal.value", (line) => fiatText(line, line.net)],
      ["purchaseCurrency", (line) => line.asset.code],
      ["purchaseAmount.value", cryptoText],
      ["purchaseNetwork", (line) => line.asset.network],
      ["coinbaseFee", processingFee],
      ["networkFee", networkFee],
      ["txHash", (line) => line.hash || "0x"],
      ["walletAddress", address],
      ["createdAt", (line) => iso(line.createdMs)],
      ["completedAt", (line) => iso(line.effectiveMs)],
    ],
  },
  stripe: {
    ...everything,
    name: "stripe",
    hasSide: false,
    hasPayouts: false,
    words: same({ settled: "fulfillment_complete", failed: "rejected" }),
    columns: [
      ["id", id],
      ["metadata", reference],
      ["status", status],
      ["source_currency", (line) => line.fiat.id],
      ["source_amount", gross],
      ["destination_currency", (line) => line.asset.code.toLowerCase()],
      ["destination_amount", cryptoText],
      ["destination_network", (line) => line.asset.network],
      ["transaction_fee_amount", processingFee],
      ["network_fee_amount", networkFee],
      ["transaction_details.transaction_id", hash],
      ["wallet_address", address],
      ["created", (line) => unixSeconds(line.createdMs)],
    ],
  },
};

function cutPlaces(amount: string, places: number): string {
  const point = amount.indexOf(".");
  return point < 0 ? amount : amount.slice(0, point + 1 + places);
}
