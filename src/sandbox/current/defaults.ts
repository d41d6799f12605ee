import { z, type OpenAPIHono } from "@hono/zod-openapi";
import { decimal, divideDecimals, type Decimal } from "../../core/decimal.ts";
import { resolveCountry, type Caller, type SandboxDeps, type SandboxEnv } from "../context.ts";
import { addEndpoint } from "../endpoint.ts";
import { openProviders } from "../open-providers.ts";
import { countryParameter, sideParameter } from "../parameters.ts";
import { exactNumber } from "../wire.ts";
import { findAsset } from "../world/lookup.ts";
import { methodsOf, roundAmountIn, serves, successPerMille, type Side } from "../world/market.ts";
import type { Asset, Country, PaymentType, Provider } from "../world/types.ts";
import { defaultsResponse } from "./schemas.ts";

/** What a widget should show first: the home currency, a round amount, and the provider most likely to succeed. */
export function addDefaults(app: OpenAPIHono<SandboxEnv>, deps: SandboxDeps): void {
  addEndpoint(
    app,
    deps,
    {
      method: "get",
      path: "/supported/defaults/all",
      operationId: "listDefaults",
      summary: "Suggested order for every country, and for the caller's own",
      tag: "current",
      auth: "optional",
      query: z.object({ country: countryParameter, type: sideParameter }),
      response: defaultsResponse,
    },
    ({ c, caller, query }) => {
      const suggest = (country: Country) => suggestOrder(deps, caller, country, query.type);
      const code = resolveCountry(deps, c, query.country);
      // A country without providers still gets a suggestion: the one people pay for in dollars.
      const country = deps.world.countryByCode.get(code) ?? { code: "US", fiat: "usd" };
      return {
        message: {
          recommended: suggest(country),
          defaults: Object.fromEntries(deps.world.countries.map((each) => [each.code, suggest(each)])),
        },
      };
    },
  );
}

/** The source is the fiat and the target the crypto, as specified, whichever way the money goes; the amount is what is given. */
function suggestOrder(deps: SandboxDeps, caller: Caller, country: Country, side: Side) {
  const { world } = deps;
  const asset = findAsset(world, "btc");
  const home = world.fiatById.get(country.fiat);
  const dollar = world.fiatById.get("usd");
  if (!asset || !home || !dollar) throw new RangeError("every world has bitcoin and dollars");
  const atHome = { side, country: country.code, fiat: home, asset };
  const abroad = { side, country: "US", fiat: dollar, asset };
  const wish = openProviders(deps, caller, atHome).length > 0 ? atHome : abroad;
  const providers = openProviders(deps, caller, wish);
  const method = firstMethod(methodsOf(world, providers, wish), side);
  const success = (provider: Provider) => successPerMille(world, provider, method?.id ?? "");
  const best = providers
    .filter((provider) => method && serves(provider, { ...wish, method }))
    .toSorted((a, b) => success(b) - success(a))[0];
  return {
    source: wish.fiat.code,
    target: asset.code,
    amount: exactNumber(side === "buy" ? roundAmountIn(wish.fiat, 100) : aboutUsd(asset, 250)),
    paymentMethod: method?.id ?? "creditcard",
    provider: best?.id ?? "",
  };
}

/** People pay by card and want their money on an account. */
function firstMethod(methods: readonly PaymentType[], side: Side): PaymentType | undefined {
  const toBank = side === "sell" ? methods.findLast(({ fiats }) => fiats !== null) : undefined;
  return (
    toBank ?? (side === "sell" ? methods.find(({ id }) => id === "banktransfer") : undefined) ?? methods[0]
  );
}

/** One significant digit of the coin. */
function aboutUsd(asset: Asset, usd: number): Decimal {
  const exact = divideDecimals(decimal(usd), asset.usd, { places: 8 });
  const first = exact.search(/[1-9]/);
  return decimal(exact.slice(0, first + 1).padEnd(exact.includes(".") ? 0 : exact.length, "0"));
}
