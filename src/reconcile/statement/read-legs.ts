import type { Decimal } from "../../core/decimal.ts";
import { isFiat } from "../../core/fiat.ts";
import { type CellReader, quoted } from "./cell-reader.ts";
import type { Profile } from "./profile.ts";
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

export function createLegReader(profile: Profile, fiat: FiatReader): (cells: CellReader) => Legs {
  const crypto = createCryptoReader(profile);
  return profile.columns.from_currency === undefined ? byName : byKind;

  function byName(cells: CellReader): Legs {
    const fiatCurrency = fiat.currency(cells, "fiat_currency");
    const coin = crypto.asset(cells, { asset: "asset", network: "network" });
    return {
      fiatCurrency,
      fiatAmount: fiat.amount(cells, "fiat_amount", fiatCurrency),
      ...coin,
      cryptoAmount: crypto.amount(cells, "crypto_amount", coin),
      side: null,
    };
  }

  function byKind(cells: CellReader): Legs {
    const from = cells.text("from_currency");
    const to = cells.text("to_currency");
    if (from === null && to === null) return noLegs;
    const gives = isMoney(from);
    if (gives === isMoney(to)) {
      const both = `${quoted(from ?? "")} and ${quoted(to ?? "")}`;
      cells.reject("unknown_currency", "from_currency", `of ${both} one has to be fiat and the other crypto`);
      return noLegs;
    }
    const fiatCurrency = fiat.currency(cells, gives ? "from_currency" : "to_currency");
    const coin = crypto.asset(
      cells,
      gives
        ? { asset: "to_currency", network: "to_network" }
        : { asset: "from_currency", network: "from_network" },
    );
    return {
      fiatCurrency,
      fiatAmount: fiat.amount(cells, gives ? "from_amount" : "to_amount", fiatCurrency),
      ...coin,
      cryptoAmount: crypto.amount(cells, gives ? "to_amount" : "from_amount", coin),
      side: gives ? "buy" : "sell",
    };
  }

  function isMoney(word: string | null): boolean {
    return word !== null && isFiat(profile.aliases[word] ?? word);
  }
}
