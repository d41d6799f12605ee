import { hash32, mix32 } from "../world/random.ts";
import type { World } from "../world/types.ts";
import { createDistances, type Timing } from "./distances.ts";
import { createChooser } from "./fates.ts";
import { createLanes, laneCount, type Lane } from "./lanes.ts";
import { lifecycles, type Lifecycle } from "./lifecycles.ts";
import { memoByIndex } from "./memo.ts";
import { createIdCodec } from "./transaction-id.ts";

/**
 * The seeded history: transaction *i* is a pure function of (seed, i), and nothing is stored. Time is cut into as many
 * equal slots as there are transactions, transaction *i* is created in slot *i*, and every status of its lifecycle
 * comes a fixed number of slots later. So the rows of any slot are found by looking back at those distances, and a
 * page in the middle of ten million transactions costs what the first one costs.
 */
export interface History {
  readonly count: number;
  readonly fromMs: number;
  readonly slotMs: number;
  /** The last slot in which a row can lie; endless when transactions go on arriving. */
  readonly lastSlot: number;
  /** The slot of a time, give or take one: rounding may move a bound. */
  slotOf(ms: number): number;
  /** The nearest slot from here on, upwards or downwards, that can hold a row; ±Infinity when there is none. */
  slotFrom(axis: Axis, slot: number, direction: 1 | -1): number;
  /** The rows whose status falls into the slot, by (date, id, rank). */
  rowsOfSlot(slot: number): StatusRow[];
  /** All rows of one transaction in their order; empty when there is no such transaction. */
  rowsOfTransaction(index: number): StatusRow[];
  /** The transaction that an id belongs to; `null` for an id that is not of this history. */
  indexOfId(id: string): number | null;
  transactionOf(index: number): SeededTransaction;
  stepMs(transaction: SeededTransaction, step: number): number;
}

/** What all statuses of a transaction share. */
export interface SeededTransaction {
  readonly index: number;
  readonly transactionId: string;
  readonly createdMs: number;
  readonly lane: Lane;
  readonly lifecycle: Lifecycle;
  /** When each step of the lifecycle comes. */
  readonly timings: readonly Timing[];
}

/** Whether rows are found by their own date or by that of their transaction's creation. */
export type Axis = "status" | "creation";

/** One status of one transaction, before it is written out. */
export interface StatusRow {
  readonly transactionId: string;
  readonly dateMs: number;
  readonly rank: number;
  /** Number in the seeded history; −1 for a record of the journal. */
  readonly index: number;
  /** Position in the lifecycle, or in the journal. */
  readonly step: number;
}

export interface HistoryOptions {
  readonly world: World;
  /** Of this history alone; prices follow the world's. */
  readonly seed: string;
  readonly transactions: number;
  readonly fromMs: number;
  readonly toMs: number;
  /** Whether transactions go on arriving after `toMs`, at the same rate. */
  readonly live: boolean;
  /** Status dates are cut to multiples of this, so that many records share one millisecond; 1 leaves them alone. */
  readonly clusterMs: number;
}

/** A power of two: as many transactions as lie between the first status and the last at ten million in two years. */
const fatesKept = 131_072;

/** Wider ones would let two statuses of one word and one transaction share a date, and be one record. */
const clusterMsMax = 300_000;

