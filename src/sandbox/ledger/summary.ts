import { createHash } from "node:crypto";
import { addDecimals, zero, type Decimal } from "../../core/decimal.ts";
import { formatInstant } from "../../core/instant.ts";
import { recordHash } from "../../core/record-hash.ts";
import type { TransactionRecord } from "../../core/transaction.ts";
import type { Blemish, Blemishes, ServedRow } from "./blemishes.ts";
import { compareRows, type StatusRow } from "./history.ts";
import type { LedgerView } from "./ledger.ts";

/** What a complete and correct copy of the listing adds up to, for comparing one with the original. */
export interface LedgerSummary {
  readonly from: string;
  readonly to: string;
  readonly asOf: string;
  /** Rows whose status date lies in the range, as a careful reader keeps them. */
  readonly statusRows: { count: number; sums: Sums };
  /** Transactions with a status in the range; the sums are over the last such status of each. */
  readonly transactions: { count: number; sums: Sums };
  /** SHA-256 over the sorted lines `transactionId|recordHash` of each UTC day; the total is over `day:digest` lines. */
  readonly digest: { readonly days: Record<string, string>; readonly total: string };
  readonly days: Record<string, { statusRows: number; transactions: number }>;
  /** What a reader cannot have, or may have in another form, and why; none of it is hidden from the ledger. */
  readonly apart: Record<Blemish | "vanished" | "not-yet-visible", number>;
}

export type Sums = Record<"in" | "out", Record<string, Decimal>>;

export interface SummaryRange {
  readonly fromMs: number;
  readonly toMs: number;
}

/** Reads the range once, day by day: memory holds the lines of one day. Gives way to other work now and then. */
export async function summarise(
  deps: { view: LedgerView; blemishes: Blemishes; pause: () => Promise<void> },
  range: SummaryRange,
): Promise<LedgerSummary> {
  const { view, pause } = deps;
  const statusRows = { count: 0, sums: noSums() };
  const transactions = { count: 0, sums: noSums() };
  const digest: Record<string, string> = {};
  const days: LedgerSummary["days"] = {};
  const apart = { ...nothingApart };
  const total = createHash("sha256");
  let day = "";
  let lines: string[] = [];

  const closeDay = () => {
    if (lines.length === 0) return;
    const hex = createHash("sha256").update(lines.toSorted().join("\n")).digest("hex");
    digest[day] = hex;
    total.update(`${day}:${hex}\n`);
    lines = [];
  };

  for await (const { row, served } of rowsInRange({ ...deps, pause }, range)) {
    countApart(apart, deps, row, served);
    if (served.record === null) continue;
    const rowDay = served.record.statusDate.slice(0, 10);
    if (rowDay !== day) {
      closeDay();
      day = rowDay;
    }
    lines.push(`${served.record.transactionId}|${recordHash(served.record)}`);
    const ofDay = (days[day] ??= { statusRows: 0, transactions: 0 });
    ofDay.statusRows++;
    statusRows.count++;
    addSums(statusRows.sums, served.record);
    if (isLastInRange(deps, row, range)) {
      ofDay.transactions++;
      transactions.count++;
      addSums(transactions.sums, served.record);
    }
  }
  closeDay();
  return {
    from: formatInstant(range.fromMs),
    to: formatInstant(range.toMs),
    asOf: formatInstant(view.nowMs),
    statusRows,
    transactions,
    digest: { days: digest, total: total.digest("hex") },
    days,
    apart,
  };
}

/** Every row of the range by status date: also those that a listing hides, because the ledger forgets nothing. */
export async function* rowsInRange(
  deps: { view: LedgerView; blemishes: Blemishes; pause: () => Promise<void> },
  { fromMs, toMs }: SummaryRange,
): AsyncGenerator<{ row: StatusRow; served: ServedRow }> {
  const { view, blemishes, pause } = deps;
  const { first, last } = view.bucketsOf({ fromMs, toMs });
  let sinceRest = 0;
  const next = (bucket: number) => view.bucketFrom("status", bucket, 1);
  for (let bucket = next(first); bucket <= last; bucket = next(bucket + 1)) {
    if (++sinceRest >= bucketsBetweenRests) {
      sinceRest = 0;
      await pause();
    }
    for (const row of view.rowsOf("status", bucket)) {
      if (row.dateMs >= fromMs && row.dateMs < toMs) yield { row, served: blemishes.served(view, row) };
    }
  }
}

/** A few milliseconds of work: short enough that a page asked for meanwhile hardly waits. */
const bucketsBetweenRests = 200;

const nothingApart: LedgerSummary["apart"] = {
  malformed: 0,
  "unknown-status": 0,
  "unknown-fields": 0,
  "null-fields": 0,
  edited: 0,
  vanished: 0,
  "not-yet-visible": 0,
};

function countApart(
  apart: LedgerSummary["apart"],
  { view, blemishes }: { view: LedgerView; blemishes: Blemishes },
  row: StatusRow,
  { blemish }: ServedRow,
): void {
  if (blemish !== null) apart[blemish]++;
  if (blemishes.hasVanished(row, view.nowMs)) apart.vanished++;
  else if (!blemishes.isVisible(row, view.nowMs)) apart["not-yet-visible"]++;
}

/** Among the rows that can be kept: a later one that is malformed does not count. */
function isLastInRange(
  { view, blemishes }: { view: LedgerView; blemishes: Blemishes },
  row: StatusRow,
  { toMs }: SummaryRange,
): boolean {
  return !view
    .rowsOfId(row.transactionId)
    .some(
      (other) =>
        other.dateMs < toMs && compareRows(other, row) > 0 && blemishes.served(view, other).record !== null,
    );
}

function noSums(): Sums {
  return { in: {}, out: {} };
}

function addSums(sums: Sums, record: TransactionRecord): void {
  addTo(sums.in, record.sourceCurrency, record.inAmount);
  addTo(sums.out, record.targetCurrency, record.outAmount);
}

function addTo(sums: Record<string, Decimal>, currency: string | null, amount: Decimal | null): void {
  if (currency === null || amount === null) return;
  sums[currency] = addDecimals(sums[currency] ?? zero, amount);
}
