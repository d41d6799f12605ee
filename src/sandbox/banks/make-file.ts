import { decimalFromUnits } from "../../core/decimal.ts";
import { DAY } from "../../core/duration.ts";
import { formatInstant } from "../../core/instant.ts";
import type { CaseRates } from "../statements/cases.ts";
import type { OpenedStatements } from "../statements/open-statements.ts";
import { parsePeriod, type Period, periodsOf } from "../statements/periods.ts";
import { chainHash } from "../ledger/identifiers.ts";
import { below, happens, hash32 } from "../world/random.ts";
import type { Fiat } from "../world/types.ts";
import type { BankAccount, BankFile, Booking } from "./bank-file.ts";
import type { Bank } from "./banks.ts";
import { bankCases, type BankRates } from "./cases.ts";
import { declaredPayouts, type OtherLayout } from "./payouts.ts";
import { bankReferenceOf, type BankTruth, type Transfer, transfersFor } from "./transfers.ts";

export interface BankFileRequest {
  readonly bank: Bank;
  readonly period: Period;
  readonly rates: BankRates;
  /** Of the statements that declare the payouts. */
  readonly statementRates: CaseRates;
  readonly other: OtherLayout | null;
}

export interface MadeFile extends BankFile {
  readonly cases: readonly { readonly truth: BankTruth; readonly bookings: readonly number[] }[];
}

/** Each account begins and ends the month with this much: the rest goes to another bank on the last day, or comes from there. */
const openingUnits = 1_000_000n;

/** A month at a bank: the transfers for the payouts that fall into it, and what else happens on the accounts. */
export async function makeBankFile(deps: OpenedStatements, request: BankFileRequest): Promise<MadeFile> {
  const { period } = request;
  const isInside = (ms: number) => ms >= period.fromMs && ms < period.toMs;
  const transfers = (await transfersAround(deps, request)).filter(({ bookings, dateMs }) =>
    bookings.length === 0 ? isInside(dateMs) : bookings.some(({ booking }) => isInside(booking.dateMs)),
  );
  const accounts = new Map<string, { fiat: Fiat; bookings: Entry[] }>();
  const accountOf = (fiat: Fiat) => {
    const held = accounts.get(fiat.id) ?? { fiat, bookings: [] };
    accounts.set(fiat.id, held);
    return held;
  };
  for (const { bookings, truth, fiat } of transfers) {
    accountOf(fiat);
    for (const each of bookings) accountOf(each.fiat).bookings.push({ booking: each.booking, truth });
  }
  const ordered = [...accounts.values()].toSorted((a, b) => (a.fiat.id < b.fiat.id ? -1 : 1));
  const entries: Entry[] = [];
  const written: BankAccount[] = [];
  for (const { fiat, bookings } of ordered) {
    const all = withOthers(deps, request, fiat, bookings);
    const places = all.map((entry) => entries.push(entry) - 1);
    written.push({
      number: accountNumber(request.bank, fiat),
      fiat,
      opening: openingUnits,
      bookings: places,
    });
  }
  return {
    period,
    bookings: entries.map(({ booking }) => booking),
    accounts: written,
    cases: casesOf(entries, transfers),
  };
}

interface Entry {
  readonly booking: Booking;
  readonly truth: BankTruth | null;
}

/** Of the payouts of this month, and of those of the month before that are late. */
async function transfersAround(
  deps: OpenedStatements,
  { bank, period, rates, statementRates, other }: BankFileRequest,
): Promise<Transfer[]> {
  const known = new Set(periodsOf(deps).map(({ name }) => name));
  const last = periodBefore(period);
  const declaring = [rates.paid_late > 0 && last ? periodBefore(last) : null, last];
  const transfers: Transfer[] = [];
  for (const each of declaring) {
    if (each === null || !known.has(each.name)) continue;
    const payouts = await declaredPayouts(deps, { bank, period: each, rates: statementRates, other });
    transfers.push(...transfersFor({ world: deps.world, bank, rates }, payouts));
  }
  return transfers;
}

function periodBefore({ fromMs }: Period): Period | null {
  return parsePeriod(formatInstant(fromMs - 1).slice(0, 7));
}

