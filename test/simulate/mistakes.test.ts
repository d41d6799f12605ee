import { describe, expect, test } from "vitest";
import { mistakes } from "./mistakes.ts";
import { useSimulation } from "./use-simulation.ts";

const run = useSimulation();

/** The first seed that finds each; `npm run simulate -- --mistakes` looks for them again when worlds have changed. */
const foundBy: Readonly<Record<string, number>> = {};

describe("the simulation finds", () => {
  test.each(Object.entries(foundBy))("%s, with seed %d", async (mistake, seed) => {
    const { findings } = await run(seed, mistake);
    expect(findings.length).toBeGreaterThan(0);
  });

  test("every mistake there is, within 500 seeds", () => {
    expect(Object.keys(foundBy).toSorted()).toEqual([...mistakes.keys()].toSorted());
    expect(Math.max(...Object.values(foundBy))).toBeLessThanOrEqual(500);
  });
});

describe("and without a mistake nothing is found", () => {
  test.each([...new Set(Object.values(foundBy))])("with seed %d", async (seed) => {
    expect((await run(seed)).findings).toEqual([]);
  });
});
