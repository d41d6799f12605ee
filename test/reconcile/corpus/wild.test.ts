import { expect, test } from "vitest";
import { useTestDatabase } from "../../support/test-database.ts";
import { runWild } from "./run-wild.ts";

const database = useTestDatabase();

test("layouts that no profile was written from, corrected, overlapping and replaced: codes, money, classes, payouts and traces", async () => {
  const result = await runWild(database.db, {
    transactions: 2_500,
    fromMs: Date.UTC(2026, 3, 1),
    toMs: Date.UTC(2026, 5, 1),
    seed: "wild",
    rates: "all=0.02",
  });
  const { scores, money, wrongTraces, wrongPayouts, wrongClasses, lines, traced, payouts } = result;
  const imperfect = scores.filter(({ precision, recall }) => precision < 1 || recall < 1);
  expect({ imperfect, money: money.wrong, wrongTraces, wrongPayouts, wrongClasses }).toEqual({
    imperfect: [],
    money: [],
    wrongTraces: [],
    wrongPayouts: [],
    wrongClasses: [],
  });
  // Paid in a coin, and found by nothing but the hash.
  expect(result.chain).toMatchObject({ falseMatches: 0, missedMatches: 0, money: { wrong: [] } });
  expect(result.chain.scores.filter(({ precision, recall }) => precision < 1 || recall < 1)).toEqual([]);
  expect(result.chain.matches).toBeGreaterThan(10);
  expect(money.compared).toBeGreaterThan(20);
  expect([lines, traced, payouts].every((count) => count > 100)).toBe(true);
});
