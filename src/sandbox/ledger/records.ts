import { decimalFromUnits, zero, type Decimal } from "../../core/decimal.ts";
import { formatInstant } from "../../core/instant.ts";
import type { SandboxRecord } from "../record.ts";
import { hash32, mix32 } from "../world/random.ts";
import type { History, SeededTransaction, StatusRow } from "./history.ts";
import { chainHash, providerTransactionId, walletAddress } from "./identifiers.ts";
import { oddCents, type Lane } from "./lanes.ts";
import type { Step } from "./lifecycles.ts";
import { memoByIndex } from "./memo.ts";
import type { Priced } from "./pricing.ts";

export interface RecordSource {
  /** What the aggregator says of this status. */
  recordOf(row: StatusRow): SandboxRecord;
  /** The same as JSON: what `writeRecord` makes of it, from parts prepared per lane. */
  textOf(row: StatusRow): string;
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
  const instantText = createInstantText();
  const partsByLane = new Map<Lane, LaneParts>();

  function givenOf({ index, createdMs, lane }: SeededTransaction): bigint {
    const size = mix32(sizeKey, index);
    const minor = (lane.sizes[size & 15] as number) + oddCents(lane.fiat, size);
    if (lane.type === "buy") return BigInt(minor);
    const units = lane.pricing.unitsFor(BigInt(minor), createdMs);
    // One in four sells all there is, to the last digit; the others type a round amount.
    return (size >>> 8) % 4 === 0 ? units : cutToDigits(units, 3);
  }

  const orderOf = memoByIndex((index) => {
    const transaction = history.transactionOf(index);
    const { lane, createdMs } = transaction;
    const given = givenOf(transaction);
    return {
      index,
      transaction,
      given,
      inAmount: decimalFromUnits(given, lane.type === "sell" ? lane.asset.decimals : lane.fiat.minorUnits),
      estimate: lane.estimates ? outAmount(lane, priceOf(lane, given, createdMs).payout) : zero,
      providerTransactionId: providerTransactionId(lane.provider.id, index, {
        key: providerKey,
        value: index,
      }),
      // Customers come back: there are far fewer of them than transactions.
      walletAddress: walletAddress(lane.network, {
        key: walletKey,
        value: mix32(customerKey, index) & (customerCount - 1),
      }),
    };
  });

  function factsOf({ dateMs, index, step }: StatusRow) {
    const order = orderOf(index);
    const { lane, lifecycle } = order.transaction;
    const { steps, delivered } = lifecycle;
    const isDelivered = delivered >= 0 && delivered <= step;
    const status = (steps[step] as Step).status;
    return {
      lane,
      status,
      inAmount: order.inAmount,
      outAmount: isDelivered
        ? outAmount(lane, priceOf(lane, order.given, history.stepMs(order.transaction, delivered)).payout)
        : order.estimate,
      // A provider knows an order once the customer has come to it.
      onrampTransactionId: status === "new" ? "" : order.providerTransactionId,
      statusDate: instantText(dateMs),
      transactionHash: isDelivered ? hashOf(lane, index, status === "completed" && step > delivered) : "",
      walletAddress: order.walletAddress,
    };
  }

  function hashOf(lane: Lane, index: number, replaced: boolean): string {
    // MoonPay pays in batches, so that several of its transactions share one chain hash; others pay one by one.
    const batched = lane.provider.id === "moonpay" && lane.type === "buy" && !replaced;
    return chainHash(
      lane.network.family,
      batched
        ? { key: mix32(batchKey, hash32(lane.asset.id)), value: Math.floor(index / batchSpan) }
        : { key: replaced ? mix32(hashKey, 1) : hashKey, value: index },
    );
  }

  return {
    recordOf(row) {
      const { lane, ...facts } = factsOf(row);
      const [source, target] = currenciesOf(lane, names);
      return {
        apiKey,
        country: lane.country,
        onramp: lane.provider.id,
        paymentMethod: lane.method,
        sourceCurrency: source,
        targetCurrency: target,
        transactionId: row.transactionId,
        transactionType: lane.type,
        ...facts,
      };
    },
    textOf(row) {
      const facts = factsOf(row);
      let parts = partsByLane.get(facts.lane);
      if (!parts) partsByLane.set(facts.lane, (parts = partsOf(facts.lane, apiKey, names)));
      return (
        parts.beforeAmounts +
        facts.inAmount +
        ',"outAmount":' +
        facts.outAmount +
        parts.beforeProviderId +
        facts.onrampTransactionId +
        parts.beforeStatus +
        facts.status +
        '","statusDate":"' +
        facts.statusDate +
        '","transactionId":"' +
        row.transactionId +
        parts.beforeHash +
        facts.transactionHash +
        '","walletAddress":"' +
        facts.walletAddress +
        '"}'
      );
    },
    settlementOf(index) {
      const { given, transaction } = orderOf(index);
      const { lane, createdMs, lifecycle } = transaction;
      const completedMs = history.stepMs(transaction, lifecycle.delivered);
      return { lane, given, createdMs, completedMs, ...priceOf(lane, given, completedMs) };
    },
  };
}

/** A power of two: a customer is some bits of a hash. */
const customerCount = 2 ** 18;

/** So many consecutive transactions of all providers lie in one batch: a few of them are MoonPay's in one asset. */
const batchSpan = 512;

/** The pieces of a record's JSON that all records of a lane share. None of the texts has a character to escape. */
interface LaneParts {
  readonly beforeAmounts: string;
  readonly beforeProviderId: string;
  readonly beforeStatus: string;
  readonly beforeHash: string;
}

function currenciesOf({ type, asset, fiat }: Lane, names: ReadonlyMap<string, string>): [string, string] {
  const crypto = names.get(asset.id) ?? asset.id;
  return type === "sell" ? [crypto, fiat.id] : [fiat.id, crypto];
}

function partsOf(lane: Lane, apiKey: string, names: ReadonlyMap<string, string>): LaneParts {
  const [source, target] = currenciesOf(lane, names);
  return {
    beforeAmounts: `{"apiKey":${JSON.stringify(apiKey)},"country":"${lane.country}","inAmount":`,
    beforeProviderId: `,"onramp":"${lane.provider.id}","onrampTransactionId":"`,
    beforeStatus: `","paymentMethod":"${lane.method}","sourceCurrency":"${source}","targetCurrency":"${target}","status":"`,
    beforeHash: `","transactionType":"${lane.type}","transactionHash":"`,
  };
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

/** Neighbouring records share their minute: only its first one pays for the calendar. */
function createInstantText(): (ms: number) => string {
  let minute = -1;
  let upToMinute = "";
  return (ms) => {
    const within = ms % 60_000;
    if (ms - within !== minute) {
      minute = ms - within;
      upToMinute = formatInstant(minute).slice(0, 17);
    }
    const second = Math.floor(within / 1000);
    const rest = within % 1000;
    return `${upToMinute}${second < 10 ? "0" : ""}${second}.${rest < 10 ? "00" : rest < 100 ? "0" : ""}${rest}Z`;
  };
}
