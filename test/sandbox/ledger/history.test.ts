import { assert, integer, nat, property } from "fast-check";
import { describe, expect, test } from "vitest";
import { createHistory, type History, type StatusRow } from "../../../src/sandbox/ledger/history.ts";
import { createIdCodec } from "../../../src/sandbox/ledger/transaction-id.ts";
import { afterAllMs, DAY, fromMs, historyOptions, toMs } from "./a-ledger.ts";

/** A slot of half an hour, of a second, and of less than a millisecond. */
const histories: [string, History][] = [
  ["few transactions", createHistory(historyOptions({ transactions: 300 }))],
  ["many transactions", createHistory(historyOptions({ transactions: 1500, toMs: fromMs + 1500_000 }))],
  [
    "more transactions than milliseconds",
    createHistory(historyOptions({ transactions: 900, toMs: fromMs + 300 })),
  ],
  ["dates in clusters", createHistory(historyOptions({ transactions: 300, clusterMs: 60_000 }))],
];

describe.each(histories)("with %s", (_, history) => {
  test("every status of every transaction lies in exactly one slot", () => {
    const bySlot = allRows(history);
    const byTransaction = Array.from({ length: history.count }, (__, i) =>
      history.rowsOfTransaction(i),
    ).flat();
    expect(bySlot.map(keyOf).toSorted()).toEqual(byTransaction.map(keyOf).toSorted());
    expect(new Set(bySlot.map(keyOf)).size).toBe(bySlot.length);
  });

  test("dates never go back from one slot to the next, nor within one", () => {
    const dates = allRows(history).map((row) => row.dateMs);
    expect(dates).toEqual(dates.toSorted((a, b) => a - b));
  });

  test("the statuses of a transaction are in their order", () => {
    for (let index = 0; index < history.count; index++) {
      const dates = history.rowsOfTransaction(index).map((row) => row.dateMs);
      expect(dates).toEqual(dates.toSorted((a, b) => a - b));
    }
  });

  test("an id leads back to its transaction", () => {
    for (let index = 0; index < history.count; index++) {
      const { transactionId } = history.transactionOf(index);
      expect(history.indexOfId(transactionId)).toBe(index);
    }
  });
});

test("stretches without rows are stepped over, in both directions", () => {
  const history = createHistory(historyOptions({ transactions: 900, toMs: fromMs + 300 }));
  const upwards: number[] = [];
  for (
    let slot = history.slotFrom("status", 0, 1);
    slot < Infinity;
    slot = history.slotFrom("status", slot + 1, 1)
  ) {
    upwards.push(slot);
  }
  const downwards: number[] = [];
  for (let slot = history.lastSlot; slot >= 0; slot = history.slotFrom("status", slot - 1, -1))
    downwards.push(slot);
  expect(downwards.toReversed()).toEqual(upwards);
  expect(upwards.length).toBeLessThan(900 * 80);
  expect(upwards.at(-1)).toBe(history.lastSlot);
  expect(history.slotFrom("creation", 900, 1)).toBe(Infinity);
  expect(history.slotFrom("creation", 5000, -1)).toBe(899);
});

test("the same seed gives the same rows, in whatever order they are asked for", () => {
  const forwards = createHistory(historyOptions());
  const backwards = createHistory(historyOptions());
  const slots = [0, 1, 7, 500, 501, 1999, 2000, 2300];
  const asked = slots.toReversed().map((slot) => backwards.rowsOfSlot(slot));
  expect(asked.toReversed()).toEqual(slots.map((slot) => forwards.rowsOfSlot(slot)));
  expect(asked.flat().length).toBeGreaterThan(10);
});

test("another seed gives other rows", () => {
  const one = createHistory(historyOptions());
  const other = createHistory(historyOptions({ seed: "another" }));
  expect(one.rowsOfSlot(500)).not.toEqual(other.rowsOfSlot(500));
});

