import type { Account } from "./accounts/account.ts";
import type { CountryFinder } from "./country-of-address.ts";
import type { Dialect } from "./transactions/dialect.ts";
import type { Faults } from "./transactions/faults.ts";
import type { Answer } from "./trouble/tamper.ts";
import type { Trouble } from "./trouble/trouble.ts";

export const sandboxDefaults = {
  host: "127.0.0.1",
  apiKey: "pk_sandbox",
  apiSecret: "sk_sandbox",
  webhookSecret: "whsec_c2FuZGJveC13ZWJob29rLXNlY3JldC0yNA==",
  seed: "tieout",
  transactions: 10_000,
  defaultCountry: "US",
  timeScale: 60,
  sessionSeconds: 600,
} as const;

export interface SandboxOptions {
  readonly now: () => number;
  readonly host?: string;
  /** 0: any free port. */
  readonly port: number;
  /** Of the one account; several come in `accounts`, and then these two mean nothing. */
  readonly apiKey?: string;
  readonly apiSecret?: string;
  readonly accounts?: readonly [Account, ...Account[]];
  readonly seed?: string;
  /** How many transactions the seeded history holds, and its time, half-open. Left out: the 90 days before today. */
  readonly transactions?: number;
  readonly fromMs?: number;
  readonly toMs?: number;
  /** Transactions go on arriving after `toMs`, at the same rate. */
  readonly live?: boolean;
  /** Status dates are cut to multiples of this, so that many records share one millisecond. */
  readonly clusterMs?: number;
  readonly dialect?: Dialect;
  readonly faults?: Faults;
  readonly trouble?: Trouble;
  /** Opens `/sandbox/control`, where dialect and faults can be changed and orders decided while it runs. */
  readonly control?: boolean;
  /** Where checkouts are kept; one folder per instance. Left out: they end with the process. */
  readonly dataDir?: string;
  /** How much faster than the clock a transaction moves: 60 is a minute a second. */
  readonly timeScale?: number;
  readonly sessionSeconds?: number;
  /** For addresses without a country. */
  readonly defaultCountry?: string;
  /** Which addresses are where. */
  readonly countries?: CountryFinder;
  readonly trustForwardedFor?: boolean;
  /** The header in which a trusted proxy names the country. */
  readonly countryHeader?: string;
  /** Lists providers that cannot quote among the quotes, with their reasons, as some servers do. */
  readonly quoteErrors?: boolean;
  /** Sends `partnerContext` in records, which the specification does not show. */
  readonly extraFields?: boolean;
  /** The address that links lead to, when it is not the one listened on. */
  readonly publicUrl?: string;
  readonly randomBytes?: (count: number) => Uint8Array;
  readonly warn?: (message: string) => void;
  /** Told of every answer about transactions before it goes out, for a log of what was served. */
  readonly onAnswer?: (
    request: { readonly query: string; readonly transactionId?: string },
    answer: Answer & { readonly body: string },
  ) => void;
}
