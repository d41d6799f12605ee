import { decimalFromUnits, zero, type Decimal } from "../../core/decimal.ts";
import { formatInstant } from "../../core/instant.ts";
import type { SandboxRecord, SandboxStatus } from "../record.ts";
import { hash32, mix32 } from "../world/random.ts";
import type { History, SeededTransaction, StatusRow } from "./history.ts";
import {
  chainHash,
  providerTransactionId,
  walletAddress,
  writeChainHash,
  writeProviderId,
  writeWalletAddress,
  type Origin,
} from "./identifiers.ts";
import { laneCount, oddCents, type Lane } from "./lanes.ts";
import type { Lifecycle, Step } from "./lifecycles.ts";
import { createPreparedOrders, placeBytesMax, putBytes, putText } from "./prepared-orders.ts";
import type { Priced } from "./pricing.ts";

export interface RecordSource {
  /** What the aggregator says of this status. */
  recordOf(row: StatusRow): SandboxRecord;
  /**
   * The same as JSON: the bytes of what `writeRecord` makes of it, from parts prepared for its transaction. Returns where
   * they end; there must be room for `recordBytesMax` and its key.
   */
  write(row: StatusRow, out: Buffer, start: number): number;
  /** The order as it was executed, in smallest units: what a provider's books hold of it. */
  settlementOf(index: number): Settlement;
}

export interface Settlement extends Priced {
  readonly lane: Lane;
  /** What the customer gave, in the smallest unit of its currency. */
  readonly given: bigint;
  readonly createdMs: number;
  readonly completedMs: number;
}

export interface RecordSourceDeps {
  readonly history: History;
  readonly seed: string;
  readonly apiKey: string;
  /** What records call a currency, by its id. */
  readonly names: ReadonlyMap<string, string>;
}

