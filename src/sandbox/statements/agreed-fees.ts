import {
  addDecimals,
  compareDecimals,
  type Decimal,
  decimal,
  decimalFromUnits,
  divideDecimals,
  multiplyDecimals,
  roundDecimal,
  zero,
} from "../../core/decimal.ts";
import type { Settlement } from "../ledger/records.ts";
import type { Fiat, Provider, World } from "../world/types.ts";
import { type Layout, networkFee, ownFee, partnerFee, processingFee } from "./layout.ts";

/** Our share of the fee, a percentage of the order, never more than the fee itself. */
export function partnerShare(percent: Decimal, fiat: Fiat, gross: bigint, fee: bigint): bigint {
  const exact = multiplyDecimals(
    decimalFromUnits(gross, fiat.minorUnits),
    multiplyDecimals(percent, decimal("0.01")),
  );
  const [whole = "0", places = ""] = roundDecimal(exact, fiat.minorUnits).split(".");
  const share = BigInt(whole + places.padEnd(fiat.minorUnits, "0"));
  return share > fee ? fee : share;
}

/** By how much a share is off when it is: a tenth, and never so little that rounding could explain it. */
export function shareOff(share: bigint): bigint {
  return share / 10n < 2n ? 2n : share / 10n;
}

/** Whether a line tells the provider's fee and the network's apart, both in the order's currency. */
function tellsFees({ columns }: Layout): boolean {
  const writes = new Set(columns.map(([, write]) => write));
  return writes.has(networkFee) && (writes.has(processingFee) || writes.has(ownFee));
}

export function tellsShare({ columns }: Layout): boolean {
  return columns.some(([, write]) => write === partnerFee);
}

const percentOf = ({ fees }: Provider, method: string): Decimal =>
  fees.percentByMethod[method] ?? fees.percentByMethod["default"] ?? zero;

/** Below the agreed percentage of a small order lies a least fee in dollars, which follows their price. */
function leastOrder({ fees }: Provider, percent: Decimal, fiat: Fiat): Decimal {
  const least = divideDecimals(fees.minimumUsd, multiplyDecimals(percent, decimal("0.01")), { places: 6 });
  const inFiat = divideDecimals(least, fiat.usd, { places: 6 });
  return addDecimals(roundDecimal(multiplyDecimals(inFiat, decimal(2)), 0), decimal(1));
}

function grossOf({ lane, given, payout, networkFee: network, processingFee: fee }: Settlement): bigint {
  return lane.type === "sell" ? payout + network + fee : given;
}

export function mayMoveFee(layout: Layout, settlement: Settlement): boolean {
  const { provider, method, fiat } = settlement.lane;
  const percent = percentOf(provider, method);
  if (!tellsFees(layout) || percent === zero || settlement.networkFee < 6n) return false;
  const gross = decimalFromUnits(grossOf(settlement), fiat.minorUnits);
  return compareDecimals(gross, leastOrder(provider, percent, fiat)) >= 0;
}

function shareOf(settlement: Settlement): bigint {
  const { provider, fiat } = settlement.lane;
  return partnerShare(provider.partnerFeePercent, fiat, grossOf(settlement), settlement.processingFee);
}

/** Where the share may be as much as the whole fee, only a line that tells the fee shows what it should have been. */
function showsShare(layout: Layout, { lane: { provider, method } }: Settlement): boolean {
  return tellsShare(layout) && (!isCapped(provider, method) || tellsFees(layout));
}

const isCapped = (provider: Provider, method: string) =>
  compareDecimals(percentOf(provider, method), provider.partnerFeePercent) < 0;

export function mayLackShare(layout: Layout, settlement: Settlement): boolean {
  const share = shareOf(settlement);
  return showsShare(layout, settlement) && share > shareOff(share);
}

export function mayHaveMore(layout: Layout, settlement: Settlement): boolean {
  const share = shareOf(settlement);
  return showsShare(layout, settlement) && share > 0n && share + shareOff(share) <= settlement.processingFee;
}

/** What was agreed with a provider, as a file that can be imported. */
export function* writeFeeSchedule(world: World, provider: Provider): Generator<string> {
  yield "kind,payment_method,currency,over,percent,capped_by_fee\n";
  for (const method of [...provider.paymentMethods].toSorted()) {
    yield `share,${method},,,${provider.partnerFeePercent},${isCapped(provider, method)}\n`;
    const percent = percentOf(provider, method);
    if (percent === zero) continue;
    for (const fiat of world.fiats.filter(({ id }) => provider.fiats.has(id)))
      yield `processing_fee,${method},${fiat.code},${leastOrder(provider, percent, fiat)},${percent},\n`;
  }
}
