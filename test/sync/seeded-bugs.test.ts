import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { tiedOut } from "../support/ledger-oracle.ts";
import { useTestDatabase } from "../support/test-database.ts";
import { type FrozenSandbox, startFrozenSandbox } from "../support/use-sync.ts";
import { mistakes, uncontrolled } from "./seeded-mistakes.ts";

const database = useTestDatabase();
let frozen: FrozenSandbox;

beforeAll(async () => {
  frozen = await startFrozenSandbox({ transactions: 80 });
});
afterAll(() => frozen.sandbox.close());

describe("every mistake is caught:", () => {
  test.each(mistakes)("%s", async (_, scenario, mistake) => {
    expect(await scenario({ db: database.db, frozen }, mistake)).not.toEqual(tiedOut);
  });

  test("there are more than twenty of them", () => {
    expect(new Set(mistakes.map(([name]) => name)).size).toBeGreaterThan(20);
  });
});

describe("without a mistake everything ties out, where", () => {
  const scenarios = new Map(mistakes.map(([name, scenario]) => [scenario, name]));
  const controlled = [...scenarios].filter(([scenario]) => !uncontrolled.has(scenario));

  test.each(controlled.map(([scenario, name]) => [name, scenario] as const))("%s", async (_, scenario) => {
    expect(await scenario({ db: database.db, frozen }, {})).toEqual(tiedOut);
  });
});