test("a transaction is created in its own slot, and its id says when", () => {
  const history = createHistory(historyOptions());
  for (const index of [0, 1, 999, 1999]) {
    const { transactionId, createdMs } = history.transactionOf(index);
    expect(Math.floor((createdMs - fromMs) / history.slotMs)).toBe(index);
    expect(ulidTime(transactionId)).toBe(createdMs);
  }
});

test("clusters put several records into one millisecond, on whole minutes", () => {
  const history = createHistory(
    historyOptions({ transactions: 5000, toMs: fromMs + DAY, clusterMs: 60_000 }),
  );
  const dates = allRows(history).map((row) => row.dateMs);
  expect(dates.every((ms) => ms % 60_000 === 0)).toBe(true);
  expect(dates.length / new Set(dates).size).toBeGreaterThan(5);
});

test("a history that goes on has transactions after its end, at the same rate", () => {
  const history = createHistory(historyOptions({ live: true }));
  const ended = createHistory(historyOptions());
  const later = history.slotOf(afterAllMs);
  expect(history.rowsOfTransaction(later)).not.toEqual([]);
  expect(ended.rowsOfTransaction(later)).toEqual([]);
  expect(history.rowsOfSlot(500)).toEqual(ended.rowsOfSlot(500));
});

test("an empty history has no rows and no transactions", () => {
  const history = createHistory(historyOptions({ transactions: 0, live: true }));
  expect(history.rowsOfSlot(0)).toEqual([]);
  expect(history.rowsOfTransaction(0)).toEqual([]);
});

test("all ways a transaction can end occur", () => {
  const history = createHistory(historyOptions({ transactions: 20_000 }));
  const outcomes = Array.from(
    { length: 20_000 },
    (_, index) => history.transactionOf(index).lifecycle.outcome,
  );
  expect(new Set(outcomes).size).toBe(13);
  expect(outcomes.filter((each) => each === "completed").length).toBeGreaterThan(20_000 * 0.6);
});

describe("ids", () => {
  const codec = createIdCodec("seed");

  test("are ULIDs that carry any number and time", () => {
    assert(
      property(nat(2 ** 31), integer({ min: 0, max: 2 ** 45 }), (index, createdMs) => {
        const id = codec.encode(index, createdMs);
        expect(id).toMatch(/^[0-7][0-9A-HJKMNP-TV-Z]{25}$/);
        expect(codec.decode(id)).toEqual({ index, createdMs });
      }),
    );
    expect(codec.decode(codec.encode(2 ** 40 - 1, toMs))).toEqual({ index: 2 ** 40 - 1, createdMs: toMs });
  });

  test("that were changed in one letter, or come from another seed, belong to nothing", () => {
    const id = codec.encode(77, toMs);
    for (let at = 10; at < 26; at++) {
      const letter = id.charAt(at) === "7" ? "8" : "7";
      expect(codec.decode(id.slice(0, at) + letter + id.slice(at + 1))).toBeNull();
    }
    expect(createIdCodec("other").decode(id)).toBeNull();
    expect(codec.decode(id.toLowerCase())).toBeNull();
    expect(codec.decode("")).toBeNull();
  });

  test("of another time belong to nothing", () => {
    const history = createHistory(historyOptions());
    const { transactionId } = history.transactionOf(5);
    const last = transactionId.charAt(9);
    const changed = `${transactionId.slice(0, 9)}${last === "0" ? "1" : "0"}${transactionId.slice(10)}`;
    expect(history.indexOfId(changed)).toBeNull();
  });
});

function allRows(history: History): StatusRow[] {
  const rows: StatusRow[] = [];
  const next = (slot: number) => history.slotFrom("status", slot, 1);
  for (let slot = next(0); slot <= history.lastSlot; slot = next(slot + 1))
    rows.push(...history.rowsOfSlot(slot));
  return rows;
}

function keyOf({ transactionId, step, dateMs }: StatusRow): string {
  return `${transactionId} ${step} ${dateMs}`;
}

function ulidTime(id: string): number {
  const letters = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
  return Array.from(id.slice(0, 10), (letter) => letters.indexOf(letter)).reduce(
    (time, digit) => time * 32 + digit,
    0,
  );
}
