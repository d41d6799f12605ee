import { RefusedError } from "../refusal.ts";
import { mayHaveMore, mayLackShare, mayMoveFee } from "./agreed-fees.ts";
import type { Layout } from "./layout.ts";
import type { Settlement } from "../ledger/records.ts";
import type { World } from "../world/types.ts";

/**
 * The discrepancies that can be planted, each with the codes that a reconciliation must then raise (reconciliation.md,
 * section 6), and the orders and layouts in which it can happen at all. No codes: it must not raise any.
 */
export const plantedCases = {
  missing_line: { codes: ["missing_from_statement"] },
  extra_line: { codes: ["missing_from_records"] },
  in_amount_off: { codes: ["in_amount_mismatch"] },
  out_amount_off: {
    codes: ["out_amount_mismatch"],
    when: ({ layout, settlement }) => layout.hasNet || settlement.lane.type === "buy",
  },
  currency_changed: { codes: ["currency_mismatch"], when: ({ layout }) => !layout.byPayout },
  wrong_network: {
    codes: ["network_mismatch"],
    when: ({ layout, world, namesNetworks, settlement }) =>
      namesNetworks && layout.hasNetwork && otherNetworks(world, settlement.lane.asset).length > 0,
  },
  direction_turned: { codes: ["direction_mismatch"], when: ({ layout }) => layout.hasSide },
  status_disagrees: { codes: ["status_mismatch"] },
  status_unknown: { codes: ["unknown_status"] },
  status_refunded: { codes: ["refunded_after_completed"], when: hasRefundWord },
  duplicate_settlement: { codes: ["duplicate_settlement"], when: ({ layout }) => layout.hasReference },
  reference_conflict: {
    codes: ["reference_conflict"],
    when: ({ layout }) => layout.hasReference && layout.hasIds,
  },
  hash_different: { codes: ["hash_mismatch"] },
  address_different: { codes: ["address_mismatch"], when: ({ layout }) => layout.hasAddress },
  refund: { codes: [], when: hasPayouts },
  partial_refund: { codes: [], when: hasPayouts },
  excessive_refund: { codes: ["reversal_exceeds_original"], when: hasPayouts },
  unlinked_refund: { codes: ["unlinked_reversal"], when: hasPayouts },
  chargeback: { codes: [], when: hasPayouts },
  chargeback_reversed: { codes: [], when: hasPayouts },
  /** These four show only to someone who knows what was agreed, so they happen only where they are asked for by name. */
  fee_off: { codes: ["fee_variance"], when: ({ layout, settlement }) => mayMoveFee(layout, settlement) },
  commission_short: {
    codes: ["commission_short"],
    when: ({ layout, settlement }) => mayLackShare(layout, settlement),
  },
  commission_over: {
    codes: ["commission_over"],
    when: ({ layout, settlement }) => mayHaveMore(layout, settlement),
  },
  /** Of the sum for a month. */
  commission_sum_off: { codes: ["commission_sum_mismatch"], when: () => false },
  /** Of payouts, not of orders. */
  payout_short: { codes: ["payout_sum_mismatch"], when: () => false },
  /** Of balances: it and the next one do not follow from what stands between. */
  balance_off: { codes: ["position_unexplained"], when: () => false },
} as const satisfies Record<string, PlantedCase>;

export type CaseName = keyof typeof plantedCases;
export type CaseRates = Readonly<Record<CaseName, number>>;

interface PlantedCase {
  readonly codes: readonly string[];
  readonly when?: (setting: CaseSetting) => boolean;
}

export interface CaseSetting {
  readonly world: World;
  readonly namesNetworks: boolean;
  readonly layout: Layout;
  readonly settlement: Settlement;
}

export const caseNames = Object.keys(plantedCases) as CaseName[];

/**
 * What must be raised for a case of an order that was undone later. Its record says failed: no line can be missing, amounts
 * are not compared, and a line that says so too agrees.
 */