export function createRecordSource({ history, seed, apiKey, names }: RecordSourceDeps): RecordSource {
  const sizeKey = hash32(seed, "size");
  const customerKey = hash32(seed, "customer");
  const walletKey = hash32(seed, "wallet");
  const providerKey = hash32(seed, "provider-id");
  const hashKey = hash32(seed, "chain-hash");
  const batchKey = hash32(seed, "batch");
  const writeDate = createDateWriter();
  const partsByLane: (LaneParts | undefined)[] = Array.from({ length: laneCount }, () => undefined);

  function givenOf({ index, createdMs, lane }: SeededTransaction): bigint {
    const size = mix32(sizeKey, index);
    const minor = (lane.sizes[size & 15] as number) + oddCents(lane.fiat, size);
    if (lane.type === "buy") return BigInt(minor);
    const units = lane.pricing.unitsFor(BigInt(minor), createdMs);
    // One in four sells all there is, to the last digit; the others type a round amount.
    return (size >>> 8) % 4 === 0 ? units : cutToDigits(units, 3);
  }

  const givenText = ({ lane }: SeededTransaction, given: bigint) =>
    decimalFromUnits(given, lane.type === "sell" ? lane.asset.decimals : lane.fiat.minorUnits);
  const estimateOf = ({ lane, createdMs }: SeededTransaction, given: bigint) =>
    lane.estimates ? outAmount(lane, priceOf(lane, given, createdMs).payout) : zero;
  const providerOrigin = (index: number): Origin => ({ key: providerKey, value: index });
  // Customers come back: there are far fewer of them than transactions.
  const walletOrigin = (index: number): Origin => ({
    key: walletKey,
    value: mix32(customerKey, index) & (customerCount - 1),
  });

  const prepared = createPreparedOrders(JSON.stringify(apiKey).length, {
    open(index) {
      const transaction = history.transactionOf(index);
      return { index, transaction, given: givenOf(transaction) };
    },
    write({ index, transaction, given }, part, out, start) {
      const { lane } = transaction;
      const parts = partsOf(lane);
      let at = start;
      switch (part) {
        case "untilOutAmount":
          at = putText(out, putBytes(out, at, parts.beforeAmounts), givenText(transaction, given));
          return putText(out, at, ',"outAmount":');
        case "estimate":
          // Most providers state none, and then nothing needs to be worked out.
          return putText(out, at, lane.estimates ? estimateOf(transaction, given) : zero);
        case "aboutProvider":
          at = putBytes(out, at, parts.beforeProviderId);
          at = writeProviderId(lane.provider.id, index, providerOrigin(index), out, at);
          return putBytes(out, at, parts.beforeStatus);
        case "untilHash":
          at = putText(out, putText(out, at, '","transactionId":"'), transaction.transactionId);
          return putBytes(out, at, parts.beforeHash);
        case "afterHash":
          at = putText(out, at, '","walletAddress":"');
          return putText(out, writeWalletAddress(lane.network, walletOrigin(index), out, at), '"}');
        default:
          return part satisfies never;
      }
    },
  });

  function partsOf(lane: Lane): LaneParts {
    return (partsByLane[lane.number] ??= preparePartsOf(lane, apiKey, names));
  }

  function deliveredAmount(transaction: SeededTransaction, given: bigint): Decimal {
    const { lane, lifecycle } = transaction;
    return outAmount(lane, priceOf(lane, given, history.stepMs(transaction, lifecycle.delivered)).payout);
  }

  function hashOrigin({ index, lane, lifecycle }: SeededTransaction, step: number): Origin {
    const replaced = step > lifecycle.delivered && lifecycle.steps[step]?.status === "completed";
    // MoonPay pays in batches, so that several of its transactions share one chain hash; others pay one by one.
    const batched = lane.provider.id === "moonpay" && lane.type === "buy" && !replaced;
    return batched
      ? { key: mix32(batchKey, hash32(lane.asset.id)), value: Math.floor(index / batchSpan) }
      : { key: replaced ? mix32(hashKey, 1) : hashKey, value: index };
  }

  return {
    recordOf(row) {
      const transaction = history.transactionOf(row.index);
      const { lane, lifecycle, transactionId } = transaction;
      const given = givenOf(transaction);
      const isDelivered = hasDelivered(lifecycle, row.step);
      const { status } = lifecycle.steps[row.step] as Step;
      const [source, target] = currenciesOf(lane, names);
      return {
        apiKey,
        country: lane.country,
        inAmount: givenText(transaction, given),
        outAmount: isDelivered ? deliveredAmount(transaction, given) : estimateOf(transaction, given),
        onramp: lane.provider.id,
        // A provider knows an order once the customer has come to it.
        onrampTransactionId:
          status === "new"
            ? ""
            : providerTransactionId(lane.provider.id, row.index, providerOrigin(row.index)),
        paymentMethod: lane.method,
        sourceCurrency: source,
        targetCurrency: target,
        status,
        statusDate: formatInstant(row.dateMs),
        transactionId,
        transactionType: lane.type,
        transactionHash: isDelivered ? chainHash(lane.network.family, hashOrigin(transaction, row.step)) : "",
        walletAddress: walletAddress(lane.network, walletOrigin(row.index)),
      };
    },
    write(row, out, start) {
      const transaction = history.transactionOf(row.index);
      const place = prepared.find(row.index, row.dateMs - transaction.createdMs > oldAfterMs);
      const { lane, lifecycle } = transaction;
      const isDelivered = hasDelivered(lifecycle, row.step);
      const { status } = lifecycle.steps[row.step] as Step;
      let at: number;
      if (isDelivered) {
        const amount = deliveredAmount(transaction, prepared.givenOf(place));
        at = prepared.untilStatusWith(amount, place, out, start);
      } else if (status === "new") {
        // A provider knows an order once the customer has come to it.
        const provider = prepared.untilProvider(place, out, start);
        at = putBytes(out, provider, partsOf(lane).withoutProviderId);
      } else {
        at = prepared.untilStatus(place, out, start);
      }
      at = putText(out, at, untilDate[status]);
      at = writeDate(out, at, row.dateMs);
      if (!isDelivered) return prepared.afterDate(place, out, at);
      at = prepared.untilHash(place, out, at);
      at = writeChainHash(lane.network.family, hashOrigin(transaction, row.step), out, at);
      return prepared.afterHash(place, out, at);
    },
    settlementOf(index) {
      const transaction = history.transactionOf(index);
      const { lane, createdMs, lifecycle } = transaction;
      const given = givenOf(transaction);
      const completedMs = history.stepMs(transaction, lifecycle.delivered);
      return { lane, given, createdMs, completedMs, ...priceOf(lane, given, completedMs) };
    },
  };
}

