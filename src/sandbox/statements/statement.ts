import type { StatusRow } from "../ledger/history.ts";
import type { Ledger, LedgerView } from "../ledger/ledger.ts";
import { decimal } from "../../core/decimal.ts";
import type { Settlement } from "../ledger/records.ts";
import { hash32, mix32 } from "../world/random.ts";
import { partnerShare } from "./agreed-fees.ts";
import { balanceEntries, type Owed, payoutEntries, payoutIdOf } from "./account-lines.ts";
import {
  chooseCase,
  codesOfReversed,
  plantedCases,
  reversedCodes,
  type CaseName,
  type CaseSetting,
} from "./cases.ts";
import type { HistoryCase, StatementDeps, StatementEntry, StatementRequest, Truth } from "./entry.ts";
import type { Layout } from "./layout.ts";
import { owed, type StatementLine } from "./line.ts";
import { plant } from "./plant.ts";
import { trueMoney } from "./true-money.ts";

/**
 * The provider's books for the period: one charge for every order that was completed in it, in order of time, then the
 * balances and the payouts. A pure function of its arguments, read from start to end; memory holds one sum per currency.
 */
export async function* readStatement(
  deps: StatementDeps,
  request: StatementRequest,
): AsyncGenerator<StatementEntry> {
  const { world, ledger, namesNetworks } = deps;
  const { layout } = request;
  const key = hash32(world.seed, "statement", request.provider, request.period.name);
  const sums = new Map<string, Owed>();
  let otherReference = "";

  for await (const row of completedRows(deps, request)) {
    const settlement = ledger.settlementOf(row.index);
    const luck = mix32(key, row.index);
    const setting: CaseSetting = { world, namesNetworks, layout, settlement };
    const chosen = chooseCase(request.rates, setting, luck / 0x1_0000_0000);
    // The first line of a file has no other order to be confused with.
    const name = chosen === "reference_conflict" && otherReference === "" ? null : chosen;
    const charge = chargeOf(deps, { row, settlement, layout, luck: mix32(luck, 1) });
    const lines = plant(name, charge, { ...setting, luck: mix32(luck, 2), otherReference });
    for (const line of lines) {
      const { fiat, effectiveMs } = line;
      const held = sums.get(fiat.id) ?? { fiat, sum: 0n, atEnd: 0n };
      held.sum += owed(line);
      if (effectiveMs < request.period.toMs) held.atEnd += owed(line);
      sums.set(fiat.id, held);
    }
    otherReference = row.transactionId;
    yield {
      lines: lines.map((line) => inPayout(request, line)),
      truth: truthOf(deps, name, row, { charge, lines }),
    };
  }
  if (layout.hasBalances) yield* balanceEntries(deps, request, sums);
  if (layout.hasPayouts) {
    yield* payoutEntries(
      deps,
      request,
      [...sums.values()].toSorted((a, b) => (a.fiat.id < b.fiat.id ? -1 : 1)),
    );
  }
}

async function* completedRows(
  deps: StatementDeps,
  { provider, period, currency }: StatementRequest,
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
      const isAsked = currency === null || lane.fiat.id === currency;
      if (isAsked && lane.provider.id === provider && row.step === lifecycle.delivered) yield row;
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
    balance: null,
  };
}

function inPayout(request: StatementRequest, line: StatementLine): StatementLine {
  return request.layout.hasPayouts ? { ...line, payoutId: payoutIdOf(request, line.fiat) } : line;
}

function truthOf(
  { ledger, view }: StatementDeps,
  name: CaseName | null,
  row: StatusRow,
  { charge, lines }: { charge: StatementLine; lines: readonly StatementLine[] },
): Truth | null {
  const keys = { transactionId: row.transactionId, providerTransactionId: charge.providerTransactionId };
  const natural = historyCase(ledger, view, row);
  if (name === null) return natural === null ? null : { ...natural, ...keys };
  const codes =
    natural?.case === "reversed_in_records"
      ? codesOfReversed(name)
      : [...plantedCases[name].codes, ...(natural?.codes ?? [])];
  const money = natural === null ? trueMoney(name, charge, lines) : null;
  return { case: name, codes: [...new Set<string>(codes)], ...keys, ...(money && { money }) };
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
