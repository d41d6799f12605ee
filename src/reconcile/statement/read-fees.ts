import { addDecimals, type Decimal, negateDecimal, zero } from "../../core/decimal.ts";
import type { LineType } from "../../core/statement-line.ts";
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
  /** Of what lies between, the part that is in the order's currency. */
  readonly deductedHere: Decimal;
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
  deductedHere: zero,
  share: null,
  foreign: null,
};

/**
 * Exactly the fees that the profile lists: adding every fee column would count some of them twice. A cell that is left
 * blank is a fee of zero, unless the profile says that it is always filled in.
 */
export function createFeeReader(
  profile: Profile,
  cells: CellReader,
  fiat: FiatReader,
): (fiatCurrency: string | null, lineType: LineType | null) => Fees {
  const commonCurrency = fiat.money("fee_currency");
  const isLedger = profile.fee_sign === "ledger";
  const statedTotal = lowering(fiat.amount("fee_total"));
  const required = new Set<string>(profile.fees_required);
  const readers = feeNames.map((name) => ({
    name,
    amount: name === "fee_partner" ? fiat.amount(name) : lowering(fiat.amount(name)),
    currency: fiat.money(`${name}_currency`),
    fixed: profile.fee_currencies[name],
    isDeducted: profile.fees_deducted?.includes(name) ?? false,
  }));
  const statesFees =
    cells.has("fee_total") || readers.some(({ name, isDeducted }) => isDeducted && cells.has(name));

  return (fiatCurrency, lineType) => {
    const common = commonCurrency()?.code ?? fiatCurrency;
    const amounts: (Decimal | null)[] = [];
    let foreign: Record<string, string> | null = null as Record<string, string> | null;
    let share: Fees["share"] = null;
    let deductedHere: Decimal | null = null;
    let allKnown = true;
    for (const { name, amount: read, currency: ownCurrency, fixed, isDeducted } of readers) {
      const currency = ownCurrency()?.code ?? fixed ?? common;
      const amount = read(currency);
      const isForeign =
        amount !== null && amount !== zero && fiatCurrency !== null && currency !== fiatCurrency;
      amounts.push(isForeign ? null : amount);
      if (amount === null) {
        if (required.size > 0) refuseIfRequired(name, lineType);
        continue;
      }
      if (name === "fee_partner") share = { amount, currency };
      if (isForeign) {
        (foreign ??= {})[`${name} ${currency}`] = amount;
        if (isDeducted) allKnown = false;
      } else if (isDeducted) {
        deductedHere = deductedHere === null ? amount : addDecimals(deductedHere, amount);
      }
    }
    const [processing = null, network = null, partner = null] = amounts;
    const stated = statedTotal(common);
    if (stated === null && required.size > 0) refuseIfRequired("fee_total", lineType);
    const blank = statesFees && lineType !== null && hasGross.has(lineType) ? zero : null;
    const total = stated ?? deductedHere ?? blank;
    const none = total === null && processing === null && network === null && partner === null;
    return {
      total,
      processing,
      network,
      partner,
      currency: none ? null : common,
      deducted: allKnown && common === fiatCurrency ? total : null,
      deductedHere: deductedHere ?? zero,
      share,
      foreign,
    };
  };

  /** As an amount that lowers the net, whichever sign the file gives it. */
  function lowering(read: ReturnType<FiatReader["amount"]>): typeof read {
    if (!isLedger) return read;
    return (currency) => {
      const amount = read(currency);
      return amount === null ? null : negateDecimal(amount);
    };
  }

  function refuseIfRequired(name: (typeof feeNames)[number] | "fee_total", lineType: LineType | null): void {
    if (lineType === "charge" && required.has(name))
      cells.reject("row_unparseable", name, "is empty, and the profile says that it is always stated");
  }
}

const feeNames = ["fee_processing", "fee_network", "fee_partner"] as const;

/** Lines with a gross and a net; in the others a blank fee says nothing. */
const hasGross: ReadonlySet<LineType> = new Set(["charge", "refund", "chargeback", "chargeback_reversal"]);
