import { instantMs, type Instant } from "../../core/instant.ts";
import { statusRank } from "../../core/status.ts";
import { writeRecord, type SandboxRecord } from "../record.ts";
import { namesOf, rename, type Naming } from "../transactions/currency-names.ts";
import {
  compareRows,
  createHistory,
  type Axis,
  type History,
  type HistoryOptions,
  type StatusRow,
} from "./history.ts";
import { createRecordSource, recordBytesMax, type RecordSource, type Settlement } from "./records.ts";

/** Everything the aggregator knows: the seeded history, and what people did in this sandbox. */
export interface Ledger {
  readonly history: History;
  /** The ledger as it stands at that time: later statuses have not happened yet. */
  at(nowMs: number, naming?: Naming): LedgerView;
  settlementOf(index: number): Settlement;
}

/**
 * Rows are found in buckets: the slots of the history, and one more on each side for what people did outside its time.
 * Buckets follow each other in time; inside a bucket rows are sorted by `compareRows`.
 */
export interface LedgerView {
  readonly nowMs: number;
  /** All buckets that can hold a time of `[fromMs, toMs)`, and perhaps a few more; `null` is not a bound. */
  bucketsOf(range: { fromMs: number | null; toMs: number | null }): { first: number; last: number };
  /** The nearest bucket from here on, upwards or downwards, that can hold rows; ±Infinity when there is none. */
  bucketFrom(axis: Axis, bucket: number, direction: 1 | -1): number;
  /** The rows of a bucket: those whose status date lies in it, or all those of the transactions created in it. */
  rowsOf(axis: Axis, bucket: number): StatusRow[];
  rowsOfId(transactionId: string): StatusRow[];
  createdMs(row: StatusRow): number;
  recordOf(row: StatusRow): SandboxRecord;
  textOf(row: StatusRow): string;
  /** The same as bytes into `out`, which must have room for `roomFor(row)` of them; returns where they end. */
  write(row: StatusRow, out: Buffer, start: number): number;
  roomFor(row: StatusRow): number;
}

export interface LedgerOptions extends HistoryOptions {
  readonly apiKey: string;
  /** What people did; the same array until something changes. */
  readonly journal: { records(options: { now: number }): readonly SandboxRecord[] };
}

