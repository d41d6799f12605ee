import { minorUnits } from "../../core/asset.ts";
import { type Decimal, decimalFromUnits } from "../../core/decimal.ts";
import { isFiat } from "../../core/fiat.ts";
import { type CellReader, type Column, quoted } from "./cell-reader.ts";
import type { AmountField, Field, Profile } from "./profile.ts";

export interface FiatReader {
  /** ISO 4217 in upper case. Any other word is refused, so that USDC in a column of fiat is seen. */
  currency(field: Field): Column<string>;
  /** In major units, whatever the file counts in. */
  amount(field: AmountField): (currency: string | null) => Decimal | null;
}

export function createFiatReader(profile: Profile, cells: CellReader): FiatReader {
  const known = new Map<string, string>();

  function codeOf(word: string, field: Field): string | null {
    const seen = known.get(word);
    if (seen !== undefined) return seen;
    const code = (profile.aliases[word] ?? word).toUpperCase();
    if (!isFiat(code)) {
      const next = "add an alias to the profile";
      cells.reject("unknown_currency", field, `${quoted(word)} is no currency of ISO 4217: ${next}`);
      return null;
    }
    known.set(word, code);
    return code;
  }

  return {
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
        if (amount === null || currency === null) return amount;
        if (amount.includes(".")) {
          cells.reject("row_unparseable", field, `${quoted(amount)} is no whole number of minor units`);
          return null;
        }
        return decimalFromUnits(BigInt(amount), minorUnits(currency));
      };
    },
  };
}
