import { RefusedError } from "../refusal.ts";
import { findAsset, findFiat } from "../world/lookup.ts";
import type { Side } from "../world/market.ts";
import type { Asset, Fiat, World } from "../world/types.ts";

export interface Pair {
  readonly side: Side;
  readonly fiat: Fiat;
  readonly asset: Asset;
}

/** Which way a pair of currencies runs is decided by their kinds: fiat first is a buy, crypto first a sell. */
export function readPair(world: World, source: string, destination: string, network?: string): Pair {
  const [from, to] = [findFiat(world, source), findFiat(world, destination)];
  if (from) {
    const asset = findAsset(world, destination, network);
    if (!asset) refuseNetwork(world, destination, network);
    if (!asset)
      throw unknown(
        to ? "a crypto asset is needed to buy" : "no such crypto asset",
        destination,
        "destination",
      );
    return { side: "buy", fiat: from, asset };
  }
  const asset = findAsset(world, source, network);
  if (!asset) refuseNetwork(world, source, network);
  if (!asset) throw unknown("no such currency", source, "source");
  if (!to) throw unknown("no such fiat currency", destination, "destination");
  return { side: "sell", fiat: to, asset };
}

/** The asset may be right and only the network wrong. */
function refuseNetwork(world: World, currency: string, network: string | undefined): void {
  const elsewhere = findAsset(world, currency);
  if (!elsewhere || network === undefined) return;
  const networks = world.assets.filter(({ code }) => code === elsewhere.code).map((each) => each.network);
  throw new RefusedError(
    "INVALID_PARAMETER",
    `network: ${elsewhere.code} is on ${networks.join(", ")}, not on ${JSON.stringify(network.slice(0, 40))}`,
    "network",
  );
}

function unknown(problem: string, currency: string, field: string): RefusedError {
  return new RefusedError(
    "UNKNOWN_CURRENCY",
    `${field} ${JSON.stringify(currency.slice(0, 40))}: ${problem}; GET /supported lists what there is`,
    field,
  );
}