export function createLedger(options: LedgerOptions): Ledger {
  const history = createHistory(options);
  const sources = new Map<Naming, RecordSource>();
  const names = new Map<Naming, ReadonlyMap<string, string>>();
  const roomForOne = recordBytesMax + 2 * options.apiKey.length;
  const scratch = Buffer.allocUnsafe(roomForOne);
  const bucketOf = (ms: number) => Math.min(Math.max(history.slotOf(ms), -1), history.lastSlot + 1);
  let made = readJournal([], bucketOf);

  function namesIn(naming: Naming): ReadonlyMap<string, string> {
    let found = names.get(naming);
    if (!found) names.set(naming, (found = namesOf(options.world, naming)));
    return found;
  }

  function sourceIn(naming: Naming): RecordSource {
    let found = sources.get(naming);
    if (!found) {
      const { seed, apiKey } = options;
      sources.set(naming, (found = createRecordSource({ history, seed, apiKey, names: namesIn(naming) })));
    }
    return found;
  }

  return {
    history,
    settlementOf: (index) => sourceIn("code").settlementOf(index),
    at(nowMs, naming = "code") {
      const source = sourceIn(naming);
      const named = (record: SandboxRecord) => rename(record, namesIn(naming));
      const records = options.journal.records({ now: nowMs });
      // The journal hands out the same array until something changes.
      if (records !== made.records) made = readJournal(records, bucketOf);
      const journal = made;
      const hasHappened = (row: StatusRow) => row.dateMs <= nowMs;
      const merge = (rows: StatusRow[], more: readonly StatusRow[] | undefined) => {
        const last = rows.at(-1);
        const past = last === undefined || last.dateMs <= nowMs ? rows : rows.filter(hasHappened);
        return more === undefined ? past : [...past, ...more].toSorted(compareRows);
      };
      return {
        nowMs,
        bucketsOf: ({ fromMs, toMs }) => ({
          first: fromMs === null ? -1 : bucketOf(fromMs) - 1,
          // Rounding may move a time into the next slot, and a cluster's dates are earlier than its slots.
          last: bucketOf(Math.min(toMs ?? nowMs, nowMs) + options.clusterMs) + 1,
        }),
        bucketFrom(axis, bucket, direction) {
          let nearest = history.slotFrom(axis, bucket, direction);
          for (const other of journal[axis].keys()) {
            if (direction === 1 && other >= bucket && other < nearest) nearest = other;
            if (direction === -1 && other <= bucket && other > nearest) nearest = other;
          }
          return nearest;
        },
        rowsOf: (axis, bucket) =>
          merge(
            axis === "status" ? history.rowsOfSlot(bucket) : history.rowsOfTransaction(bucket),
            journal[axis].get(bucket),
          ),
        rowsOfId(transactionId) {
          const index = history.indexOfId(transactionId);
          if (index === null) return [...(journal.byId.get(transactionId) ?? [])];
          return history.rowsOfTransaction(index).filter(hasHappened);
        },
        createdMs: (row) =>
          row.index < 0
            ? (journal.byId.get(row.transactionId)?.[0]?.dateMs ?? row.dateMs)
            : history.transactionOf(row.index).createdMs,
        recordOf: (row) =>
          row.index < 0 ? named(recordAt(journal.records, row.step)) : source.recordOf(row),
        textOf(row) {
          if (row.index < 0) return writeRecord(named(recordAt(journal.records, row.step)));
          return scratch.toString("latin1", 0, source.write(row, scratch, 0));
        },
        write(row, out, start) {
          if (row.index >= 0) return source.write(row, out, start);
          return start + out.write(writeRecord(named(recordAt(journal.records, row.step))), start);
        },
        // People write anything into their references: up to 1,000 characters, and each may need six bytes in JSON.
        roomFor: (row) => (row.index < 0 ? roomForOne + journalBytesMax : roomForOne),
      };
    },
  };
}

const journalBytesMax = 12_288;

interface JournalRows {
  readonly records: readonly SandboxRecord[];
  readonly status: ReadonlyMap<number, StatusRow[]>;
  readonly creation: ReadonlyMap<number, StatusRow[]>;
  /** Oldest first. */
  readonly byId: ReadonlyMap<string, StatusRow[]>;
}

function readJournal(records: readonly SandboxRecord[], bucketOf: (ms: number) => number): JournalRows {
  const rows = records.map(({ transactionId, status, statusDate }, step): StatusRow => ({
    transactionId,
    dateMs: instantMs(statusDate as Instant),
    rank: statusRank(status),
    index: -1,
    step,
  }));
  const byId = groupBy(rows, (row) => row.transactionId);
  for (const group of byId.values()) group.sort(compareRows);
  return {
    records,
    status: groupBy(rows, (row) => bucketOf(row.dateMs)),
    creation: groupBy(rows, (row) => bucketOf(byId.get(row.transactionId)?.[0]?.dateMs ?? row.dateMs)),
    byId,
  };
}

function groupBy<T, Key>(things: readonly T[], keyOf: (thing: T) => Key): Map<Key, T[]> {
  const groups = new Map<Key, T[]>();
  for (const thing of things) {
    const key = keyOf(thing);
    const group = groups.get(key);
    if (group) group.push(thing);
    else groups.set(key, [thing]);
  }
  return groups;
}

function recordAt(records: readonly SandboxRecord[], at: number): SandboxRecord {
  const record = records[at];
  if (!record) throw new RangeError(`the journal has no record ${at}`);
  return record;
}