/** Room for a record, its key apart: it has some 700 bytes at most, and its last part is copied with its whole place. */
export const recordBytesMax = 1024 + placeBytesMax;

/** All but bank transfers and rare turns are over by then. */
const oldAfterMs = 2 * 3_600_000;

/** A power of two: a customer is some bits of a hash. */
const customerCount = 2 ** 18;

/** So many consecutive transactions of all providers lie in one batch: a few of them are MoonPay's in one asset. */
const batchSpan = 512;

/** The pieces of a record's JSON that all records of a lane share. None of the texts has a character to escape. */
interface LaneParts {
  readonly beforeAmounts: Uint8Array;
  readonly beforeProviderId: Uint8Array;
  readonly beforeStatus: Uint8Array;
  readonly beforeHash: Uint8Array;
  /** What stands between the amounts and the status while the provider has no id. */
  readonly withoutProviderId: Uint8Array;
}

function currenciesOf({ type, asset, fiat }: Lane, names: ReadonlyMap<string, string>): [string, string] {
  const crypto = names.get(asset.id) ?? asset.id;
  return type === "sell" ? [crypto, fiat.id] : [fiat.id, crypto];
}

function preparePartsOf(lane: Lane, apiKey: string, names: ReadonlyMap<string, string>): LaneParts {
  const [source, target] = currenciesOf(lane, names);
  const beforeProviderId = `,"onramp":"${lane.provider.id}","onrampTransactionId":"`;
  const beforeStatus = `","paymentMethod":"${lane.method}","sourceCurrency":"${source}","targetCurrency":"${target}","status":"`;
  return {
    beforeAmounts: bytesOf(`{"apiKey":${JSON.stringify(apiKey)},"country":"${lane.country}","inAmount":`),
    beforeProviderId: bytesOf(beforeProviderId),
    beforeStatus: bytesOf(beforeStatus),
    beforeHash: bytesOf(`","transactionType":"${lane.type}","transactionHash":"`),
    withoutProviderId: bytesOf(beforeProviderId + beforeStatus),
  };
}

function bytesOf(text: string): Uint8Array {
  return new Uint8Array(Buffer.from(text, "latin1"));
}

function priceOf(lane: Lane, given: bigint, atMs: number): Priced {
  return lane.type === "buy" ? lane.pricing.buy(given, atMs) : lane.pricing.sell(given, atMs);
}

function outAmount(lane: Lane, payout: bigint): Decimal {
  return decimalFromUnits(payout, lane.type === "sell" ? lane.fiat.minorUnits : lane.asset.decimals);
}

function cutToDigits(units: bigint, digits: number): bigint {
  const step = 10n ** BigInt(Math.max(units.toString().length - digits, 0));
  return units - (units % step);
}

/** Every status word with what follows it, up to the date. */
const untilDate: Readonly<Record<SandboxStatus, string>> = {
  new: 'new","statusDate":"',
  pending: 'pending","statusDate":"',
  paid: 'paid","statusDate":"',
  completed: 'completed","statusDate":"',
  failed: 'failed","statusDate":"',
  canceled: 'canceled","statusDate":"',
};

function hasDelivered({ delivered }: Lifecycle, step: number): boolean {
  return delivered >= 0 && delivered <= step;
}

/** Neighbouring records share their hour: only its first one pays for the calendar. */
function createDateWriter(): (out: Buffer, at: number, ms: number) => number {
  let hour = -1;
  let upToHour = "";
  return (out, at, ms) => {
    const within = ms % 3_600_000;
    if (ms - within !== hour) {
      hour = ms - within;
      upToHour = formatInstant(hour).slice(0, 14);
    }
    const from = putText(out, at, upToHour);
    putTwo(out, from, Math.floor(within / 60_000));
    out[from + 2] = colon;
    putTwo(out, from + 3, Math.floor(within / 1000) % 60);
    out[from + 5] = point;
    const rest = within % 1000;
    out[from + 6] = zeroDigit + Math.floor(rest / 100);
    putTwo(out, from + 7, rest % 100);
    out[from + 9] = zulu;
    return from + 10;
  };
}

function putTwo(out: Buffer, at: number, number: number): void {
  out[at] = zeroDigit + Math.floor(number / 10);
  out[at + 1] = zeroDigit + (number % 10);
}

const [zeroDigit, colon, point, zulu] = [0x30, 0x3a, 0x2e, 0x5a];
