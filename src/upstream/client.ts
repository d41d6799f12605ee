/** A typed client of every endpoint of the aggregator, on both surfaces. */
import { checkHeaderSecret } from "./base-url.ts";
import { type Limits, limitsDefault } from "./exchange.ts";
import type { Attempt } from "./http.ts";
import { publicEndpoints, type PublicOptions } from "./public-endpoints.ts";
import { createServerClock } from "./server-clock.ts";
import { transactionEndpoints } from "./transactions.ts";
import { createUndiciExchange } from "./undici-exchange.ts";

export interface UpstreamOptions extends PublicOptions {
  readonly apiSecret: string;
  readonly limits?: Partial<Limits>;
}

export type Upstream = ReturnType<typeof createUpstream>;

export function createUpstream(options: UpstreamOptions) {
  checkHeaderSecret("apiSecret", options.apiSecret);
  const limits = { ...limitsDefault, ...options.limits };
  const { exchange, close } = createUndiciExchange(limits);
  const clock = createServerClock(options.now);
  const onAttempt = (attempt: Attempt) => {
    clock.note(attempt);
    options.onAttempt?.(attempt);
  };
  const transport = { exchange, limits, secrets: [options.apiSecret] };
  const { current, endpoints } = publicEndpoints({ ...options, onAttempt }, transport);
  return {
    ...endpoints,
    ...transactionEndpoints(current, { "x-service-secret": options.apiSecret }),

    /** Where the aggregator's clock stands now, as far as its answers tell. */
    serverNow: () => clock.read(),

    /** Waits for what is under way and closes the connections. */
    close,
  };
}
