import type { Decimal } from "../../core/decimal.ts";

/** The sandbox's world: everything that exists before the first customer comes. A pure function of the seed. */
export interface World {
  readonly seed: string;
  readonly networks: readonly Network[];
  readonly assets: readonly Asset[];
  readonly fiats: readonly Fiat[];
  readonly paymentTypes: readonly PaymentType[];
  readonly providers: readonly Provider[];
  readonly countries: readonly Country[];

  // The same things by id, because every request starts with a look-up.
  readonly networkById: ReadonlyMap<string, Network>;
  readonly assetById: ReadonlyMap<string, Asset>;
  readonly fiatById: ReadonlyMap<string, Fiat>;
  readonly paymentTypeById: ReadonlyMap<string, PaymentType>;
  readonly providerById: ReadonlyMap<string, Provider>;
  readonly countryByCode: ReadonlyMap<string, Country>;
}

export interface Country {
  /** ISO 3166-1 alpha-2, upper case. */
  readonly code: string;
  /** Id of the fiat its people use. */
  readonly fiat: string;
}

export interface Network {
  readonly id: string;
  readonly displayName: string;
  /** EVM chains only. */
  readonly chainId: number | null;
  /** How hashes and addresses look there. */
  readonly family: ChainFamily;
  /** What sending one payment costs, in US dollars. */
  readonly feeUsd: Decimal;
}

export type ChainFamily =
  | "utxo"
  | "evm"
  | "solana"
  | "tron"
  | "stellar"
  | "xrp"
  | "cardano"
  | "cosmos"
  | "base58"
  | "hex0x"
  | "ton"
  | "algorand"
  | "tezos"
  | "hedera"
  | "filecoin";

export interface Asset {
  /** Lower-case `code_network`; natives are bare: `btc`, `usdc_base`. */
  readonly id: string;
  /** Upper case: `USDC`. */
  readonly code: string;
  readonly name: string;
  /** Lower case: `usdc`. */
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
  /** How far the price can move away from its level, in millionths. */
  readonly swingPpm: number;
  /** What customers can do with it: some coins are not bought back, others only bought back. */
  readonly trade: "both" | "buy" | "sell";
}

export interface Fiat {
  /** Lower-case code. */
  readonly id: string;
  /** ISO 4217, upper case. */
  readonly code: string;
  readonly name: string;
  readonly symbol: string;
  readonly minorUnits: number;
  /** US dollars for one unit, around which the rate moves. */
  readonly usd: Decimal;
  /** How far the rate can move away from its level, in millionths. */
  readonly swingPpm: number;
  /** Its state keeps it at home: only customers in its own countries can use it. */
  readonly homeOnly: boolean;
  /** Whether anyone pays a sale out in it. */
  readonly paysOut: boolean;
}

export interface PaymentType {
  readonly id: string;
  readonly name: string;
  /** The id on the legacy surface: `creditCard` for `creditcard`. */
  readonly legacyId: string;
  /** Ids of the fiats it moves; `null` for any. */
  readonly fiats: ReadonlySet<string> | null;
  /** Upper-case codes of the countries in which people have it; `null` for everywhere. */
  readonly countries: ReadonlySet<string> | null;
  /** Whether money can come to the customer this way, as after a sale. */
  readonly paysOut: boolean;
}

export interface Provider {
  readonly id: string;
  readonly displayName: string;
  /** Upper-case codes. */
  readonly countries: ReadonlySet<string>;
  /** Fiat ids. */
  readonly fiats: ReadonlySet<string>;
  /** Ids of the assets that customers can buy from it. */
  readonly assets: ReadonlySet<string>;
  /** Ids of the assets that customers can sell to it; none at providers that only sell. */
  readonly buysBack: ReadonlySet<string>;
  /** Payment type ids. */
  readonly paymentMethods: ReadonlySet<string>;
  readonly fees: FeeSchedule;
  /** Smallest and largest order, in US dollars. */
  readonly limitsUsd: { readonly min: number; readonly max: number };
  /** Typical seconds from payment to delivery. */
  readonly secondsToDeliver: number;
  readonly successRate: number;
  readonly kyc: "low" | "normal";
  readonly partnerFeePercent: Decimal;
}

interface FeeSchedule {
  /** Percent of the fiat amount by payment method id; `default` for the rest. */
  readonly percentByMethod: Readonly<Record<string, Decimal>>;
  /** Smallest processing fee, in US dollars. */
  readonly minimumUsd: Decimal;
  /** Margin inside the rate, in percent. */
  readonly spreadPercent: Decimal;
}
