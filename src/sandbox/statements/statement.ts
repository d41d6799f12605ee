import { formatInstant } from "../../core/instant.ts";
import type { StatusRow } from "../ledger/history.ts";
import type { Ledger, LedgerView } from "../ledger/ledger.ts";
import { decimal, multiplyDecimals, roundDecimal, decimalFromUnits } from "../../core/decimal.ts";
import type { Settlement } from "../ledger/records.ts";
import { happens, hash32, mix32 } from "../world/random.ts";
import type { Fiat, World } from "../world/types.ts";
import {
  chooseCase,
  codesOfReversed,
  plantedCases,
  reversedCodes,
  type CaseName,
  type CaseRates,
  type CaseSetting,
} from "./cases.ts";
import type { Layout } from "./layout.ts";
import { layoutOf } from "./layouts.ts";
import { owed, type StatementLine } from "./line.ts";
import { plant } from "./plant.ts";

export interface StatementDeps {
  readonly world: World;
  readonly ledger: Ledger;
  readonly view: LedgerView;
  /** Lets other work in now and then. */
  readonly pause: () => Promise<void>;
}

export interface StatementRequest {
  readonly provider: string;
  readonly period: Period;
  readonly rates: CaseRates;
}

/** A calendar month, UTC. */
export interface Period {
  readonly name: string;
  readonly fromMs: number;
  readonly toMs: number;
}

/** One order, or one payout, and what stands in the file for it. */
export interface StatementEntry {
  readonly lines: readonly StatementLine[];
  readonly truth: Truth | null;
}

interface Truth {
  readonly case: CaseName | HistoryCase;
  /** Raised for it, and nothing else; none when it must stay silent. */
  readonly codes: readonly string[];
  readonly transactionId: string | null;
  readonly providerTransactionId: string | null;
  readonly payoutId?: string;
}

/** Not planted: what the history itself brings about. */
type HistoryCase = "reversed_in_records" | "recovered_in_records";

/**
 * The provider's books for the period: one charge for every order that was completed in it, in order of time, then the
 * payouts. A pure function of its arguments, read from start to end; memory holds one sum per currency.
 */
export async function* readStatement(
  deps: StatementDeps,
  request: StatementRequest,
): AsyncGenerator<StatementEntry> {
  const { world, ledger } = deps;
  const layout = layoutOf(request.provider);
  const key = hash32(world.seed, "statement", request.provider, request.period.name);
  const sums = new Map<string, { fiat: Fiat; sum: bigint }>();
  let otherReference = "";

  for await (const row of completedRows(deps, request)) {
    const settlement = ledger.settlementOf(row.index);
    const luck = mix32(key, row.index);
    const setting: CaseSetting = { world, layout, settlement };
    const chosen = chooseCase(request.rates, setting, luck / 0x1_0000_0000);
    // The first line of a file has no other order to be confused with.
    const name = chosen === "reference_conflict" && otherReference === "" ? null : chosen;
    const charge = chargeOf(deps, { row, settlement, layout, luck: mix32(luck, 1) });
    const lines = plant(name, charge, { ...setting, luck: mix32(luck, 2), otherReference });
    for (const line of lines) {
      const { fiat } = line;
      sums.set(fiat.id, { fiat, sum: (sums.get(fiat.id)?.sum ?? 0n) + owed(line) });
    }
    otherReference = row.transactionId;
    yield { lines: lines.map((line) => inPayout(request, line)), truth: truthOf(deps, name, row, charge) };
  }
  if (layout.hasPayouts) {
    for (const { fiat, sum } of [...sums.values()].toSorted((a, b) => (a.fiat.id < b.fiat.id ? -1 : 1))) {
      const short = happens(
        request.rates.payout_short,
        hash32(world.seed, "payout", request.provider, request.period.name, fiat.id),
      );
      yield payoutEntry(deps, request, { fiat, sum, short: short && sum > 0n });
    }
  }
}

async function* completedRows(
  deps: StatementDeps,
  { provider, period }: StatementRequest,
): AsyncGenerator<StatusRow> {
  const { ledger, view, pause } = deps;
  const { first, last } = view.bucketsOf(period);
  const next = (bucket: number) => view.bucketFrom("status", bucket, 1);
  let sinceRest = 0;
  for (let bucket = next(first); bucket <= last; bucket = next(bucket + 1)) {
    if (++sinceRest % bucketsBetweenRests === 0) await pause();
    for (const row of view.rowsOf("status", bucket)) {
      if (row.index < 0 || row.dateMs < period.fromMs || row.dateMs >= period.toMs) continue;
      const { lane, lifecycle } = ledger.history.transactionOf(row.index);
      if (lane.provider.id === provider && row.step === lifecycle.delivered) yield row;
    }
  }
}

const bucketsBetweenRests = 500;

interface Order {
  readonly row: StatusRow;
  readonly settlement: Settlement;
  readonly layout: Layout;
  readonly luck: number;
}

