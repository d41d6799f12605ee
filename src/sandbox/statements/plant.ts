import { chainHash, uuid, walletAddress } from "../ledger/identifiers.ts";
import { below, mix32, pick } from "../world/random.ts";
import { otherNetworks, type CaseName, type CaseSetting } from "./cases.ts";
import { shareOff } from "./agreed-fees.ts";
import type { LineKind, StatementLine } from "./line.ts";

/** The lines that stand in the statement for one order, after the case has befallen it. */
export function plant(
  name: CaseName | null,
  line: StatementLine,
  setting: CaseSetting & { luck: number; otherReference: string },
): StatementLine[] {
  const { world, layout, luck, otherReference } = setting;
  const words = layout.words(line.side);
  const moved = (kind: LineKind, share: bigint) => reversal(line, kind, share, luck);
  switch (name) {
    case null:
      return [line];
    case "missing_line":
      return [];
    case "extra_line":
      return [line, stranger(line, setting, "")];
    case "in_amount_off":
      return [line.side === "buy" ? withFiatOff(line, luck) : withCryptoOff(line, luck)];
    case "out_amount_off":
      return [line.side === "buy" ? withCryptoOff(line, luck) : withFiatOff(line, luck)];
    case "currency_changed": {
      const { fiat } = line;
      // One with the same decimals, so that the amounts stay as they are.
      const others = world.fiats.filter(
        ({ id, minorUnits }) => id !== fiat.id && minorUnits === fiat.minorUnits,
      );
      return [{ ...line, fiat: pick(others, luck) }];
    }
    case "wrong_network":
      return [{ ...line, asset: pick(otherNetworks(world, line.asset), luck) }];
    case "direction_turned":
      return [{ ...line, side: line.side === "buy" ? "sell" : "buy" }];
    case "status_disagrees":
      return [{ ...line, status: words.failed, partnerFee: 0n }];
    case "status_unknown":
      return [{ ...line, status: "SETTLED_PENDING_REVIEW_7", partnerFee: 0n }];
    case "status_refunded":
      return [{ ...line, status: words.refunded ?? words.failed, partnerFee: 0n }];
    case "duplicate_settlement":
      return [line, secondSettlement(line, setting)];
    case "reference_conflict":
      return [{ ...line, reference: otherReference }];
    case "hash_different":
      return [{ ...line, hash: strangeHash(line, setting) }];
    case "address_different": {
      const network = world.networkById.get(line.asset.network);
      return [network ? { ...line, address: walletAddress(network, { key: luck, value: luck }) } : line];
    }
    case "refund":
      return [line, moved("refund", 100n)];
    case "partial_refund":
      return [line, moved("refund", 40n)];
    case "excessive_refund":
      return [line, moved("refund", 130n)];
    case "unlinked_refund":
      return [line, { ...moved("refund", 100n), ...strangeKeys(line, setting, "") }];
    case "chargeback":
      return [line, moved("chargeback", 100n)];
    case "chargeback_reversed":
      return [line, moved("chargeback", 100n), moved("chargeback_reversal", 100n)];
    case "fee_off": {
      // From one fee to the other: what the customer pays stays as it was.
      const by = line.networkFee / 2n;
      return [{ ...line, processingFee: line.processingFee + by, networkFee: line.networkFee - by }];
    }
    case "commission_short":
      return [{ ...line, partnerFee: line.partnerFee - shareOff(line.partnerFee) }];
    case "commission_over":
      return [{ ...line, partnerFee: line.partnerFee + shareOff(line.partnerFee) }];
    case "commission_sum_off":
    case "payout_short":
    case "balance_off":
      return [line];
    default:
      return name satisfies never;
  }
}

const DAY = 86_400_000;

/** Between one and five percent more or less, and never less than two of the smallest units. */
function off(amount: bigint, luck: number): bigint {
  const percent = BigInt(1 + below(5, luck));
  const step = (amount * percent) / 100n;
  const by = step < 2n ? 2n : step;
  return (luck & 1) === 0 && amount > by ? -by : by;
}

function withFiatOff(line: StatementLine, luck: number): StatementLine {
  const by = off(line.net, luck);
  return { ...line, gross: line.gross + by, net: line.net + by };
}

function withCryptoOff(line: StatementLine, luck: number): StatementLine {
  return { ...line, crypto: line.crypto + off(line.crypto, luck) };
}

/** Money going back, some days after the charge. */
function reversal(line: StatementLine, kind: LineKind, percent: bigint, luck: number): StatementLine {
  const part = (amount: bigint) => (amount * percent) / 100n;
  const days = kind === "chargeback_reversal" ? 20 : 1 + below(10, luck);
  return {
    ...line,
    kind,
    gross: part(line.gross),
    net: part(line.net),
    processingFee: part(line.processingFee),
    networkFee: part(line.networkFee),
    // Rounding each part by itself must not give back more of our share than we had.
    partnerFee: percent > 100n ? line.partnerFee : part(line.partnerFee),
    crypto: part(line.crypto),
    effectiveMs: line.effectiveMs + days * DAY,
  };
}

/** An order that only the provider knows of. */
function stranger(
  line: StatementLine,
  setting: CaseSetting & { luck: number },
  reference: string,
): StatementLine {
  return { ...line, ...strangeKeys(line, setting, reference), effectiveMs: line.effectiveMs + 1000 };
}

/** Later than the first, even in a file that prints only the day: without ids, nothing else shows which was first. */
function secondSettlement(line: StatementLine, setting: CaseSetting & { luck: number }): StatementLine {
  const second = stranger(line, setting, line.reference);
  return setting.layout.hasIds ? second : { ...second, effectiveMs: line.effectiveMs + DAY };
}

function strangeKeys(line: StatementLine, setting: CaseSetting & { luck: number }, reference: string) {
  return {
    providerTransactionId: uuid({ key: setting.luck, value: 1 }),
    reference:
      reference === "" && setting.layout.hasReference ? uuid({ key: setting.luck, value: 2 }) : reference,
    hash: strangeHash(line, setting),
  };
}

function strangeHash(line: StatementLine, { world, luck }: CaseSetting & { luck: number }): string {
  const family = world.networkById.get(line.asset.network)?.family ?? "evm";
  return chainHash(family, { key: mix32(luck, 3), value: luck });
}
