import { addDecimals, type Decimal, zero } from "../../core/decimal.ts";
import type { CellReader } from "./cell-reader.ts";
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
export function createFeeReader(profile: Profile, fiat: FiatReader) {
  const deducts = new Set(profile.fees_deducted ?? []);

  return (cells: CellReader, fiatCurrency: string | null): Fees => {
    const common = fiat.currency(cells, "fee_currency") ?? fiatCurrency;
    let foreign: Record<string, string> | null = null;
    let share: Fees["share"] = null;
    let deducted: Decimal | null = null;
    let allKnown = true;

    const read = (name: FeeName): Decimal | null => {
      const currency = fiat.currency(cells, `${name}_currency`) ?? profile.fee_currencies[name] ?? common;
      const amount = fiat.amount(cells, name, currency);
      if (amount === null) return null;
      if (name === "fee_partner") share = { amount, currency };
      if (currency !== fiatCurrency && fiatCurrency !== null && amount !== zero) {
        foreign = { ...foreign, [`${name} ${currency}`]: amount };
        if (deducts.has(name)) allKnown = false;
        return null;
      }
      if (deducts.has(name)) deducted = deducted === null ? amount : addDecimals(deducted, amount);
      return amount;
    };
    const processing = read("fee_processing");
    const network = read("fee_network");
    const partner = read("fee_partner");
    const total = fiat.amount(cells, "fee_total", common) ?? deducted;
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

type FeeName = "fee_processing" | "fee_network" | "fee_partner";
