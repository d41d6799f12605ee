import type { Decimal } from "../../core/decimal.ts";

/** The sandbox's world: everything that exists before the first customer comes. A pure function of the seed. */
export interface World {
  readonly seed: string;
  readonly assets: readonly Asset[];
  readonly fiats: readonly Fiat[];
  readonly paymentTypes: readonly PaymentType[];
  readonly providers: readonly Provider[];
  /** ISO 3166-1 alpha-2, upper case, with the fiat its people use. */
  readonly countries: readonly { code: string; fiat: string }[];
}

export interface Asset {
  /** Lower-case `code_network`; natives are bare: `btc`, `usdc_base`. */
  readonly id: string;
  readonly code: string;
  readonly name: string;
  readonly symbol: string;
  readonly network: string;
  readonly networkDisplayName: string;
  readonly chainId: number | null;
  /** Decimals of the token on its network. */
  readonly decimals: number;
  /** Token contract; empty for natives. */
  readonly address: string;
  /** Price level in US dollars around which the price moves. */
  readonly usd: Decimal;
}

export interface Fiat {
  readonly id: string;
  readonly code: string;
  readonly name: string;
  readonly symbol: string;
  readonly minorUnits: number;
  /** US dollars for one unit, around which the rate moves. */
  readonly usd: Decimal;
}

export interface PaymentType {
  readonly id: string;
  readonly name: string;
  /** The id on the earlier surface: `creditCard` for `creditcard`. */
  readonly legacyId: string;
}

export interface Provider {
  readonly id: string;
  readonly displayName: string;
  readonly countries: ReadonlySet<string>;
  readonly fiats: ReadonlySet<string>;
  readonly assets: ReadonlySet<string>;
  readonly paymentMethods: ReadonlySet<string>;
  readonly sells: boolean;
  readonly fees: FeeSchedule;
  /** Smallest and largest order, in US dollars. */
  readonly limitsUsd: { readonly min: number; readonly max: number };
  /** Typical seconds from payment to delivery. */
  readonly secondsToDeliver: number;
  readonly successRate: number;
  readonly kyc: "low" | "normal";
  readonly partnerFeePercent: Decimal;
}

export interface FeeSchedule {
  /** Percent of the fiat amount by payment method id; `default` for the rest. */
  readonly percentByMethod: Readonly<Record<string, Decimal>>;
  /** Smallest processing fee, in US dollars. */
  readonly minimumUsd: Decimal;
  /** Margin inside the rate, in percent. */
  readonly spreadPercent: Decimal;
}
