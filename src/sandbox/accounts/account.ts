/** One client of the aggregator: who it is, what it may use, and how it is treated. */
export interface Account {
  readonly name: string;
  readonly apiKey: string;
  readonly apiSecret: string;
  /** Ids of the providers it may use; `null` for all. */
  readonly providers: ReadonlySet<string> | null;
  /** The provider it would rather use, by `clientName`; `*` for any name that is not listed. */
  readonly preferred: ReadonlyMap<string, string>;
  /** More requests a second than this get 429; 0 for no limit. */
  readonly requestsPerSecond: number;
  /** `test`: the person decides how an order ends, in scaled time. `live`: the provider does, by the clock. */
  readonly mode: "test" | "live";
  /** How many transactions its seeded history holds; `null` for as many as the sandbox was told. */
  readonly transactions: number | null;
  /** Where its events go. */
  readonly webhook: Webhook | null;
}

export interface Webhook {
  readonly url: string;
  /** `whsec_` and base64, as Standard Webhooks has it. */
  readonly secret: string;
}

/** An account with nothing but its credentials: all providers, no limits. */
export function plainAccount(name: string, credentials: { apiKey: string; apiSecret: string }): Account {
  return {
    name,
    ...credentials,
    providers: null,
    preferred: new Map(),
    requestsPerSecond: 0,
    mode: "test",
    transactions: null,
    webhook: null,
  };
}

/** Requests without a key see every provider. */
export function isEnabled(account: Account | null, providerId: string): boolean {
  return account?.providers?.has(providerId) ?? true;
}

export function preferredProvider(account: Account | null, clientName: string): string | undefined {
  return account?.preferred.get(clientName) ?? account?.preferred.get("*");
}