export function codesOfReversed(name: CaseName): readonly string[] {
  if (name in codesWhenReversed) return codesWhenReversed[name as keyof typeof codesWhenReversed];
  return [...plantedCases[name].codes, ...reversedCodes];
}

export const reversedCodes = ["status_reversed", "status_mismatch"] as const;

const codesWhenReversed = {
  missing_line: ["status_reversed"],
  in_amount_off: reversedCodes,
  out_amount_off: reversedCodes,
  status_disagrees: ["status_reversed"],
  status_refunded: ["status_reversed"],
  status_unknown: ["status_reversed", "unknown_status"],
  // All of the money went back: the file and the record agree about it.
  refund: ["status_reversed"],
  chargeback: ["status_reversed"],
  fee_off: reversedCodes,
  commission_short: reversedCodes,
  commission_over: reversedCodes,
} as const satisfies Partial<Record<CaseName, readonly string[]>>;

const agreedOnly = new Set<CaseName>([
  "fee_off",
  "commission_short",
  "commission_over",
  "commission_sum_off",
]);

/** Small: about one line in thirty has something. A month has few payouts and balances, so one in ten of those. */
const defaultRates: CaseRates = evenRates(0.002, 0.1);

function evenRates(lines: number, ofAccounts: number): CaseRates {
  const rateOf = (name: CaseName) => {
    if (agreedOnly.has(name)) return 0;
    return name === "payout_short" || name === "balance_off" ? ofAccounts : lines;
  };
  return Object.fromEntries(caseNames.map((name) => [name, rateOf(name)])) as CaseRates;
}

/** Reads `missing_line=0.01,refund=0.02`; what is not named does not happen. `null` gives the defaults. */
export function parseRates(text: string | null, parameter = "rates"): CaseRates {
  if (text === null) return defaultRates;
  return parseShares(text, { names: caseNames, even: (rate) => evenRates(rate, rate), parameter });
}

/** How often which of the cases happens; `all` stands for what `even` makes of it. */
export function parseShares<Name extends string>(
  text: string,
  { names, even, parameter }: Shares<Name>,
): Record<Name, number> {
  const rates: Record<Name, number> = { ...even(0) };
  for (const part of text.split(",").filter((each) => each.trim() !== "")) {
    const [name = "", share = ""] = part.split("=").map((each) => each.trim());
    const rate = /^\d+(\.\d+)?$/.test(share) ? Number(share) : Number.NaN;
    const known = names.find((each) => each === name);
    if (name === "all" && rate <= 1) Object.assign(rates, even(rate));
    else if (known !== undefined && rate <= 1) rates[known] = rate;
    else {
      throw new RefusedError(
        "INVALID_PARAMETER",
        `${parameter}: "${part}" is not one of all, ${names.join(", ")} with a share between 0 and 1`,
        parameter,
      );
    }
  }
  return rates;
}

interface Shares<Name extends string> {
  readonly names: readonly Name[];
  readonly even: (rate: number) => Record<Name, number>;
  readonly parameter: string;
}

/** The case that befalls an order, if any: `share` is its luck between 0 and 1. */
export function chooseCase(rates: CaseRates, setting: CaseSetting, share: number): CaseName | null {
  let passed = 0;
  for (const name of caseNames) {
    const { when } = plantedCases[name] as PlantedCase;
    if (rates[name] === 0 || (when !== undefined && !when(setting))) continue;
    passed += rates[name];
    if (share < passed) return name;
  }
  return null;
}

export function otherNetworks(world: World, asset: World["assets"][number]): World["assets"][number][] {
  return world.assets.filter(({ id, code }) => code === asset.code && id !== asset.id);
}

function hasPayouts({ layout }: CaseSetting): boolean {
  return layout.hasPayouts;
}

function hasRefundWord({ layout, settlement }: CaseSetting): boolean {
  return layout.words(settlement.lane.type).refunded !== undefined;
}
