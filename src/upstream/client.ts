/** A typed client of every endpoint of the aggregator, on both surfaces. */
import { checkHeaderSecret, parseBaseUrl } from "./base-url.ts";
import { catalogueEndpoints } from "./catalogue.ts";
import { checkoutEndpoints } from "./checkout.ts";
import { earlierEndpoints } from "./earlier.ts";
import {
  type CallOptions,
  createAgent,
  createHttp,
  type HttpDeps,
  type Limits,
  limitsDefault,
} from "./http.ts";
import { quoteEndpoints } from "./quotes.ts";
import { createRedact } from "./redact.ts";
import { attemptsMaxDefault } from "./retry.ts";
import { runSteps, type StepHandlers } from "./run-steps.ts";
import { createServerClock } from "./server-clock.ts";
import { createStepCalls } from "./step-calls.ts";
import type { Surface } from "./surface.ts";
import { transactionEndpoints } from "./transactions.ts";

export interface UpstreamOptions extends HttpDeps {
  /** The current surface. */
  readonly baseUrl: string;
  /** The earlier surface; without it, its functions fail when called. */
  readonly legacyBaseUrl?: string;
  readonly apiKey: string;
  readonly apiSecret: string;
  readonly limits?: Partial<Limits>;
  /** Of a reading call, the first included; 1 for a caller that paces itself. */
  readonly attemptsMax?: number;
}

export type Upstream = ReturnType<typeof createUpstream>;

export function createUpstream(options: UpstreamOptions) {
  checkHeaderSecret("apiKey", options.apiKey);
  checkHeaderSecret("apiSecret", options.apiSecret);
  const limits = { ...limitsDefault, ...options.limits };
  const agent = createAgent(limits);
  const clock = createServerClock(options.now);
  const deps: HttpDeps = {
    ...options,
    onAttempt: (attempt) => {
      clock.note(attempt);
      options.onAttempt?.(attempt);
    },
  };
  const surfaceAt = (name: string, url: string): Surface => ({
    http: createHttp(deps, {
      agent,
      base: parseBaseUrl(name, url),
      limits,
      attemptsMax: options.attemptsMax ?? attemptsMaxDefault,
      redact: createRedact([options.apiKey, options.apiSecret]),
    }),
    headers: { authorization: options.apiKey },
  });

  const current = surfaceAt("baseUrl", options.baseUrl);
  // Authentication on the earlier surface is not shown: it gets the public key, and never the secret.
  const legacyBaseUrl = options.legacyBaseUrl;
  const earlier = legacyBaseUrl === undefined ? unconfigured : surfaceAt("legacyBaseUrl", legacyBaseUrl);

  return {
    ...catalogueEndpoints(current),
    ...quoteEndpoints(current),
    ...checkoutEndpoints(current),
    ...transactionEndpoints(current, { "x-service-secret": options.apiSecret }),
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

    /** Where the aggregator's clock stands now, as far as its answers tell. */
    serverNow: () => clock.read(),

    /** Waits for what is under way and closes the connections. */
    async close(): Promise<void> {
      await agent.close();
    },
  };
}

const unconfigured: Surface = {
  http: {
    send: async () => {
      throw new TypeError("the earlier surface needs legacyBaseUrl");
    },
  },
  headers: {},
};
