import { z, type OpenAPIHono } from "@hono/zod-openapi";
import { isEnabled } from "../accounts/account.ts";
import { resolveCountry, type SandboxDeps, type SandboxEnv } from "../context.ts";
import { addEndpoint } from "../endpoint.ts";
import { assetIcon, fiatIcon, paymentTypeIcon, providerIcons } from "../icons.ts";
import { countryParameter, sideParameter } from "../parameters.ts";
import { RefusedError } from "../refusal.ts";
import { enabledProviders } from "../open-providers.ts";
import { findFiat, fullId } from "../world/lookup.ts";
import { methodsOf, takesFiat, type Side } from "../world/market.ts";
import type { Asset, PaymentType, Provider, World } from "../world/types.ts";
import {
  assetsResponse,
  fiatPaymentTypesResponse,
  paymentTypesResponse,
  providersResponse,
  supportedResponse,
} from "./schemas.ts";

/** What can be bought and sold at all: assets, fiats, payment types and providers. */
export function addSupported(app: OpenAPIHono<SandboxEnv>, deps: SandboxDeps): void {
  const { world, origin } = deps;
  const place = z.object({ country: countryParameter, type: sideParameter });

  addEndpoint(
    app,
    deps,
    {
      method: "get",
      path: "/supported",
      operationId: "listSupported",
      summary: "Crypto assets and fiat currencies that can be bought or sold",
      tag: "current",
      auth: "optional",
      query: z.object({ type: sideParameter }),
      response: supportedResponse,
    },
    ({ caller, query }) => {
      const wish = { side: query.type };
      const providers = enabledProviders(deps, caller, wish);
      const assets = assetsOf(world, providers, query.type);
      const fiats = world.fiats.filter((fiat) => providers.some((each) => takesFiat(each, fiat, wish)));
      return {
        message: {
          crypto: assets.map((asset) => ({
            id: publicId(deps, asset),
            code: asset.code,
            name: asset.name,
            symbol: asset.symbol,
            network: asset.network,
            decimals: asset.decimals,
            address: asset.address,
            chainId: asset.chainId ?? 0,
            icon: assetIcon(origin(), asset),
            networkDisplayName: asset.networkDisplayName,
          })),
          fiat: fiats.map((fiat) => ({
            id: fiat.id,
            code: fiat.code,
            name: fiat.name,
            symbol: fiat.symbol,
            icon: fiatIcon(origin(), fiat),
          })),
        },
      };
    },
  );

  addEndpoint(
    app,
    deps,
    {
      method: "get",
      path: "/supported/payment-types",
      operationId: "listPaymentTypes",
      summary: "Payment types of a country, by id",
      tag: "current",
      auth: "optional",
      query: place,
      response: paymentTypesResponse,
    },
    ({ c, caller, query }) => {
      const wish = { side: query.type, country: resolveCountry(deps, c, query.country) };
      const types = methodsOf(world, enabledProviders(deps, caller, wish), wish);
      return {
        message: Object.fromEntries(types.map((type) => [type.id, presentPaymentType(origin(), type)])),
      };
    },
  );

  addEndpoint(
    app,
    deps,
    {
      method: "get",
      path: "/supported/payment-types/{fiat}",
      operationId: "listFiatPaymentTypes",
      summary: "Payment types for one fiat currency",
      tag: "current",
      auth: "optional",
      params: z.object({ fiat: z.string().openapi({ example: "EUR" }) }),
      query: place,
      response: fiatPaymentTypesResponse,
    },
    ({ c, caller, params, query }) => {
      const fiat = findFiat(world, params.fiat);
      if (!fiat)
        throw new RefusedError(
          "CURRENCY_NOT_FOUND",
          `${params.fiat} is not a fiat of GET /supported`,
          "fiat",
        );
      const wish = { side: query.type, country: resolveCountry(deps, c, query.country), fiat };
      const types = methodsOf(world, enabledProviders(deps, caller, wish), wish);
      return { message: types.map((type) => presentPaymentType(origin(), type)) };
    },
  );

  addEndpoint(
    app,
    deps,
    {
      method: "get",
      path: "/supported/assets",
      operationId: "listAssets",
      summary: "Which assets each fiat can buy in a country, and how it is paid",
      tag: "current",
      auth: "key",
      query: z.object({
        source: z.string().optional().openapi({ example: "usd" }),
        country: countryParameter,
      }),
      response: assetsResponse,
    },
    ({ c, caller, query }) => {
      const country = resolveCountry(deps, c, query.country);
      const only = query.source === undefined ? null : findFiat(world, query.source);
      if (query.source !== undefined && !only) {
        throw new RefusedError(
          "UNKNOWN_CURRENCY",
          `${query.source} is not a fiat of GET /supported`,
          "source",
        );
      }
      const assets = (only ? [only] : world.fiats).flatMap((fiat) => {
        const wish = { side: "buy", country, fiat } as const;
        const providers = enabledProviders(deps, caller, wish);
        if (providers.length === 0) return [];
        return {
          fiat: fiat.id,
          paymentMethods: methodsOf(world, providers, wish).map(({ id }) => id),
          crypto: assetsOf(world, providers, "buy").map(fullId),
        };
      });
      return { message: { assets, country } };
    },
  );

  addEndpoint(
    app,
    deps,
    {
      method: "get",
      path: "/supported/onramps/all",
      operationId: "listProviders",
      summary: "All providers enabled for the key",
      tag: "current",
      auth: "key",
      response: providersResponse,
    },
    ({ caller }) => ({
      message: world.providers
        .filter(({ id }) => isEnabled(caller, id))
        .map((provider) => {
          const { icon, icons } = providerIcons(origin(), provider);
          return { id: provider.id, displayName: provider.displayName, icon, icons };
        }),
    }),
  );
}

function assetsOf(world: World, providers: readonly Provider[], side: Side): Asset[] {
  return world.assets.filter(({ id }) =>
    providers.some((each) => (side === "buy" ? each.assets : each.buysBack).has(id)),
  );
}

function publicId({ switches }: SandboxDeps, asset: Asset): string {
  return switches.dialect["asset-ids"] === "joined" ? fullId(asset) : asset.id;
}

export function presentPaymentType(origin: string, type: PaymentType) {
  return { paymentTypeId: type.id, name: type.name, icon: paymentTypeIcon(origin, type) };
}
