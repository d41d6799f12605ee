import { parseShares } from "../statements/cases.ts";
import type { Bank } from "./banks.ts";
import type { DeclaredPayout } from "./payouts.ts";

/**
 * What can go wrong between a payout and the bank, each with the codes that a reconciliation must then raise, at whatever
 * time they hold. No codes: it looks odd, and nothing is wrong.
 */
export const bankCases = {
  paid_short: { codes: ["payout_short"], when: isLarge },
  paid_over: { codes: ["payout_over"], when: isLarge },
  /** After the due date: not received until then. */
  paid_late: { codes: ["payout_not_received"], when: isMoney },
  paid_never: { codes: ["payout_not_received"], when: isMoney },
  paid_twice: { codes: ["payout_over"], when: (setting) => isLarge(setting) && !isOnChain(setting) },
  /** In two transfers on two days: short until the second. */
  paid_in_parts: { codes: ["payout_short"], when: (setting) => isLarge(setting) && !isOnChain(setting) },
  /** Two providers through one agent, in one transfer that names both payouts. */
  paid_together: {
    codes: [],
    when: (setting) => setting.next !== null && setting.next.amount > 0n && !isOnChain(setting),
  },
  /** Booked in another currency; the bank tells what was sent. */
  paid_converted: { codes: [], when: ({ bank, amount }) => bank.tellsOriginal && amount > 1_000n },
  /** Less what a bank on the way has kept, and says so. */
  bank_charged: { codes: [], when: ({ bank, amount }) => bank.tellsCharges && amount > 1_000n },
  /** The right sum on the right day, without a name: it must not be guessed. */
  paid_without_name: {
    codes: ["payout_not_received", "receipt_without_payout"],
    when: (setting) => isLarge(setting) && !isOnChain(setting),
  },
  /** Not of a payout: money of someone else on an account, or of our own from another. */
  from_a_stranger: { codes: ["receipt_without_payout"], when: () => false },
} as const satisfies Record<string, BankCase>;

export type BankCaseName = keyof typeof bankCases;
export type BankRates = Readonly<Record<BankCaseName, number>>;

interface BankCase {
  readonly codes: readonly string[];
  readonly when: (setting: BankCaseSetting) => boolean;
}

export interface BankCaseSetting {
  readonly bank: Bank;
  /** In smallest units. */
  readonly amount: bigint;
  /** The payout after it on the same account, if there is one. */
  readonly next: DeclaredPayout | null;
}

export const bankCaseNames = Object.keys(bankCases) as BankCaseName[];

/** Reads `paid_short=0.1,paid_late=0.1`; what is not named does not happen. `null`: about one payout in four has something. */
export function parseBankRates(text: string | null): BankRates {
  const shares = { names: bankCaseNames, even: evenRates, parameter: "rates" };
  return text === null ? evenRates(0.025) : parseShares(text, shares);
}

function evenRates(rate: number): Record<BankCaseName, number> {
  return Object.fromEntries(bankCaseNames.map((name) => [name, rate])) as Record<BankCaseName, number>;
}

/** The case planted in a payout, if any: `share`, between 0 and 1, decides. */
export function chooseBankCase(
  rates: BankRates,
  setting: BankCaseSetting,
  share: number,
): BankCaseName | null {
  let passed = 0;
  for (const name of bankCaseNames) {
    if (rates[name] === 0 || setting.amount <= 0n || !bankCases[name].when(setting)) continue;
    passed += rates[name];
    if (share < passed) return name;
  }
  return null;
}

/** So that a fiftieth of it is more than rounding, which is by a hundredth also where a coin has more places. */
function isLarge(setting: BankCaseSetting): boolean {
  return setting.amount >= (isOnChain(setting) ? 200_000_000n : 200n);
}

/** One payout, one transfer, one hash: there is nothing to part or to put together. */
function isOnChain({ bank }: BankCaseSetting): boolean {
  return bank.format === "chain_csv";
}

function isMoney({ amount }: BankCaseSetting): boolean {
  return amount > 0n;
}
