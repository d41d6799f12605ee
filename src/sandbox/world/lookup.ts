import type { Asset, Fiat, PaymentType, World } from "./types.ts";

/**
 * The asset people mean by an id (`usdc_base`, `btc_bitcoin`) or a code (`USDC`), in any case. A code that lives on
 * several networks means the one named beside it, and without a name the coin's own network or Ethereum's token.
 */
export function findAsset(world: World, text: string, network?: string): Asset | null {
  const wanted = text.toLowerCase();
  const named = world.assets.filter(
    (asset) => asset.id === wanted || fullId(asset) === wanted || asset.symbol === wanted,
  );
  if (network !== undefined) return named.find((asset) => asset.network === network.toLowerCase()) ?? null;
  return (
    named.find((asset) => asset.id === wanted) ??
    named.find((asset) => fullId(asset) === wanted) ??
    named.find((asset) => asset.network === "ethereum") ??
    named[0] ??
    null
  );
}

export function findFiat(world: World, text: string): Fiat | null {
  return world.fiatById.get(text.toLowerCase()) ?? null;
}

/** By the id of either surface. */
export function findPaymentType(world: World, text: string): PaymentType | null {
  const wanted = text.toLowerCase();
  return (
    world.paymentTypes.find((each) => each.id === wanted || each.legacyId.toLowerCase() === wanted) ?? null
  );
}

/** Asset and network joined by an underscore, natives too: `btc_bitcoin`. */
export function fullId(asset: Asset): string {
  return `${asset.symbol}_${asset.network}`;
}
