import { absDecimal, type Decimal, negateDecimal, subtractDecimals, zero } from "../../core/decimal.ts";
import { type LineStatus, type LineType, movedMoney } from "../../core/statement-line.ts";
import { type CellReader, quoted } from "./cell-reader.ts";
import type { Profile } from "./profile.ts";
import type { Fees } from "./read-fees.ts";
import type { FiatReader, Money } from "./read-fiat.ts";

export interface Owed {
  readonly amount: Decimal;
  readonly currency: string | null;
  /** Of a payout in a coin, where the file tells it. */
  readonly network?: string | null;
}

export interface LineMoney {
  readonly fiatCurrency: string | null;
  readonly fiatGross: Decimal | null;
  readonly fiatNet: Decimal | null;
  readonly fees: Fees;
}

/**
 * What a line adds to what the provider owes us: positive is owed to us. Of a payout, the net that it declares; of a
 * balance or a total, what it states.
 */
export function createOwedReader(profile: Profile, cells: CellReader, fiat: FiatReader) {
  const netCurrency = fiat.money("net_currency");
  const payoutCurrency = fiat.money("payout_currency");
  const orderCurrency = fiat.currency("fiat_currency");
  const payoutAmount = fiat.amount("payout_amount");
  const statedBalance = fiat.amount("balance");
  const fiatGross = fiat.amount("fiat_gross");
  const fiatNet = fiat.amount("fiat_net");
  const readStated = createStatedReader(profile, cells, fiat);

  /** Signed: a negative payout is money that the provider takes from us, because refunds exceeded charges. */
  function declared(stated: Money | null): Owed {
    const money = payoutCurrency() ?? stated;
    const currency = money?.code ?? orderCurrency();
    const amount = payoutAmount(currency) ?? readStated(currency)?.declared ?? fiatNet(currency);
    if (amount === null) cells.reject("row_unparseable", "payout_amount", "the payout declares no amount");
    if (currency === null)
      cells.reject("row_unparseable", "payout_currency", "the payout declares no currency");
    return { amount: amount ?? zero, currency, network: money?.network ?? null };
  }

  /** Signed as it stands: a negative balance is what we owe. A file without the column states it where it states amounts. */
  function statedSum(lineType: "balance" | "commission_total", given: Money | null): Owed {
    const what = lineType === "balance" ? "balance" : "sum";
    const currency = (given ?? payoutCurrency())?.code ?? orderCurrency();
    const amount =
      statedBalance(currency) ?? readStated(currency)?.owed ?? fiatNet(currency) ?? fiatGross(currency);
    if (amount === null) cells.reject("row_unparseable", "balance", `the row states no ${what}`);
    if (currency === null) cells.reject("row_unparseable", "net_currency", `the ${what} is in no currency`);
    return { amount: amount ?? zero, currency };
  }

  /** In a row of its own, a fee is in the fee column or in the amount column, and the other may hold a zero. */
  function feeOf({ fees, fiatGross: gross, fiatNet: net }: LineMoney): Decimal {
    const isUnclear = fees.total === zero && gross !== null && gross !== zero && !gross.startsWith("-");
    if (isUnclear) {
      const reason = `is 0 and the amount ${gross}, so the row does not say what was charged: if it is the amount, name this zero in sentinels of the profile`;
      cells.reject("row_unparseable", "fee_total", reason);
    }
    return firstMoney(fees.total, gross, net);
  }

  return (lineType: LineType | null, status: LineStatus, money: LineMoney): Owed => {
    const ownCurrency = netCurrency();
    if (lineType === "payout") return declared(ownCurrency);
    if (lineType === "balance" || lineType === "commission_total") return statedSum(lineType, ownCurrency);
    const currency = ownCurrency?.code ?? money.fiatCurrency;
    const stated = readStated(currency);
    if (stated !== null) return { amount: stated.owed, currency };
    const { fees } = money;
    const share: Owed =
      profile.model === "gross"
        ? { amount: money.fiatNet ?? grossLessKnownFees(money), currency }
        : (fees.share ?? { amount: zero, currency });
    switch (lineType) {
      case "charge":
      case null:
        // Exports list orders that failed or are still open with all their amounts, and nothing is owed for those.
        return movedMoney(status) ? share : { ...share, amount: zero };
      case "refund":
      case "chargeback":
        return { ...share, amount: negateDecimal(absDecimal(share.amount)) };
      case "chargeback_reversal":
        return { ...share, amount: absDecimal(share.amount) };
      case "fee":
        return { amount: negateDecimal(absDecimal(feeOf(money))), currency };
      case "commission":
      case "adjustment":
      case "reserve": {
        const printed = firstMoney(money.fiatGross);
        return printed === zero ? share : { amount: printed, currency };
      }
      default:
        return lineType satisfies never;
    }
  };
}

/** The first that is not blank and not zero. */
function firstMoney(...amounts: readonly (Decimal | null)[]): Decimal {
  return amounts.find((amount) => amount !== null && amount !== zero) ?? zero;
}

/** A fee in another currency is kept apart: it must not make the whole gross a fee. */
function grossLessKnownFees({ fiatGross, fees }: LineMoney): Decimal {
  return fiatGross === null ? zero : subtractDecimals(fiatGross, fees.deductedHere);
}

/** What a row states: as it adds to what is owed to us, and as a payout declares it. */
interface Stated {
  readonly owed: Decimal;
  readonly declared: Decimal;
}

/** A signed column, an unsigned one beside a word for its direction, or one column each for debit and credit. */
function createStatedReader(profile: Profile, cells: CellReader, fiat: FiatReader) {
  const netAmount = fiat.amount("net_amount");
  const debitAmount = fiat.amount("net_debit");
  const creditAmount = fiat.amount("net_credit");
  const netDirection = cells.text("net_direction");
  const debitWords = new Set(profile.debit_words.map((word) => word.trim().toLowerCase()));
  /** In a ledger a payout lowers what is owed, so it stands with a minus and declares the opposite. */
  const inLedger = (owed: Decimal): Stated => ({ owed, declared: negateDecimal(owed) });
  return (currency: string | null): Stated | null => {
    const amount = netAmount(currency);
    if (amount !== null) {
      const direction = netDirection();
      if (direction !== null && debitWords.size === 0) {
        const reason = `${quoted(direction)} may be a debit: name the words for one in debit_words of the profile`;
        cells.reject("row_unparseable", "net_direction", reason);
      }
      const isDebit = direction !== null && debitWords.has(direction.toLowerCase());
      if (isDebit) return inLedger(negateDecimal(absDecimal(amount)));
      const isLedger = profile.payout_sign === "ledger" || direction !== null;
      return isLedger ? inLedger(amount) : { owed: amount, declared: amount };
    }
    const debit = debitAmount(currency);
    const credit = creditAmount(currency);
    if (debit === null && credit === null) return null;
    // Debits are printed with either sign. A credit below zero is one taken back.
    return inLedger(subtractDecimals(credit ?? zero, absDecimal(debit ?? zero)));
  };
}
