import type { Ledger, LedgerView } from "../ledger/ledger.ts";
import type { World } from "../world/types.ts";
import type { CaseName, CaseRates } from "./cases.ts";
import type { Layout } from "./layout.ts";
import type { StatementLine } from "./line.ts";
import type { Period } from "./periods.ts";

export interface StatementDeps {
  readonly world: World;
  readonly ledger: Ledger;
  readonly view: LedgerView;
  /** Whether records name the coin's network: if not, nobody can see that it is the wrong one. */
  readonly namesNetworks: boolean;
  /** Lets other work in now and then. */
  readonly pause: () => Promise<void>;
}

export interface StatementRequest {
  readonly provider: string;
  readonly layout: Layout;
  /** Only the orders in this currency, where files are by payout. */
  readonly currency: string | null;
  readonly period: Period;
  readonly rates: CaseRates;
}

/** One order, payout or balance, and what stands in the file for it. */
export interface StatementEntry {
  readonly lines: readonly StatementLine[];
  readonly truth: Truth | null;
}

export interface Truth {
  readonly case: CaseName | HistoryCase;
  /** Raised for it, and nothing else; none when it must stay silent. */
  readonly codes: readonly string[];
  readonly transactionId: string | null;
  readonly providerTransactionId: string | null;
  readonly payoutId?: string;
  /** By how much their figures differ from ours, for the codes that carry money. */
  readonly money?: TrueMoney;
}

export interface TrueMoney {
  readonly delta: string;
  readonly currency: string;
}

/** Not planted: what the history itself brings about. */
export type HistoryCase = "reversed_in_records" | "recovered_in_records";
