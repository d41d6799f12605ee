import { z, type OpenAPIHono } from "@hono/zod-openapi";
import { resolveCountry, type SandboxDeps, type SandboxEnv } from "../context.ts";
import { addEndpoint } from "../endpoint.ts";
import { providerIcons } from "../icons.ts";
import { openProviders } from "../open-providers.ts";
import { booleanParameter, countryParameter } from "../parameters.ts";
import { methodsOf, successPerMille } from "../world/market.ts";
import type { Provider, World } from "../world/types.ts";
import { readPair } from "./pair.ts";
import { availabilityResponse } from "./schemas.ts";

/** Who serves one pair of currencies in a country, and by which payment methods. */
export function addOnramps(app: OpenAPIHono<SandboxEnv>, deps: SandboxDeps): void {
  const { world, origin } = deps;
  addEndpoint(
    app,
    deps,
    {
      method: "get",
      path: "/supported/onramps",
      operationId: "listOnramps",
      summary: "Providers for a pair of currencies",
      tag: "current",
      auth: "key",
      query: z.object({
        source: z.string({ error: "is required: a currency such as usd" }).openapi({ example: "usd" }),
        destination: z.string({ error: "is required: a currency such as btc" }).openapi({ example: "btc" }),
        country: countryParameter,
        recommendations: booleanParameter,
      }),
      response: availabilityResponse,
    },
    ({ c, caller, query }) => {
      const country = resolveCountry(deps, c, query.country);
      const wish = { ...readPair(world, query.source, query.destination), country };
      const methodsByProvider = new Map(
        openProviders(deps, caller, wish)
          .map((provider) => [provider, methodsOf(world, [provider], wish).map(({ id }) => id)] as const)
          .filter(([, methods]) => methods.length > 0),
      );
      return {
        message: Array.from(methodsByProvider, ([provider, methods]) => ({
          onramp: provider.id,
          ...providerIcons(origin(), provider),
          displayName: provider.displayName,
          country,
          paymentMethods: methods,
          recommendedPaymentMethod: surest(world, provider, methods),
          ...(query.recommendations ? recommendationsOf(world, provider, methodsByProvider) : {}),
        })),
      };
    },
  );
}

function surest(world: World, provider: Provider, methods: readonly string[]): string {
  const score = (method: string) => successPerMille(world, provider, method);
  return methods.reduce((best, method) => (score(method) > score(best) ? method : best));
}

/** Recommends the methods in which nobody else in this list does better; an entry without any omits the field. */
function recommendationsOf(
  world: World,
  provider: Provider,
  methodsByProvider: ReadonlyMap<Provider, readonly string[]>,
) {
  const mine = methodsByProvider.get(provider) ?? [];
  const best = mine.filter((method) => {
    const score = successPerMille(world, provider, method);
    return Array.from(methodsByProvider).every(
      ([other, methods]) => !methods.includes(method) || successPerMille(world, other, method) <= score,
    );
  });
  return best.length === 0 ? {} : { recommendations: [{ type: "SuccessRate", paymentMethods: best }] };
}
