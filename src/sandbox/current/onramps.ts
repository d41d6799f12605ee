import { z, type OpenAPIHono } from "@hono/zod-openapi";
import { resolveCountry, type SandboxDeps, type SandboxEnv } from "../context.ts";
import { addEndpoint } from "../endpoint.ts";
import { providerIcons } from "../icons.ts";
import { booleanParameter, countryParameter } from "../parameters.ts";
import { methodsOf, providersFor, successPerMille } from "../world/market.ts";
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
    ({ c, query }) => {
      const country = resolveCountry(deps, c, query.country);
      const pair = readPair(world, query.source, query.destination);
      const methodsByProvider = new Map(
        providersFor(world, { ...pair, country })
          .map((provider) => [provider, methodIds(world, provider, pair)] as const)
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

function methodIds(world: World, provider: Provider, pair: ReturnType<typeof readPair>): string[] {
  return methodsOf(world, [provider], pair.fiat).map(({ id }) => id);
}

function surest(world: World, provider: Provider, methods: readonly string[]): string {
  const score = (method: string) => successPerMille(world, provider, method);
  return methods.reduce((best, method) => (score(method) > score(best) ? method : best));
}

/** Recommended are the methods in which nobody else in this list does better; an entry without any says nothing. */
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
