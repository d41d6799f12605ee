import { describe, expect, test } from "vitest";
import { mistakes } from "./mistakes.ts";
import { seeds } from "./seeds.ts";
import { useSimulation } from "./use-simulation.ts";

const run = useSimulation();

/** The first seed that finds each; `npm run simulate -- --mistakes` looks for them again when worlds have changed. */
const foundBy: Readonly<Record<string, number>> = {
  "an empty page is taken as the end": 1,
  "the bounds are not padded": 2,
  "a worker that lost its lease writes all the same": 19,
  "the latest row is the one that arrived last": 1,
  "the cursor is kept before the rows": 29,
  "nobody looks back": 4,
  "a split leaves out a millisecond": 1,
  "records with one status are dropped": 3,
  "the quarantine takes a neighbour along": 1,
  "a page that failed is not asked for again": 6,
  "nobody looks at the aggregator's clock": 3,
  "the plan has no lag": 9,
  "a cursor that is refused is taken as the end": 1,
  "open transactions are never asked for again": 8,
  "what cannot be understood is dropped": 1,
  "a window is sealed by a worker that lost it": 16,
};

describe("the simulation finds", () => {
  test.each(Object.entries(foundBy))("%s, with seed %d", async (mistake, seed) => {
    const { findings } = await run(seed, mistake);
    expect(findings.length).toBeGreaterThan(0);
  });

  test("every mistake there is, by seeds that simulate.test.ts runs without one and finds nothing", () => {
    expect(Object.keys(foundBy).toSorted()).toEqual([...mistakes.keys()].toSorted());
    expect(Object.values(foundBy).filter((seed) => !seeds.includes(seed))).toEqual([]);
  });
});
