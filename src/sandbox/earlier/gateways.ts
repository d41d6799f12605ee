import { z, type OpenAPIHono } from "@hono/zod-openapi";
import type { SandboxDeps, SandboxEnv } from "../context.ts";
import { addEndpoint } from "../endpoint.ts";
import { assetIcon, fiatIcon, paymentTypeIcon } from "../icons.ts";
import { enabledProviders } from "../open-providers.ts";
import { booleanParameter } from "../parameters.ts";
import { methodsOf, takesFiat, type Wish } from "../world/market.ts";
import { hash32 } from "../world/random.ts";
import type { Asset, Provider, World } from "../world/types.ts";
import { anyCountryParameter, readPlace } from "./country.ts";
import { gatewaysResponse } from "./schemas.ts";

export function addGateways(app: OpenAPIHono<SandboxEnv>, deps: SandboxDeps): void {
  const { world, origin } = deps;
  addEndpoint(
    app,
    deps,
    {
      method: "get",
      path: "/gateways",
      operationId: "listGateways",
      summary: "Gateways of a country with their currencies and payment methods",
      tag: "earlier",
      auth: "optional",
      query: z.object({ country: anyCountryParameter, includeIcons: booleanParameter }),
      response: gatewaysResponse,
    },
    ({ c, caller, query }) => {
      const { home, within } = readPlace(deps, c, query.country);
      const wish = { side: "buy", ...within } as const;
      const providers = enabledProviders(deps, caller, wish);
      return {
        gateways: providers.map((provider) => presentGateway(world, provider, wish)),
        localization: {
          country: home,
          state: null,
          currency: (world.countryByCode.get(home)?.fiat ?? "usd").toUpperCase(),
        },
        ...(query.includeIcons ? { icons: iconsOf(world, origin(), providers, wish) } : {}),
      };
    },
  );
}

/** The code of an asset on this surface. `USDC` alone would not say on which network. */
function legacyCode(asset: Asset): string {
  return asset.id.toUpperCase();
}

/** How many digits a gateway shows and pays: its own habit, not the chain's decimals. */
export function displayPrecision(world: World, provider: Provider, asset: Asset): number {
  return Math.min(asset.decimals, 5 + (hash32(world.seed, "precision", provider.id, asset.id) % 4));
}

/** What the gateway offers there. */
function presentGateway(world: World, provider: Provider, wish: Wish) {
  return {
    identifier: provider.id,
    paymentMethods: methodsOf(world, [provider], wish).map(({ legacyId }) => legacyId),
    fiatCurrencies: world.fiats
      .filter((fiat) => takesFiat(provider, fiat, wish))
      .map((fiat) => ({ code: fiat.code, precision: fiat.minorUnits })),
    cryptoCurrencies: world.assets
      .filter(({ id }) => provider.assets.has(id))
      .map((asset) => ({ code: legacyCode(asset), precision: displayPrecision(world, provider, asset) })),
  };
}

/** Which fields the icons come in is not shown; beside the gateways they are sent once, not once per gateway. */
function iconsOf(world: World, origin: string, providers: readonly Provider[], wish: Wish) {
  const assets = world.assets.filter(({ id }) => providers.some((each) => each.assets.has(id)));
  const fiats = world.fiats.filter((fiat) => providers.some((each) => takesFiat(each, fiat, wish)));
  return {
    cryptoCurrencies: Object.fromEntries(assets.map((each) => [legacyCode(each), assetIcon(origin, each)])),
    fiatCurrencies: Object.fromEntries(fiats.map((each) => [each.code, fiatIcon(origin, each)])),
    paymentMethods: Object.fromEntries(
      methodsOf(world, providers, wish).map((each) => [each.legacyId, paymentTypeIcon(origin, each)]),
    ),
  };
}