export function createHistory({
  world,
  seed,
  transactions,
  fromMs,
  toMs,
  live,
  clusterMs,
}: HistoryOptions): History {
  if (!(clusterMs >= 1 && clusterMs <= clusterMsMax)) throw new RangeError(`clusters of ${clusterMs} ms`);
  const slotMs = Math.max(toMs - fromMs, 1) / Math.max(transactions, 1);
  const count = live && transactions > 0 ? Infinity : transactions;
  const lanes = createLanes(world, seed);
  const chooser = createChooser(lanes);
  const distances = createDistances(slotMs);
  const ids = createIdCodec(seed);
  const state = hash32(seed, "transaction");
  const jitter = hash32(seed, "jitter");

  const slotStart = (slot: number) => fromMs + Math.floor(slot * slotMs);
  const drawOf = (index: number) => mix32(state, index);

  // A page asks about every transaction at some fifty distances: what became of it is worked out once.
  const knownIndexes = new Float64Array(fatesKept).fill(-1);
  const knownFates = new Uint8Array(fatesKept);
  function fateOf(index: number): number {
    const at = index & (fatesKept - 1);
    if (knownIndexes[at] === index) return knownFates[at] as number;
    knownIndexes[at] = index;
    return (knownFates[at] = chooser.choose(drawOf(index)));
  }

  function timeOf(index: number, timing: Timing): number {
    const start = slotStart(index + timing.slots);
    const room = slotStart(index + timing.slots + 1) - start - timing.spanMs;
    // The steps that share a slot also share their luck, so that they keep their order and distance.
    const luck = mix32(jitter + timing.slots, index) / 0x1_0000_0000;
    const ms = start + Math.floor(luck * Math.max(room, 0)) + timing.withinMs;
    return clusterMs > 1 ? ms - (ms % clusterMs) : ms;
  }

  const transactionOf = memoByIndex((index): SeededTransaction => {
    const draw = drawOf(index);
    const fate = fateOf(index);
    const timings = distances.timings[fate] as readonly Timing[];
    const createdMs = timeOf(index, timings[0] as Timing);
    return {
      index,
      transactionId: ids.encode(index, createdMs),
      createdMs,
      lane: lanes[draw & (laneCount - 1)] as Lane,
      lifecycle: lifecycles[fate] as Lifecycle,
      timings,
    };
  });

  function stepMs({ index, timings, lifecycle }: SeededTransaction, step: number): number {
    const timing = timings[step];
    if (!timing) throw new RangeError(`a lifecycle that ends in ${lifecycle.outcome} has no step ${step}`);
    return timeOf(index, timing);
  }

  function rowOf(transaction: SeededTransaction, step: number): StatusRow {
    return {
      transactionId: transaction.transactionId,
      dateMs: stepMs(transaction, step),
      rank: transaction.lifecycle.ranks[step] as number,
      index: transaction.index,
      step,
    };
  }

  return {
    count,
    fromMs,
    slotMs,
    lastSlot: count - 1 + (distances.slots.at(-1) ?? 0),
    slotOf: (ms) => Math.floor((ms - fromMs) / slotMs),
    slotFrom(axis, slot, direction) {
      // After the last transaction rows are few and far between: each distance has a stretch of its own.
      if (slot >= 0 && slot < count) return slot;
      let nearest = direction * Infinity;
      if (count === 0) return nearest;
      for (const distance of axis === "creation" ? [0] : distances.slots) {
        if (direction === 1 && slot < distance + count) nearest = Math.min(nearest, Math.max(slot, distance));
        if (direction === -1 && slot >= distance)
          nearest = Math.max(nearest, Math.min(slot, distance + count - 1));
      }
      return nearest;
    },
    rowsOfSlot(slot) {
      const rows: StatusRow[] = [];
      // Before the first and after the last transaction only some distances lead to one.
      for (let at = firstAbove(distances.slots, slot - count); at < distances.slots.length; at++) {
        const index = slot - (distances.slots[at] as number);
        if (index < 0) break;
        const steps = distances.steps[at * lifecycles.length + fateOf(index)] as number;
        if (steps === 0) continue;
        const transaction = transactionOf(index);
        for (let step = 0; steps >> step !== 0; step++) {
          if ((steps >> step) & 1) insertInOrder(rows, rowOf(transaction, step));
        }
      }
      return rows;
    },
    rowsOfTransaction(index) {
      if (!(index >= 0 && index < count)) return [];
      const transaction = transactionOf(index);
      return transaction.lifecycle.steps.map((_, step) => rowOf(transaction, step));
    },
    indexOfId(id) {
      const found = ids.decode(id);
      if (!found || found.index >= count) return null;
      return transactionOf(found.index).createdMs === found.createdMs ? found.index : null;
    },
    transactionOf,
    stepMs,
  };
}

export function compareRows(a: StatusRow, b: StatusRow): number {
  if (a.dateMs !== b.dateMs) return a.dateMs - b.dateMs;
  if (a.transactionId !== b.transactionId) return a.transactionId < b.transactionId ? -1 : 1;
  return a.rank - b.rank || a.step - b.step;
}

/** A slot has a handful of rows: putting each in its place is cheaper than sorting them all afterwards. */
function insertInOrder(rows: StatusRow[], row: StatusRow): void {
  let at = rows.length;
  rows.push(row);
  for (; at > 0 && compareRows(rows[at - 1] as StatusRow, row) > 0; at--)
    rows[at] = rows[at - 1] as StatusRow;
  rows[at] = row;
}

function firstAbove(sorted: readonly number[], bound: number): number {
  let at = 0;
  while (at < sorted.length && (sorted[at] as number) <= bound) at++;
  return at;
}
