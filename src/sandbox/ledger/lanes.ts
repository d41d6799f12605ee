import { methodsOf } from "../world/market.ts";
import { below, hash32, happens, pick } from "../world/random.ts";
import type { Asset, Country, Fiat, Network, Provider, World } from "../world/types.ts";
import type { Speed } from "./lifecycles.ts";
import { createPricing, type Pricing } from "./pricing.ts";

/**
 * A lane is one kind of business: this provider, this pair, this method, this country. Transactions are dealt out to
 * a few thousand of them, so that what two transactions of a kind share is worked out once.
 */
export interface Lane {
  /** Its place among all lanes. */
  readonly number: number;
  readonly provider: Provider;
  readonly type: "buy" | "sell";
  /** Lower case, as in records. */
  readonly country: string;
  readonly fiat: Fiat;
  readonly asset: Asset;
  readonly network: Network;
  readonly method: string;
  readonly speed: Speed;
  readonly pricing: Pricing;
  /** Typical sizes of an order, in fiat minor units. */
  readonly sizes: readonly number[];
  /** Whether the provider states an amount before it delivers, or 0. */
  readonly estimates: boolean;
}

/** A power of two, so that a lane is some bits of a hash. */
export const laneCount = 4096;

export function createLanes(world: World, seed: string): readonly Lane[] {
  if (world.providers.length === 0) return [];
  const markets = new Map(world.providers.map((provider) => [provider.id, marketOf(world, provider)]));
  return Array.from({ length: laneCount }, (_, number) => createLane({ world, seed, markets }, number));
}

function createLane(
  { world, seed, markets }: { world: World; seed: string; markets: ReadonlyMap<string, Market> },
  number: number,
): Lane {
  const draw = (what: string) => hash32(seed, "lane", number, what);
  const provider = pick(world.providers, draw("provider"));
  const market = known(markets.get(provider.id));
  const country = pick(market.countries, draw("country"));
  const fiat = known(world.fiatById.get(country.fiat));
  const sells = provider.buysBack.size > 0 && fiat.paysOut && happens(sellShare, draw("type"));
  const type = sells ? "sell" : "buy";
  const method = pick(
    methodsOf(world, [provider], { side: type, country: country.code, fiat }),
    draw("method"),
  ).id;
  const goods = market[type];
  const asset = pick(happens(popularShare, draw("popular")) ? goods.popular : goods.assets, draw("asset"));
  const network = known(world.networkById.get(asset.network));
  return {
    number,
    provider,
    type,
    country: country.code.toLowerCase(),
    fiat,
    asset,
    network,
    method,
    speed: speedOf(provider, method),
    pricing: createPricing({ seed: world.seed, provider, fiat, asset, network, method }),
    sizes: sizesOf(provider, fiat),
    estimates: happens(0.25, hash32(world.seed, "estimates", provider.id)),
  };
}

const sellShare = 0.15;
const popularShare = 0.6;
const popular = new Set(["BTC", "ETH", "USDC", "USDT", "SOL"]);

interface Market {
  readonly countries: readonly Country[];
  readonly buy: Goods;
  readonly sell: Goods;
}

interface Goods {
  readonly assets: readonly Asset[];
  readonly popular: readonly Asset[];
}

function marketOf(world: World, provider: Provider): Market {
  return {
    countries: world.countries.filter(
      ({ code, fiat }) => provider.countries.has(code) && provider.fiats.has(fiat),
    ),
    buy: goodsOf(world, provider.assets),
    sell: goodsOf(world, provider.buysBack),
  };
}

function goodsOf(world: World, ids: ReadonlySet<string>): Goods {
  const assets = world.assets.filter(({ id }) => ids.has(id));
  return { assets, popular: assets.filter(({ code }) => popular.has(code)) };
}

const bankMethods = new Set(["ach", "banktransfer", "7eleven"]);

function speedOf(provider: Provider, method: string): Speed {
  if (bankMethods.has(method)) return "bank";
  if (provider.secondsToDeliver <= 180) return "instant";
  if (provider.secondsToDeliver <= 330) return "quick";
  return provider.secondsToDeliver <= 800 ? "normal" : "slow";
}

const sizesUsd = [15, 25, 30, 50, 50, 75, 100, 100, 100, 150, 200, 250, 500, 800, 2000, 9000];

/** What people type: round figures of their own currency, inside the provider's limits. */
function sizesOf(provider: Provider, fiat: Fiat): number[] {
  const usdPerUnit = Number(fiat.usd);
  const floor = Math.max(provider.limitsUsd.min, 4 * Number(provider.fees.minimumUsd));
  return sizesUsd.map((usd) => {
    const units = Math.min(Math.max(usd, floor), provider.limitsUsd.max) / usdPerUnit;
    const step = 10 ** Math.max(Math.floor(Math.log10(units)) - 1, 0);
    return Math.ceil(units / step) * step * 10 ** fiat.minorUnits;
  });
}

/** The odd cents that one order in eight has, up to one unit of the currency. */
export function oddCents(fiat: Fiat, hash: number): number {
  return happens(0.125, hash) ? below(10 ** fiat.minorUnits, Math.imul(hash, 0x9e3779b1)) : 0;
}

function known<T>(found: T | undefined): T {
  if (found === undefined) throw new RangeError("the world's tables do not fit together");
  return found;
}
