import { absDecimal, type Decimal, negateDecimal, subtractDecimals, zero } from "../../core/decimal.ts";
import type { LineType } from "../../core/statement-line.ts";
import type { CellReader } from "./cell-reader.ts";
import type { AmountField, Profile } from "./profile.ts";
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

/** What a line adds to what the provider owes us: positive is owed to us. Of a payout, the net that it declares. */
export function createOwedReader(profile: Profile, fiat: FiatReader) {
  return (cells: CellReader, lineType: LineType | null, money: LineMoney): Owed => {
    const currency = fiat.currency(cells, "net_currency") ?? money.fiatCurrency;
    if (lineType === "payout") return declared(cells, currency);
    const stated = readStated(cells, currency);
    if (stated !== null) return { amount: stated, currency };
    const { fees, fiatGross, fiatNet } = money;
    const share: Owed =
      profile.model === "gross"
        ? { amount: fiatNet ?? zero, currency }
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
        return { amount: negateDecimal(absDecimal(fees.total ?? fiatGross ?? zero)), currency };
      case "commission":
      case "adjustment":
      case "reserve":
        return fiatGross === null ? share : { amount: fiatGross, currency };
      default:
        return lineType satisfies never;
    }
  };

  function declared(cells: CellReader, stated: string | null): Owed {
    const currency =
      fiat.currency(cells, "payout_currency") ?? stated ?? fiat.currency(cells, "fiat_currency");
    const amount =
      fiat.amount(cells, "payout_amount", currency) ??
      readStated(cells, currency) ??
      fiat.amount(cells, "fiat_net", currency);
    if (amount === null) cells.reject("row_unparseable", "payout_amount", "the payout declares no amount");
    if (currency === null)
      cells.reject("row_unparseable", "payout_currency", "the payout declares no currency");
    // In a ledger a payout stands with a minus; what it declares is its size.
    return { amount: absDecimal(amount ?? zero), currency };
  }

  /** A signed column, an unsigned one beside a word for its direction, or one column each for debit and credit. */
  function readStated(cells: CellReader, currency: string | null): Decimal | null {
    const read = (field: AmountField) => fiat.amount(cells, field, currency);
    const amount = read("net_amount");
    if (amount !== null) {
      const direction = cells.text("net_direction");
      const isDebit = direction !== null && profile.debit_words.includes(direction);
      return isDebit ? negateDecimal(absDecimal(amount)) : amount;
    }
    const debit = read("net_debit");
    const credit = read("net_credit");
    if (debit === null && credit === null) return null;
    return subtractDecimals(absDecimal(credit ?? zero), absDecimal(debit ?? zero));
  }
}
