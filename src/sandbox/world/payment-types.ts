import { countries } from "./countries.ts";
import type { PaymentType } from "./types.ts";

const euro = "AT BE BG CY DE EE ES FI FR GR HR IE IT LT LU LV MT NL PT SI SK";
const sepa = `${euro} CH LI GB SE NO DK IS PL CZ HU RO`;

/**
 * Id, name, id on the legacy surface, the fiats it moves and the countries that have it (none named: any), and whether
 * money can also come to the customer this way.
 */
export const paymentTypes: readonly PaymentType[] = [
  paymentType("creditcard", "Credit Card", "creditCard", { paysOut: true }),
  paymentType("debitcard", "Debit Card", "debitCard", { paysOut: true }),
  paymentType("applepay", "Apple Pay", "applePay", { without: "NG KE GH UG IN TR PH" }),
  paymentType("googlepay", "Google Pay", "googlePay", { without: "NG GH UG KR" }),
  paymentType("banktransfer", "Bank Transfer", "bankTransfer", { paysOut: true }),
  paymentType("ach", "ACH", "ach", { fiats: "usd", countries: "US PR", paysOut: true }),
  paymentType("sepainstant", "SEPA Instant", "sepaInstant", { fiats: "eur", countries: sepa, paysOut: true }),
  paymentType("fasterpaybank", "Faster Payments", "fasterPaymentsBank", {
    fiats: "gbp",
    countries: "GB",
    paysOut: true,
  }),
  paymentType("fasterpayopen", "Faster Payments by Open Banking", "fasterPaymentsOpen", {
    fiats: "gbp",
    countries: "GB",
  }),
  paymentType("openbanking", "Open Banking", "openBanking", { fiats: "eur gbp", countries: `${euro} GB` }),
  paymentType("ideal", "iDEAL", "iDeal", { fiats: "eur", countries: "NL" }),
  paymentType("bancontact", "Bancontact", "bancontact", { fiats: "eur", countries: "BE" }),
  paymentType("interacetransfer", "Interac e-Transfer", "interacETransfer", {
    fiats: "cad",
    countries: "CA",
    paysOut: true,
  }),
  paymentType("spei", "SPEI", "spei", { fiats: "mxn", countries: "MX", paysOut: true }),
  paymentType("pix", "PIX", "pix", { fiats: "brl", countries: "BR", paysOut: true }),
  paymentType("upi", "UPI", "upi", { fiats: "inr", countries: "IN", paysOut: true }),
  paymentType("imps", "IMPS", "imps", { fiats: "inr", countries: "IN", paysOut: true }),
  paymentType("khipu", "Khipu", "khipu", { fiats: "clp", countries: "CL" }),
  paymentType("bancolombia", "Bancolombia", "bancolombia", { fiats: "cop", countries: "CO", paysOut: true }),
  paymentType("neteller", "Neteller", "neteller", { fiats: "usd eur gbp", countries: sepa, paysOut: true }),
  paymentType("skrill", "Skrill", "skrill", { fiats: "usd eur gbp", countries: sepa, paysOut: true }),
  paymentType("7eleven", "7-Eleven", "sevenEleven", { fiats: "php", countries: "PH" }),
  paymentType("acb", "ACB", "acb", { fiats: "vnd", countries: "VN", paysOut: true }),
];

interface Reach {
  readonly fiats?: string;
  readonly countries?: string;
  /** Everywhere but here. */
  readonly without?: string;
  readonly paysOut?: boolean;
}

function paymentType(id: string, name: string, legacyId: string, reach: Reach): PaymentType {
  return {
    id,
    name,
    legacyId,
    fiats: reach.fiats === undefined ? null : new Set(reach.fiats.split(" ")),
    countries:
      reach.countries === undefined ? everywhereBut(reach.without) : new Set(reach.countries.split(" ")),
    paysOut: reach.paysOut ?? false,
  };
}

function everywhereBut(without: string | undefined): ReadonlySet<string> | null {
  if (without === undefined) return null;
  const left = new Set(without.split(" "));
  return new Set(countries.map(({ code }) => code).filter((code) => !left.has(code)));
}
