import { instantMs, parseInstant } from "../../src/core/instant.ts";
import { recordHash } from "../../src/core/record-hash.ts";
import type { SyncAccount } from "../../src/sync/deps.ts";
import { UpstreamError } from "../../src/upstream/errors.ts";
import { normaliseRecord } from "../../src/upstream/normalise.ts";
import type { PageQuery, TransactionPage } from "../../src/upstream/transactions.ts";

/** A raw record as a test writes it. */
export interface RawRecord {
  readonly transactionId: string;
  readonly status: string;
  readonly statusDate: string;
  readonly [field: string]: unknown;
}

export interface ModelOptions {
  /** In the order in which they are listed. Read anew with every request, so that a test may change it. */
  readonly records: () => readonly RawRecord[];
  readonly pageSize?: number;
  readonly startInclusive?: boolean;
  readonly endInclusive?: boolean;
  /** By which time of theirs records are listed, when it is not the date of the status. */
  readonly listedAt?: (record: RawRecord) => string;
  /** What goes wrong before an answer. */
  readonly before?: (query: PageQuery, request: number) => void | Promise<void>;
}

/** The aggregator as a function: for properties, which run by the hundred, and for lists written by hand. */
export function modelAggregator(options: ModelOptions): SyncAccount["upstream"] & { requests: PageQuery[] } {
  const { pageSize = 50, startInclusive = true, endInclusive = false } = options;
  const requests: PageQuery[] = [];
  const selects = (query: PageQuery) => (record: RawRecord) => {
    if (query.ids) return query.ids.includes(record.transactionId);
    const atMs = options.listedAt ? Date.parse(options.listedAt(record)) : timeOf(record);
    const fromMs = query.from === undefined ? -Infinity : instantMs(query.from);
    const toMs = query.to === undefined ? Infinity : instantMs(query.to);
    return (startInclusive ? atMs >= fromMs : atMs > fromMs) && (endInclusive ? atMs <= toMs : atMs < toMs);
  };
  return {
    requests,
    async fetchPage(query: PageQuery = {}): Promise<TransactionPage> {
      requests.push(query);
      await options.before?.(query, requests.length);
      const found = options.records().filter(selects(query));
      const at = Number(query.cursor ?? 0);
      const next = at + pageSize;
      return {
        rawRecords: found.slice(at, next),
        nextCursor: next < found.length ? String(next) : null,
        echoedLimit: query.limit ?? null,
        serverDateMs: null,
      };
    },
    async fetchTransaction(transactionId: string) {
      const found = options.records().findLast((record) => record.transactionId === transactionId);
      if (!found)
        throw new UpstreamError("not_found", "answered 404", { endpoint: "GET /transactions/{id}" });
      return normaliseRecord(found);
    },
  };
}

/** A record with all that the specification gives one; the fields of interest are the test's. */
export function aRecord(fields: Partial<RawRecord> & { readonly transactionId: string }): RawRecord {
  return {
    apiKey: "pk_model",
    country: "de",
    inAmount: 100,
    outAmount: 0.00152087,
    onramp: "moonpay",
    onrampTransactionId: `order-${fields.transactionId}`,
    paymentMethod: "creditcard",
    sourceCurrency: "eur",
    targetCurrency: "btc",
    status: "completed",
    statusDate: "2026-03-01T10:00:00.000Z",
    transactionType: "buy",
    transactionHash: "",
    walletAddress: "bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq",
    ...fields,
  };
}

/** What the oracle expects of a list written by hand: each record once, however often it stands there. */
export function expectedOf(rawRecords: readonly unknown[]) {
  const outcomes = rawRecords.map(normaliseRecord);
  const records = outcomes.flatMap((outcome) => (outcome.kind === "record" ? [outcome.record] : []));
  return {
    records: [...new Map(records.map((record) => [recordHash(record), record])).values()],
    malformed: new Set(outcomes.flatMap((outcome) => (outcome.kind === "rejection" ? [outcome.raw] : [])))
      .size,
  };
}

const times = new WeakMap<RawRecord, number>();

function timeOf(record: RawRecord): number {
  const known = times.get(record);
  if (known !== undefined) return known;
  const instant = parseInstant(record.statusDate);
  if (instant === null) throw new Error(`the model can only list instants, not ${record.statusDate}`);
  times.set(record, instantMs(instant));
  return instantMs(instant);
}
