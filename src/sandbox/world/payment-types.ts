import type { PaymentType } from "./types.ts";

/** Id, name, id on the earlier surface, and the fiats it moves (none named: any). */
export const paymentTypes: readonly PaymentType[] = [
  paymentType("creditcard", "Credit Card", "creditCard"),
  paymentType("debitcard", "Debit Card", "debitCard"),
  paymentType("applepay", "Apple Pay", "applePay"),
  paymentType("googlepay", "Google Pay", "googlePay"),
  paymentType("banktransfer", "Bank Transfer", "bankTransfer"),
  paymentType("ach", "ACH", "ach", "usd"),
  paymentType("sepainstant", "SEPA Instant", "sepaInstant", "eur"),
  paymentType("fasterpaybank", "Faster Payments", "fasterPaymentsBank", "gbp"),
  paymentType("fasterpayopen", "Faster Payments by Open Banking", "fasterPaymentsOpen", "gbp"),
  paymentType("openbanking", "Open Banking", "openBanking", "eur gbp"),
  paymentType("ideal", "iDEAL", "iDeal", "eur"),
  paymentType("bancontact", "Bancontact", "bancontact", "eur"),
  paymentType("interacetransfer", "Interac e-Transfer", "interacETransfer", "cad"),
  paymentType("spei", "SPEI", "spei", "mxn"),
  paymentType("pix", "PIX", "pix", "brl"),
  paymentType("upi", "UPI", "upi", "inr"),
  paymentType("imps", "IMPS", "imps", "inr"),
  paymentType("khipu", "Khipu", "khipu", "clp"),
  paymentType("bancolombia", "Bancolombia", "bancolombia", "cop"),
  paymentType("neteller", "Neteller", "neteller", "usd eur gbp"),
  paymentType("skrill", "Skrill", "skrill", "usd eur gbp"),
  paymentType("7eleven", "7-Eleven", "sevenEleven", "php"),
  paymentType("acb", "ACB", "acb", "vnd"),
];

function paymentType(id: string, name: string, legacyId: string, fiats?: string): PaymentType {
  return { id, name, legacyId, fiats: fiats === undefined ? null : new Set(fiats.split(" ")) };
}
