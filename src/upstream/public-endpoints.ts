import { parseBaseUrl, checkHeaderSecret } from "./base-url.ts";
import { catalogueEndpoints } from "./catalogue.ts";
import { checkoutEndpoints } from "./checkout.ts";
import { earlierEndpoints } from "./earlier.ts";
import type { Exchange, Limits } from "./exchange.ts";
import { type CallOptions, createHttp, type HttpDeps } from "./http.ts";
import { quoteEndpoints } from "./quotes.ts";
import { createRedact } from "./redact.ts";
import { attemptsMaxDefault } from "./retry.ts";
import { runSteps, type StepHandlers } from "./run-steps.ts";
import { createStepCalls } from "./step-calls.ts";
import type { Surface } from "./surface.ts";

export interface PublicOptions extends HttpDeps {
  /** The current surface. */
  readonly baseUrl: string;
  /** The legacy surface; without it, its functions fail when called. */
  readonly legacyBaseUrl?: string;
  /** The account's public key. */
  readonly apiKey: string;
  /** Of a reading call, the first included; 1 for a caller that paces itself. */
  readonly attemptsMax?: number;
}

interface Transport {
  readonly exchange: Exchange;
  readonly limits: Limits;
  /** What must not appear in an error, besides the key. */
  readonly secrets: readonly string[];
}

/** Everything that needs no secret: nothing here knows Node, so that it runs in a browser as well. */
export function publicEndpoints(options: PublicOptions, { exchange, limits, secrets }: Transport) {
  checkHeaderSecret("apiKey", options.apiKey);
  const surfaceAt = (name: string, url: string): Surface => ({
    http: createHttp(options, {
      exchange,
      base: parseBaseUrl(name, url),
      limits,
      attemptsMax: options.attemptsMax ?? attemptsMaxDefault,
      redact: createRedact([options.apiKey, ...secrets]),
    }),
    headers: { authorization: options.apiKey },
  });
  const current = surfaceAt("baseUrl", options.baseUrl);
  // Authentication on the legacy surface is not shown: it gets the public key, and never the secret.
  const { legacyBaseUrl } = options;
  const earlier = legacyBaseUrl === undefined ? unconfigured : surfaceAt("legacyBaseUrl", legacyBaseUrl);
  const endpoints = {
    ...catalogueEndpoints(current),
    ...quoteEndpoints(current),
    ...checkoutEndpoints(current),
    ...earlierEndpoints(earlier),

    /** From the `nextStep` of an available rate to the end of the purchase. */
    async runSteps(
      first: unknown,
      handlers: StepHandlers,
      flow: { stepsMax?: number; call?: CallOptions } = {},
    ) {
      const base = parseBaseUrl("legacyBaseUrl", legacyBaseUrl ?? "");
      return runSteps(createStepCalls(earlier, base, flow.call), first, handlers, flow);
    },
  };
  return { current, endpoints };
}

const unconfigured: Surface = {
  http: {
    send: async () => {
      throw new TypeError("the legacy surface needs legacyBaseUrl");
    },
  },
  headers: {},
};
