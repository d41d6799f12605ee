import { decimalFromUnits, divideDecimals, multiplyDecimals, roundDecimal } from "../../core/decimal.ts";
import { DAY } from "../../core/duration.ts";
import { payoutHash } from "../statements/account-lines.ts";
import { below, hash32, mix32, pick } from "../world/random.ts";
import type { Fiat, World } from "../world/types.ts";
import type { Booking } from "./bank-file.ts";
import type { Bank } from "./banks.ts";
import { type BankCaseName, bankCases, type BankRates, chooseBankCase } from "./cases.ts";
import { type DeclaredPayout, unitsOf } from "./payouts.ts";

/** What became of a payout at the bank. */
export interface Transfer {
  readonly dateMs: number;
  /** The currency of the payout. */
  readonly fiat: Fiat;
  readonly bookings: readonly { readonly fiat: Fiat; readonly booking: Booking }[];
  readonly truth: BankTruth | null;
}

export interface BankTruth {
  readonly case: BankCaseName;
  /** Raised for it, and nothing else; none when it must stay silent. */
  readonly codes: readonly string[];
  readonly payoutIds: readonly string[];
  /** By how much what came differs from what was declared, where one code tells it. */
  readonly money?: { readonly delta: string; readonly currency: string };
}

/** The transfers for the payouts of one month, after the cases have befallen them. */
export function* transfersFor(
  setting: { world: World; bank: Bank; rates: BankRates },
  payouts: readonly DeclaredPayout[],
): Generator<Transfer> {
  const { world, bank, rates } = setting;
  let isTaken = false;
  for (const [at, payout] of payouts.entries()) {
    if (isTaken) {
      isTaken = false;
      continue;
    }
    const { provider, period, fiat, amount } = payout;
    const after = payouts[at + 1];
    const next = after?.fiat.id === fiat.id ? after : null;
    const luck = hash32(world.seed, "bank", provider.id, period.name, fiat.id);
    const name = chooseBankCase(rates, { bank, amount, next }, luck / 0x1_0000_0000);
    isTaken = name === "paid_together";
    yield befall(name, { world, bank, payout, next, luck: mix32(luck, 1) });
  }
}

interface Setting {
  readonly world: World;
  readonly bank: Bank;
  readonly payout: DeclaredPayout;
  readonly next: DeclaredPayout | null;
  readonly luck: number;
}

function befall(name: BankCaseName | null, setting: Setting): Transfer {
  const { payout, luck } = setting;
  const { amount, fiat } = payout;
  const onTime = 1 + below(2, luck);
  const part = amount / 50n;
  const paid = (units: bigint, days = onTime, more: Partial<Booking> = {}) => ({
    fiat,
    booking: { ...bookingOf(setting, units, days), ...more },
  });
  const transfer = (bookings: Transfer["bookings"], delta?: bigint): Transfer => ({
    dateMs: payout.dateMs,
    fiat,
    bookings,
    truth: name === null ? null : truthOf(name, [payout], delta),
  });
  switch (name) {
    case null:
      return transfer([paid(amount)]);
    case "paid_short":
      return transfer([paid(amount - part)], -part);
    case "paid_over":
      return transfer([paid(amount + part)], part);
    case "paid_late":
      return transfer([paid(amount, 9 + below(5, luck))], -amount);
    case "paid_never":
      return transfer([], -amount);
    case "paid_twice":
      return transfer([paid(amount, 1), paid(amount, 2)], amount);
    case "paid_in_parts": {
      const first = (amount * 3n) / 5n;
      return transfer([paid(first, 1), paid(amount - first, 3)], first - amount);
    }
    case "paid_together":
      return together(setting, onTime);
    case "paid_converted":
      return transfer([converted(setting, onTime)]);
    case "bank_charged": {
      const charges = amount / 100n < 1_500n ? amount / 100n : 1_500n;
      return transfer([paid(amount - charges, onTime, { charges })]);
    }
    case "paid_without_name":
      return transfer([paid(amount, onTime, { endToEndId: null, text: "Monthly settlement" })]);
    case "from_a_stranger":
      throw new TypeError("a stranger pays no payout");
    default:
      return name satisfies never;
  }
}

function truthOf(name: BankCaseName, payouts: readonly DeclaredPayout[], delta?: bigint): BankTruth {
  const { codes } = bankCases[name];
  const payoutIds = payouts.map(({ payoutId }) => payoutId);
  const fiat = payouts[0]?.fiat;
  if (delta === undefined || fiat === undefined) return { case: name, codes, payoutIds };
  const money = { delta: decimalFromUnits(delta, fiat.minorUnits), currency: fiat.code };
  return { case: name, codes, payoutIds, money };
}

/** Providers name a payout where they please: as the id of the transfer, or somewhere in its text. */
function bookingOf({ bank, payout }: Setting, amount: bigint, days: number): Booking {
  const { provider, payoutId, dateMs } = payout;
  const manner = hash32("manner", provider.id) % 3;
  const texts = [
    "Partner commission",
    `${provider.displayName} payout ${payoutId}`,
    `Settlement of your share for ${payout.period.name}, our reference ${payoutId}`,
  ];
  return {
    dateMs: dateMs + days * DAY,
    amount,
    bankReference: bankReferenceOf(bank, payoutId, days),
    counterparty: provider.displayName,
    endToEndId: manner === 0 ? payoutId : null,
    text: texts[manner] ?? payoutId,
    charges: 0n,
    hash: bank.format === "chain_csv" ? payoutHash(payoutId) : null,
    sent: null,
    parts: [],
    payouts: [payoutId],
  };
}

export function bankReferenceOf(bank: Bank, ...of: readonly (string | number)[]): string {
  return `${bank.country}${hash32(bank.id, ...of)
    .toString(36)
    .padStart(7, "0")
    .toUpperCase()}`;
}

function together(setting: Setting, days: number): Transfer {
  const { bank, payout, next, luck } = setting;
  if (next === null) throw new TypeError("there is nothing to pay it together with");
  const both = [payout, next];
  const amount = payout.amount + next.amount;
  const isBatch = bank.format === "camt053" && luck % 2 === 0;
  const booking = {
    ...bookingOf(setting, amount, days),
    counterparty: "Payment agent",
    endToEndId: null,
    text: isBatch ? "Collective transfer" : `For ${payout.payoutId} and ${next.payoutId}`,
    parts: isBatch ? both.map((each) => ({ amount: each.amount, name: each.payoutId })) : [],
    payouts: both.map(({ payoutId }) => payoutId),
  };
  return {
    dateMs: payout.dateMs,
    fiat: payout.fiat,
    bookings: [{ fiat: payout.fiat, booking }],
    truth: truthOf("paid_together", both),
  };
}

function converted(setting: Setting, days: number): Transfer["bookings"][number] {
  const { world, payout, luck } = setting;
  const { fiat, amount } = payout;
  const home = world.fiats.filter(({ code, id }) => ["EUR", "USD", "GBP"].includes(code) && id !== fiat.id);
  const into = pick(home, luck);
  const worth = multiplyDecimals(decimalFromUnits(amount, fiat.minorUnits), fiat.usd);
  const text = roundDecimal(divideDecimals(worth, into.usd, { places: 8 }), into.minorUnits);
  const units = unitsOf(text, into);
  const booking = bookingOf(setting, units > 0n ? units : 1n, days);
  return { fiat: into, booking: { ...booking, sent: { amount, fiat } } };
}