function chargeOf({ world, view }: StatementDeps, { row, settlement, layout, luck }: Order): StatementLine {
  const { lane, given, payout, networkFee, processingFee, createdMs, completedMs } = settlement;
  const sells = lane.type === "sell";
  const fees = networkFee + processingFee;
  const gross = sells ? payout + fees : given;
  // A chain hash may have been replaced since; the statement has the one that stands.
  const latest = view
    .rowsOfId(row.transactionId)
    .map((each) => view.recordOf(each))
    .findLast(({ status }) => status === "completed");
  const record = latest ?? view.recordOf(row);
  return {
    kind: "charge",
    providerTransactionId: record.onrampTransactionId,
    reference: row.transactionId,
    side: lane.type,
    status: layout.words(lane.type).settled,
    fiat: lane.fiat,
    gross,
    net: gross - fees,
    processingFee,
    networkFee,
    networkFeeUsd: world.networkById.get(lane.asset.network)?.feeUsd ?? decimal(0),
    partnerFee: partnerShare(lane.provider.partnerFeePercent, lane.fiat, gross, processingFee),
    asset: lane.asset,
    crypto: sells ? given : payout,
    // Now and then a provider knows no hash, and writes what it writes then.
    hash: luck % 64 === 0 ? "" : record.transactionHash,
    address: record.walletAddress,
    createdMs,
    effectiveMs: completedMs,
    payoutId: "",
    payoutAmount: null,
  };
}

/** Our share of the fee, a percentage of the order, never more than the fee itself. */
function partnerShare(
  percent: Parameters<typeof decimal>[0],
  fiat: Fiat,
  gross: bigint,
  processingFee: bigint,
): bigint {
  const exact = multiplyDecimals(
    decimalFromUnits(gross, fiat.minorUnits),
    multiplyDecimals(decimal(percent), decimal("0.01")),
  );
  const [whole = "0", places = ""] = roundDecimal(exact, fiat.minorUnits).split(".");
  const share = BigInt(whole + places.padEnd(fiat.minorUnits, "0"));
  return share > processingFee ? processingFee : share;
}

function payoutIdOf({ provider, period }: StatementRequest, fiat: Fiat): string {
  return `PO-${provider.toUpperCase()}-${period.name}-${fiat.code}`;
}

function inPayout(request: StatementRequest, line: StatementLine): StatementLine {
  return layoutOf(request.provider).hasPayouts ? { ...line, payoutId: payoutIdOf(request, line.fiat) } : line;
}

function payoutEntry(
  { world }: StatementDeps,
  request: StatementRequest,
  { fiat, sum, short }: { fiat: Fiat; sum: bigint; short: boolean },
): StatementEntry {
  const payoutId = payoutIdOf(request, fiat);
  const by = sum / 50n < 2n ? 2n : sum / 50n;
  const line: StatementLine = {
    kind: "payout",
    providerTransactionId: payoutId,
    reference: "",
    side: "buy",
    status: layoutOf(request.provider).words("buy").settled,
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
    createdMs: request.period.toMs,
    // In the fourth week of the next month.
    effectiveMs: request.period.toMs + 23 * 86_400_000,
    payoutId,
    payoutAmount: short ? sum - by : sum,
  };
  const truth: Truth = {
    case: "payout_short",
    codes: plantedCases.payout_short.codes,
    transactionId: null,
    providerTransactionId: null,
    payoutId,
  };
  return { lines: [line], truth: short ? truth : null };
}

function truthOf(
  { ledger, view }: StatementDeps,
  name: CaseName | null,
  row: StatusRow,
  charge: StatementLine,
): Truth | null {
  const keys = { transactionId: row.transactionId, providerTransactionId: charge.providerTransactionId };
  const natural = historyCase(ledger, view, row);
  if (name === null) return natural === null ? null : { ...natural, ...keys };
  const codes =
    natural?.case === "reversed_in_records"
      ? codesOfReversed(name)
      : [...plantedCases[name].codes, ...(natural?.codes ?? [])];
  return { case: name, codes: [...new Set<string>(codes)], ...keys };
}

function historyCase(
  ledger: Ledger,
  view: LedgerView,
  row: StatusRow,
): { case: HistoryCase; codes: string[] } | null {
  const { outcome } = ledger.history.transactionOf(row.index).lifecycle;
  if (outcome === "recovered") return { case: "recovered_in_records", codes: ["status_recovered"] };
  const last = view.rowsOfId(row.transactionId).at(-1);
  if (outcome === "reversed" && last !== undefined && last.step > row.step) {
    return { case: "reversed_in_records", codes: [...reversedCodes] };
  }
  return null;
}

/** `2024-05`; `null` for anything else. */
export function parsePeriod(name: string): Period | null {
  if (!/^\d{4}-(0[1-9]|1[0-2])$/.test(name)) return null;
  const [year = 0, month = 0] = name.split("-").map(Number);
  return { name, fromMs: Date.UTC(year, month - 1, 1), toMs: Date.UTC(year, month, 1) };
}

/** The months that the ledger has something of, oldest first. */
export function periodsOf({ ledger, view }: { ledger: Ledger; view: LedgerView }): Period[] {
  const periods: Period[] = [];
  let period = parsePeriod(formatInstant(ledger.history.fromMs).slice(0, 7));
  while (period !== null && period.fromMs <= view.nowMs) {
    periods.push(period);
    period = parsePeriod(formatInstant(period.toMs).slice(0, 7));
  }
  return periods;
}
