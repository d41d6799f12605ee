import type { Decimal } from "../../core/decimal.ts";
import { isFiat } from "../../core/fiat.ts";
import { type CellReader, quoted } from "./cell-reader.ts";
import { aliasIn, type AmountField, type Field, type Profile } from "./profile.ts";
import { createCryptoReader } from "./read-crypto.ts";
import type { FiatReader } from "./read-fiat.ts";
import type { Side } from "./read-words.ts";

/** Both legs of an order, told apart by the kind of their currency, never by position. */
export interface Legs {
  readonly fiatCurrency: string | null;
  /** Gross or net, as the profile says. */
  readonly fiatAmount: Decimal | null;
  readonly asset: string | null;
  readonly network: string | null;
  readonly cryptoAmount: Decimal | null;
  /** Where the order of the legs tells it. */
  readonly side: Side | null;
}

export const noLegs: Legs = {
  fiatCurrency: null,
  fiatAmount: null,
  asset: null,
  network: null,
  cryptoAmount: null,
  side: null,
};

export function createLegReader(profile: Profile, cells: CellReader, fiat: FiatReader): () => Legs {
  const crypto = createCryptoReader(profile, cells);
  if (profile.columns.from_currency !== undefined) return byKind();
  return legPair("fiat_currency", "fiat_amount", "asset", "network", "crypto_amount", null);

  function byKind(): () => Legs {
    const from = cells.text("from_currency");
    const to = cells.text("to_currency");
    const buy = legPair("from_currency", "from_amount", "to_currency", "to_network", "to_amount", "buy");
    const sell = legPair("to_currency", "to_amount", "from_currency", "from_network", "from_amount", "sell");
    return () => {
      const [gives, gets] = [from(), to()];
      if (gives === null && gets === null) return noLegs;
      if (isMoney(gives) !== isMoney(gets)) return isMoney(gives) ? buy() : sell();
      const both = `${quoted(gives ?? "")} and ${quoted(gets ?? "")}`;
      cells.reject("unknown_currency", "from_currency", `one of ${both} must be fiat and the other crypto`);
      return noLegs;
    };
  }

  function legPair(
    currencyField: Field,
    fiatField: AmountField,
    assetField: Field,
    networkField: Field,
    cryptoField: AmountField,
    side: Side | null,
  ): () => Legs {
    const currency = fiat.currency(currencyField);
    const fiatAmount = fiat.amount(fiatField);
    const asset = crypto.asset({ asset: assetField, network: networkField });
    const cryptoAmount = crypto.amount(cryptoField);
    return () => {
      const fiatCurrency = currency();
      const coin = asset();
      return {
        fiatCurrency,
        fiatAmount: fiatAmount(fiatCurrency),
        asset: coin.asset,
        network: coin.network,
        cryptoAmount: cryptoAmount(coin),
        side,
      };
    };
  }

  function isMoney(word: string | null): boolean {
    return word !== null && isFiat(aliasIn(profile, word));
  }
}