/** What the bank takes for itself, now and then money of someone else, and the sweep or top-up on the last day. */
function withOthers(
  deps: OpenedStatements,
  { bank, period, rates }: BankFileRequest,
  fiat: Fiat,
  bookings: readonly Entry[],
): Entry[] {
  const { seed } = deps.world;
  const isOnChain = bank.format === "chain_csv";
  const other = (about: Pick<Booking, "dateMs" | "amount" | "counterparty" | "text">): Booking => ({
    ...about,
    bankReference: bankReferenceOf(bank, period.name, fiat.id, about.text),
    endToEndId: null,
    charges: 0n,
    hash: isOnChain
      ? chainHash("evm", { key: hash32(bank.id, period.name), value: hash32(about.text) })
      : null,
    sent: null,
    parts: [],
    payouts: [],
  });
  const luck = hash32(seed, "stranger", bank.id, period.name, fiat.id);
  const all = [...bookings];
  if (happens(rates.from_a_stranger, luck)) all.push(strangerEntry(fiat, period, luck, other));
  // An account that brings in less than its fees is not charged, so that fees never overdraw it.
  if (sumOf(all) >= 2n * feeUnits) {
    const fee = { amount: -feeUnits, counterparty: bank.name };
    for (const [text, dateMs] of [
      ["Account fee", period.fromMs],
      ["Statement fee", period.fromMs + 27 * DAY],
    ] as const)
      all.push({ booking: other({ ...fee, dateMs, text }), truth: null });
  }
  const sum = sumOf(all);
  // A wallet's file states no balance.
  if (sum !== 0n && !isOnChain) {
    const text = sum > 0n ? "Sweep" : "Top-up";
    const booking = other({ dateMs: period.toMs - DAY, amount: -sum, counterparty: "Own account", text });
    all.push({ booking, truth: sum > 0n ? null : strangerTruth(fiat, -sum) });
  }
  return all.toSorted((a, b) => a.booking.dateMs - b.booking.dateMs);
}

/** Half of them quote a payout that was never declared, like someone who copies last year's text. */
function strangerEntry(
  fiat: Fiat,
  { fromMs }: Period,
  luck: number,
  other: (about: Pick<Booking, "dateMs" | "amount" | "counterparty" | "text">) => Booking,
): Entry {
  const amount = BigInt(1_000 + below(500_000, luck));
  const invoice = below(90_000, hash32("invoice", luck)) + 10_000;
  const text = luck % 2 === 0 ? `Invoice INV-${invoice}` : `Payout PO-MOONPAY-2019-05-${fiat.code} again`;
  const booking = other({
    dateMs: fromMs + below(20, luck) * DAY,
    amount,
    counterparty: "Nordwind Handel",
    text,
  });
  return { booking, truth: strangerTruth(fiat, amount) };
}

function strangerTruth(fiat: Fiat, amount: bigint): BankTruth {
  const { codes } = bankCases.from_a_stranger;
  const money = { delta: decimalFromUnits(amount, fiat.minorUnits), currency: fiat.code };
  return { case: "from_a_stranger", codes, payoutIds: [], money };
}

const feeUnits = 500n;

function sumOf(entries: readonly Entry[]): bigint {
  return entries.reduce((units, { booking }) => units + booking.amount, 0n);
}

function casesOf(entries: readonly Entry[], transfers: readonly Transfer[]): MadeFile["cases"] {
  const places = new Map<BankTruth, number[]>();
  for (const { truth } of transfers) if (truth !== null) places.set(truth, []);
  for (const [at, { truth }] of entries.entries()) {
    if (truth !== null) places.set(truth, [...(places.get(truth) ?? []), at]);
  }
  return [...places].map(([truth, bookings]) => ({ truth, bookings }));
}

function accountNumber({ id, country }: Bank, fiat: Fiat): string {
  const digits = (part: number) => String(hash32("account", id, fiat.id, part)).padStart(10, "0");
  return `${country}${digits(1).slice(-2)}${digits(2)}${digits(3)}`.slice(0, 22);
}
