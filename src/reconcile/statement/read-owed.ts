import { absDecimal, type Decimal, negateDecimal, subtractDecimals, zero } from "../../core/decimal.ts";
import type { LineType } from "../../core/statement-line.ts";
import type { CellReader } from "./cell-reader.ts";
import type { Profile } from "./profile.ts";
import type { Fees } from "./read-fees.ts";
import type { FiatReader } from "./read-fiat.ts";

export interface Owed {
  readonly amount: Decimal;
  readonly currency: string | null;
}

export interface LineMoney {
  readonly fiatCurrency: string | null;
  readonly fiatGross: Decimal | null;
  readonly fiatNet: Decimal | null;
  readonly fees: Fees;
}

/**
 * What a line adds to what the provider owes us: positive is owed to us. Of a payout, the net that it declares; of a
 * balance, what it states. */
export function createOwedReader(profile: Profile, cells: CellReader, fiat: FiatReader) {
  const netCurrency = fiat.currency("net_currency");
  const payoutCurrency = fiat.currency("payout_currency");
  const orderCurrency = fiat.currency("fiat_currency");
  const payoutAmount = fiat.amount("payout_amount");
  const statedBalance = fiat.amount("balance");
  const fiatGross = fiat.amount("fiat_gross");
  const fiatNet = fiat.amount("fiat_net");
  const readStated = createStatedReader(profile, cells, fiat);

  function declared(stated: string | null): Owed {
    const currency = payoutCurrency() ?? stated ?? orderCurrency();
    const amount = payoutAmount(currency) ?? readStated(currency) ?? fiatNet(currency);
    if (amount === null) cells.reject("row_unparseable", "payout_amount", "the payout declares no amount");
    if (currency === null)
      cells.reject("row_unparseable", "payout_currency", "the payout declares no currency");
    // In a ledger a payout stands with a minus; what it declares is its size.
    return { amount: absDecimal(amount ?? zero), currency };
  }

  /** Signed as it stands: a negative balance is what we owe. A file without the column states it where it states amounts. */
  function balance(stated: string | null): Owed {
    const currency = stated ?? payoutCurrency() ?? orderCurrency();
    const amount =
      statedBalance(currency) ?? readStated(currency) ?? fiatNet(currency) ?? fiatGross(currency);
    if (amount === null) cells.reject("row_unparseable", "balance", "the row states no balance");
    if (currency === null) cells.reject("row_unparseable", "net_currency", "the balance is in no currency");
    return { amount: amount ?? zero, currency };
  }

  return (lineType: LineType | null, money: LineMoney): Owed => {
    const currency = netCurrency() ?? money.fiatCurrency;
    if (lineType === "payout") return declared(currency);
    if (lineType === "balance") return balance(currency);
    const stated = readStated(currency);
    if (stated !== null) return { amount: stated, currency };
    const { fees } = money;
    const share: Owed =
      profile.model === "gross"
        ? { amount: money.fiatNet ?? zero, currency }
        : (fees.share ?? { amount: zero, currency });
    switch (lineType) {
      case "charge":
      case null:
        return share;
      case "refund":
      case "chargeback":
        return { ...share, amount: negateDecimal(absDecimal(share.amount)) };
      case "chargeback_reversal":
        return { ...share, amount: absDecimal(share.amount) };
      case "fee":
        return { amount: negateDecimal(absDecimal(fees.total ?? money.fiatGross ?? zero)), currency };
      case "commission":
      case "adjustment":
      case "reserve":
        return money.fiatGross === null ? share : { amount: money.fiatGross, currency };
      default:
        return lineType satisfies never;
    }
  };
}

/** A signed column, an unsigned one beside a word for its direction, or one column each for debit and credit. */
function createStatedReader(profile: Profile, cells: CellReader, fiat: FiatReader) {
  const netAmount = fiat.amount("net_amount");
  const debitAmount = fiat.amount("net_debit");
  const creditAmount = fiat.amount("net_credit");
  const netDirection = cells.text("net_direction");
  return (currency: string | null): Decimal | null => {
    const amount = netAmount(currency);
    if (amount !== null) {
      const direction = netDirection();
      const isDebit = direction !== null && profile.debit_words.includes(direction);
      return isDebit ? negateDecimal(absDecimal(amount)) : amount;
    }
    const debit = debitAmount(currency);
    const credit = creditAmount(currency);
    if (debit === null && credit === null) return null;
    return subtractDecimals(absDecimal(credit ?? zero), absDecimal(debit ?? zero));
  };
}
