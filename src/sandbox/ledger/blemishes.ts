import { canonicaliseJson, emptyObject } from "../../core/canonical-json.ts";
import { addDecimals, decimal } from "../../core/decimal.ts";
import type { Instant } from "../../core/instant.ts";
import type { TransactionRecord } from "../../core/transaction.ts";
import { writeRecord, type SandboxRecord } from "../record.ts";
import type { FaultName, Faults } from "../transactions/faults.ts";
import { happens, hash32, mix32, pick } from "../world/random.ts";
import type { StatusRow } from "./history.ts";
import type { LedgerView } from "./ledger.ts";

/**
 * Records that the sandbox spoils on purpose. Which ones, and how, is a function of the seed and the record, never of
 * the request: so the ledger can say for each record whether a reader should have it, and in which form.
 */
export interface Blemishes {
  /** Whether a listing shows the row at this moment. */
  isVisible(row: StatusRow, nowMs: number): boolean;
  hasVanished(row: StatusRow, nowMs: number): boolean;
  served(view: LedgerView, row: StatusRow): ServedRow;
  /** The row's JSON as it goes out. */
  textOf(view: LedgerView, row: StatusRow): string;
  /** Whether rows go out as the ledger has them, so that their bytes need not be looked at. */
  readonly isOff: boolean;
}

export interface ServedRow {
  readonly text: string;
  /** What a careful reader makes of it; `null` when it can only be set aside. */
  readonly record: TransactionRecord | null;
  readonly blemish: Blemish | null;
  /** What it said before it was edited. */
  readonly before?: TransactionRecord;
}

export type Blemish = "malformed" | "unknown-status" | "unknown-fields" | "null-fields" | "edited";

export function createBlemishes(deps: { seed: string; faults: Faults; sinceMs: number }): Blemishes {
  const { seed, faults, sinceMs } = deps;
  const keys = new Map<FaultName, number>();
  const lateMs = (faults["late-seconds"] || 3600) * 1000;
  const churnMs = (faults["churn-seconds"] || 60) * 1000;
  const isOff = blemishNames.every((name) => faults[name] === 0);
  const hidesNothing = faults.late === 0 && faults.drift === 0 && faults.vanished === 0;

  /** A number for this fault and row; for the whole transaction when no step is given. */
  function draw(name: FaultName, row: StatusRow, step: number): number {
    let key = keys.get(name);
    if (key === undefined) keys.set(name, (key = hash32(seed, "fault", name)));
    const number = row.index < 0 ? hash32(row.transactionId) : row.index;
    return mix32(mix32(key, number), step);
  }

  const strikes = (name: FaultName, row: StatusRow) => happens(faults[name], draw(name, row, row.step));
  /** When in the sandbox's life it happens to the row. */
  const churnAt = (name: FaultName, row: StatusRow, step: number) =>
    sinceMs + Math.floor((mix32(draw(name, row, step), 1) / 0x1_0000_0000) * churnMs);

  function hasVanished(row: StatusRow, nowMs: number): boolean {
    return (
      faults.vanished > 0 &&
      happens(faults.vanished, draw("vanished", row, -1)) &&
      churnAt("vanished", row, -1) <= nowMs
    );
  }

  function served(view: LedgerView, row: StatusRow): ServedRow {
    const record = view.recordOf(row);
    const plain = { text: writeRecord(record), record: normalise(record), blemish: null };
    if (isOff) return plain;
    const blemish = blemishNames.find((name) => strikes(name, row)) ?? null;
    if (blemish === null) return plain;
    const luck = draw(blemish, row, row.step + 64);
    if (blemish === "edited" && churnAt("edited", row, row.step) > view.nowMs) return plain;
    return spoil(blemish, record, luck);
  }

  return {
    hasVanished,
    isVisible(row, nowMs) {
      if (hidesNothing) return true;
      if (strikes("late", row)) {
        const delay = (mix32(draw("late", row, row.step), 1) / 0x1_0000_0000) * lateMs;
        if (row.dateMs + delay > nowMs) return false;
      }
      if (strikes("drift", row) && churnAt("drift", row, row.step) > nowMs) return false;
      return !hasVanished(row, nowMs);
    },
    served,
    isOff,
    textOf: (view, row) => (isOff ? view.textOf(row) : served(view, row).text),
  };
}

