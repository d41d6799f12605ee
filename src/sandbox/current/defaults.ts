import { z, type OpenAPIHono } from "@hono/zod-openapi";
import { resolveCountry, type SandboxDeps, type SandboxEnv } from "../context.ts";
import { addEndpoint } from "../endpoint.ts";
import { countryParameter, sideParameter } from "../parameters.ts";
import { exactNumber } from "../wire.ts";
import { findAsset } from "../world/lookup.ts";
import {
  methodsOf,
  providersFor,
  roundAmountIn,
  serves,
  successPerMille,
  type Side,
} from "../world/market.ts";
import type { Country, World } from "../world/types.ts";
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
    ({ c, query }) => {
      const code = resolveCountry(deps, c, query.country);
      // A country without providers still gets a suggestion: the one people pay for in dollars.
      const country = deps.world.countryByCode.get(code) ?? { code: "US", fiat: "usd" };
      return {
        message: {
          recommended: suggest(deps.world, country, query.type),
          defaults: Object.fromEntries(
            deps.world.countries.map((each) => [each.code, suggest(deps.world, each, query.type)]),
          ),
        },
      };
    },
  );
}

function suggest(world: World, country: Country, side: Side) {
  const asset = findAsset(world, "btc");
  const home = world.fiatById.get(country.fiat);
  const dollar = world.fiatById.get("usd");
  if (!asset || !home || !dollar) throw new RangeError("every world has bitcoin and dollars");
  const atHome = providersFor(world, { side, country: country.code, fiat: home, asset });
  const [fiat, providers] =
    atHome.length > 0
      ? [home, atHome]
      : [dollar, providersFor(world, { side, country: "US", fiat: dollar, asset })];
  const method = methodsOf(world, providers, fiat)[0];
  const best = providers
    .filter((provider) => method && serves(provider, { side, fiat, asset, method }))
    .toSorted(
      (a, b) => successPerMille(world, b, method?.id ?? "") - successPerMille(world, a, method?.id ?? ""),
    )[0];
  return {
    source: fiat.code,
    target: asset.code,
    amount: exactNumber(roundAmountIn(fiat, 100)),
    paymentMethod: method?.id ?? "creditcard",
    provider: best?.id ?? "",
  };
}
