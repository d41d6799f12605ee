import { addDecimals, type Decimal, zero } from "../../core/decimal.ts";
import type { Profile } from "./profile.ts";
import type { FiatReader } from "./read-fiat.ts";

export interface Fees {
  readonly total: Decimal | null;
  readonly processing: Decimal | null;
  readonly network: Decimal | null;
  readonly partner: Decimal | null;
  readonly currency: string | null;
  /** What lies between gross and net; `null` when not all of it is known in the order's currency. */
  readonly deducted: Decimal | null;
  /** Our share, in whatever currency. */
  readonly share: { readonly amount: Decimal; readonly currency: string | null } | null;
  /** Fees in another currency: kept beside the line, never added. */
  readonly foreign: Readonly<Record<string, string>> | null;
}

export const noFees: Fees = {
  total: null,
  processing: null,
  network: null,
  partner: null,
  currency: null,
  deducted: null,
  share: null,
  foreign: null,
};

/** Exactly the fees that the profile lists: adding every fee column would count some of them twice. */
export function createFeeReader(profile: Profile, fiat: FiatReader): (fiatCurrency: string | null) => Fees {
  const commonCurrency = fiat.currency("fee_currency");
  const statedTotal = fiat.amount("fee_total");
  const readers = feeNames.map((name) => ({
    name,
    amount: fiat.amount(name),
    currency: fiat.currency(`${name}_currency`),
    fixed: profile.fee_currencies[name],
    isDeducted: profile.fees_deducted?.includes(name) ?? false,
  }));

  return (fiatCurrency) => {
    const common = commonCurrency() ?? fiatCurrency;
    const amounts: (Decimal | null)[] = [];
    let foreign: Record<string, string> | null = null as Record<string, string> | null;
    let share: Fees["share"] = null;
    let deducted: Decimal | null = null;
    let allKnown = true;
    for (const { name, amount: read, currency: ownCurrency, fixed, isDeducted } of readers) {
      const currency = ownCurrency() ?? fixed ?? common;
      const amount = read(currency);
      const isForeign =
        amount !== null && amount !== zero && fiatCurrency !== null && currency !== fiatCurrency;
      amounts.push(isForeign ? null : amount);
      if (amount === null) continue;
      if (name === "fee_partner") share = { amount, currency };
      if (isForeign) {
        (foreign ??= {})[`${name} ${currency}`] = amount;
        if (isDeducted) allKnown = false;
      } else if (isDeducted) deducted = deducted === null ? amount : addDecimals(deducted, amount);
    }
    const [processing = null, network = null, partner = null] = amounts;
    const total = statedTotal(common) ?? deducted;
    const none = total === null && processing === null && network === null && partner === null;
    return {
      total,
      processing,
      network,
      partner,
      currency: none ? null : common,
      deducted: allKnown && common === fiatCurrency ? total : null,
      share,
      foreign,
    };
  };
}

const feeNames = ["fee_processing", "fee_network", "fee_partner"] as const;