const blemishNames: readonly Blemish[] = [
  "malformed",
  "unknown-status",
  "unknown-fields",
  "null-fields",
  "edited",
];

function spoil(blemish: Blemish, record: SandboxRecord, luck: number): ServedRow {
  switch (blemish) {
    case "malformed":
      return { text: pick(malformations, luck)(writeRecord(record)), record: null, blemish };
    case "unknown-status": {
      const odd = { ...record, status: pick(oddStatuses, luck) };
      return { text: writeRecord(odd), record: normalise(odd), blemish };
    }
    case "unknown-fields": {
      const extra = `"partnerFee":"0.01","riskScore":${(luck % 1000) / 10},"labels":["new",{"depth":1}]`;
      return {
        text: `${writeRecord(record).slice(0, -1)},${extra}}`,
        record: { ...normalise(record), extra: canonicaliseJson(`{${extra}}`) ?? emptyObject },
        blemish,
      };
    }
    case "null-fields": {
      const { field, name } = pick(nullable, luck);
      const text = writeRecord(record).replace(new RegExp(`"${field}":("[^"]*"|[^,}]*)`), `"${field}":null`);
      return { text, record: { ...normalise(record), [name]: null }, blemish };
    }
    case "edited": {
      const edited = { ...record, outAmount: addDecimals(record.outAmount, decimal("0.01")) };
      return { text: writeRecord(edited), record: normalise(edited), blemish, before: normalise(record) };
    }
    default:
      return blemish satisfies never;
  }
}

/** Words with no place in any list. */
const oddStatuses = ["on_hold", "manual_review", "KYC_REQUIRED", "refunded", "wird geprüft"];

const nullable = [
  { field: "transactionHash", name: "transactionHash" },
  { field: "walletAddress", name: "walletAddress" },
  { field: "country", name: "country" },
  { field: "onrampTransactionId", name: "providerTransactionId" },
  { field: "outAmount", name: "outAmount" },
] as const;

const malformations: readonly ((text: string) => string)[] = [
  (text) => text.replace(/"transactionId":"[^"]*",/, ""),
  (text) => text.replace(/"status":"[^"]*",/, ""),
  (text) => text.replace(/"statusDate":"[^"]*",/, ""),
  (text) => text.replace(/"statusDate":"[^"]*"/, '"statusDate":"2024-13-45T99:00:00.000Z"'),
  (text) => text.replace(/"statusDate":"[^"]*"/, '"statusDate":"yesterday"'),
  (text) => text.replace(/"inAmount":[^,]*/, '"inAmount":"12,5O"'),
  (text) => text.replace(/"outAmount":[^,]*/, '"outAmount":{"value":1}'),
  (text) => `${text.slice(0, -1)},"details":${"[".repeat(40)}${"]".repeat(40)}}`,
];

/** The record as any reader should understand it. */
export function normalise(record: SandboxRecord): TransactionRecord {
  return {
    transactionId: record.transactionId,
    status: record.status,
    statusDate: record.statusDate as Instant,
    transactionType: record.transactionType,
    provider: record.onramp,
    providerTransactionId: record.onrampTransactionId,
    paymentMethod: record.paymentMethod,
    country: record.country,
    sourceCurrency: record.sourceCurrency,
    inAmount: record.inAmount,
    targetCurrency: record.targetCurrency,
    outAmount: record.outAmount,
    transactionHash: record.transactionHash,
    walletAddress: record.walletAddress,
    apiKey: record.apiKey,
    extra:
      record.partnerContext === undefined
        ? emptyObject
        : (canonicaliseJson(JSON.stringify({ partnerContext: record.partnerContext })) ?? emptyObject),
  };
}
