import { minorUnits, parseAsset } from "../../core/asset.ts";
import { isKnownAsset } from "../../core/asset-decimals.ts";
import { type Decimal, decimalFromUnits } from "../../core/decimal.ts";
import { isFiat } from "../../core/fiat.ts";
import { type CellReader, type Column, quoted } from "./cell-reader.ts";
import { aliasIn, type AmountField, type Field, type Profile } from "./profile.ts";

export interface Money {
  readonly code: string;
  /** Of a coin, where the word tells it. */
  readonly network: string | null;
}

export interface FiatReader {
  /** ISO 4217 in upper case. Any other word is refused, so that USDC in a column of fiat is seen. */
  currency(field: Field): Column<string>;
  /** What something may be paid in: ISO 4217 in upper case, or a coin, whose code is in lower case. */
  money(field: Field): Column<Money>;
  /** In major units, whatever the file counts in. */
  amount(field: AmountField): (currency: string | null) => Decimal | null;
}

export function createFiatReader(profile: Profile, cells: CellReader): FiatReader {
  const known = new Map<string, string>();

  function codeOf(word: string, field: Field): string | null {
    const seen = known.get(word);
    if (seen !== undefined) return seen;
    const code = aliasIn(profile, word).toUpperCase();
    if (!isFiat(code)) {
      const next = "add an alias to the profile";
      cells.reject("unknown_currency", field, `${quoted(word)} is not an ISO 4217 currency: ${next}`);
      return null;
    }
    known.set(word, code);
    return code;
  }

  const knownMoney = new Map<string, Money>();

  function moneyOf(word: string, field: Field): Money | null {
    const seen = knownMoney.get(word);
    if (seen !== undefined) return seen;
    const named = aliasIn(profile, word);
    const coin = parseAsset(named);
    // A word that is neither could be a currency misspelt, and would never tie to anything.
    if (!isFiat(named) && !isKnownAsset(coin.code)) {
      const next = "add an alias to the profile";
      const reason = `${quoted(word)} is neither a currency of ISO 4217 nor a coin that we know: ${next}`;
      cells.reject("unknown_currency", field, reason);
      return null;
    }
    const money = isFiat(named) ? { code: named.toUpperCase(), network: null } : coin;
    knownMoney.set(word, money);
    return money;
  }

  return {
    money(field) {
      const read = cells.text(field);
      return () => {
        const word = read();
        return word === null ? null : moneyOf(word, field);
      };
    },
    currency(field) {
      const read = cells.text(field);
      return () => {
        const word = read();
        return word === null ? null : codeOf(word, field);
      };
    },
    amount(field) {
      const read = cells.amount(field);
      if (profile.fiat_unit === "major") return read;
      return (currency) => {
        const amount = read();
        if (amount === null || currency === null || !isFiat(currency)) return amount;
        if (amount.includes(".")) {
          cells.reject("row_unparseable", field, `${quoted(amount)} is not a whole number of minor units`);
          return null;
        }
        return decimalFromUnits(BigInt(amount), minorUnits(currency));
      };
    },
  };
}
