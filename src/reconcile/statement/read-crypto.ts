import { isBareCode, networkOf, parseAsset } from "../../core/asset.ts";
import { assetDecimals } from "../../core/asset-decimals.ts";
import { type Decimal, decimalFromUnits } from "../../core/decimal.ts";
import { type CellReader, quoted } from "./cell-reader.ts";
import { aliasIn, type AmountField, type Field, type Profile } from "./profile.ts";

export interface CryptoAsset {
  readonly asset: string | null;
  readonly network: string | null;
}

export interface CryptoReader {
  asset(fields: { asset: Field; network: Field }): () => CryptoAsset;
  /** In coins, whatever the file counts in. */
  amount(field: AmountField): (of: CryptoAsset) => Decimal | null;
}

export function createCryptoReader(profile: Profile, cells: CellReader): CryptoReader {
  const known = new Map<string, CryptoAsset>();
  const aliasOf = (word: string) => aliasIn(profile, word);
  const namedAsset = (word: string, stated: string | undefined) => {
    const named = parseAsset(word, stated);
    const isSilent = profile.bare_coin === "any_network" && stated === undefined && isBareCode(word);
    return isSilent ? { ...named, network: null } : named;
  };
  return {
    asset(fields) {
      const readAsset = cells.text(fields.asset);
      const readNetwork = cells.text(fields.network);
      return () => {
        const word = readAsset();
        if (word === null) return none;
        const networkWord = readNetwork();
        const key = networkWord === null ? word : `${word}\n${networkWord}`;
        const seen = known.get(key);
        if (seen !== undefined) return seen;
        const stated = networkWord === null ? undefined : networkName(aliasOf(networkWord));
        const { code, network } = namedAsset(aliasOf(word), stated);
        if (!assetForm.test(code)) {
          cells.reject("unknown_currency", fields.asset, `${quoted(word)} is not an asset code`);
          return none;
        }
        const found = { asset: code, network };
        if (known.size < assetsKnownMax) known.set(key, found);
        return found;
      };
    },
    amount(field) {
      const read = cells.amount(field);
      if (profile.crypto_unit === "major") return read;
      return ({ asset, network }) => {
        const amount = read();
        if (amount === null || asset === null) return amount;
        const decimals = assetDecimals({ code: asset, network });
        if (decimals !== null && !amount.includes(".")) return decimalFromUnits(BigInt(amount), decimals);
        const where = network ?? "an unknown network";
        const why =
          decimals === null ? `the number of decimals of ${asset} on ${where} is unknown` : "it is not whole";
        cells.reject("row_unparseable", field, `${quoted(amount)} cannot be read as base units: ${why}`);
        return null;
      };
    },
  };
}

/** Some files call a network by its coin: BTC stands in the column where another writes bitcoin. */
function networkName(word: string): string {
  const name = networkOf(word);
  const isCoin = name === word.trim().toLowerCase() && /^[a-z0-9]+$/.test(name);
  return (isCoin ? parseAsset(name).network : null) ?? name;
}

const none: CryptoAsset = { asset: null, network: null };
const assetForm = /^[a-z0-9.$+]{1,24}$/;
const assetsKnownMax = 10_000;
