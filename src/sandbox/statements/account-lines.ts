import { decimal, decimalFromUnits } from "../../core/decimal.ts";
import { formatInstant } from "../../core/instant.ts";
import { chainHash } from "../ledger/identifiers.ts";
import { below, happens, hash32 } from "../world/random.ts";
import type { Fiat, World } from "../world/types.ts";
import { plantedCases } from "./cases.ts";
import type { StatementDeps, StatementEntry, StatementRequest } from "./entry.ts";
import type { StatementLine } from "./line.ts";
import { type Period, parsePeriod, periodsOf } from "./periods.ts";

/** What has come together in one currency: in all, and by the end of the period. */
export interface Owed {
  readonly fiat: Fiat;
  sum: bigint;
  atEnd: bigint;
}

export function payoutIdOf({ provider, period }: StatementRequest, fiat: Fiat): string {
  return `PO-${provider.toUpperCase()}-${period.name}-${fiat.code}`;
}

/** Of the transfer that brings it, where it comes on chain. */
export function payoutHash(payoutId: string): string {
  return chainHash("evm", { key: hash32("payout", payoutId), value: hash32("transfer", payoutId) });
}

/** One payout per currency, some of them short of their lines. */
export function* payoutEntries(
  deps: StatementDeps,
  request: StatementRequest,
  owed: readonly Owed[],
): Generator<StatementEntry> {
  const { seed } = deps.world;
  const { provider, period, rates, layout } = request;
  // What was not paid out would stand in every later balance.
  const mayBeShort = !layout.hasBalances;
  for (const { fiat, sum } of owed) {
    const luck = hash32(seed, "payout", provider, period.name, fiat.id);
    const short = mayBeShort && sum > 0n && happens(rates.payout_short, luck);
    const payoutId = payoutIdOf(request, fiat);
    const by = sum / 50n < 2n ? 2n : sum / 50n;
    const line: StatementLine = {
      ...blankLine(deps, request, fiat),
      kind: "payout",
      providerTransactionId: payoutId,
      createdMs: period.toMs,
      // In the fourth week of the next month.
      effectiveMs: period.toMs + 23 * 86_400_000,
      payoutId,
      hash: layout.paysIn === undefined ? "" : payoutHash(payoutId),
      payoutAmount: short ? sum - by : sum,
    };
    const { codes } = plantedCases.payout_short;
    const keys = { transactionId: null, providerTransactionId: null, payoutId };
    const money = { delta: decimalFromUnits(-by, fiat.minorUnits), currency: fiat.code };
    yield { lines: [line], truth: short ? { case: "payout_short", codes, money, ...keys } : null };
  }
}

/**
 * What is owed at the end of the period, in the two currencies in which the provider keeps an account. All that earlier
 * files tell of has been paid out by then, so it is what this one has brought by its end. Without an end there is none.
 */
export function* balanceEntries(
  deps: StatementDeps,
  request: StatementRequest,
  owed: ReadonlyMap<string, Owed>,
): Generator<StatementEntry> {
  const { world, view } = deps;
  const { period } = request;
  const provider = world.providerById.get(request.provider);
  if (period.toMs > view.nowMs || provider === undefined) return;
  const [first] = periodsOf(deps);
  const before = parsePeriod(formatInstant(period.fromMs - 1).slice(0, 7));
  for (const fiat of world.fiats.filter(({ id }) => provider.fiats.has(id)).slice(0, 2)) {
    const off = offBy(deps, request, period, fiat);
    const line: StatementLine = {
      ...blankLine(deps, request, fiat),
      kind: "balance",
      providerTransactionId: `BAL-${request.provider.toUpperCase()}-${period.name}-${fiat.code}`,
      createdMs: period.toMs - 1,
      effectiveMs: period.toMs - 1,
      balance: (owed.get(fiat.id)?.atEnd ?? 0n) + off,
    };
    // The first follows from nothing; the one after a balance that is off does not follow from it either.
    const isFirst = period.name === first?.name;
    const wasOff = before === null || isFirst ? 0n : offBy(deps, request, before, fiat);
    const codes = isFirst || off === wasOff ? [] : plantedCases.balance_off.codes;
    const truth = { case: "balance_off", codes, transactionId: null, providerTransactionId: null } as const;
    yield { lines: [line], truth: off === 0n && codes.length === 0 ? null : truth };
  }
}

/** In the smallest units; mostly nothing. */
function offBy(
  { world }: StatementDeps,
  { provider, rates }: StatementRequest,
  { name }: Period,
  { id }: Fiat,
): bigint {
  const luck = hash32(world.seed, "balance", provider, name, id);
  return happens(rates.balance_off, luck) ? BigInt(100 + below(100_000, hash32(world.seed, luck))) : 0n;
}

/** What the columns of an order say where there is none. */
function blankLine({ world }: StatementDeps, { layout }: StatementRequest, fiat: Fiat): StatementLine {
  return {
    kind: "payout",
    providerTransactionId: "",
    reference: "",
    side: "buy",
    status: layout.words("buy").settled,
    fiat,
    gross: 0n,
    net: 0n,
    processingFee: 0n,
    networkFee: 0n,
    networkFeeUsd: decimal(0),
    partnerFee: 0n,
    asset: world.assets[0] as World["assets"][number],
    crypto: 0n,
    hash: "",
    address: "",
    createdMs: 0,
    effectiveMs: 0,
    payoutId: "",
    payoutAmount: null,
    balance: null,
  };
}
