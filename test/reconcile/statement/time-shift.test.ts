import { expect, test } from "vitest";
import { importStatement, previewStatement } from "../../../src/reconcile/statement/import-statement.ts";
import { useTestDatabase } from "../../support/test-database.ts";
import { addRecords, openBooks } from "../books.ts";
import { aProfile, textSource } from "./import-for-test.ts";

const database = useTestDatabase();
const pattern = { format: "YYYY-MM-DD HH:mm:ss", zone: "UTC" };

/** Orders completed at these times, and the times that the file prints for them. */
async function previewOf(times: readonly (readonly [record: string, printed: string])[], time = pattern) {
  const books = await openBooks(database.db);
  await addRecords(
    books,
    times.map(([at], index) => ({
      id: `T${index}`,
      onramp: "testpay",
      onrampTransactionId: `O-${index}`,
      at,
    })),
  );
  const rows = times.map(([, printed], index) => `O-${index},done,EUR,100,${printed}`);
  const file = textSource("x.csv", `id,status,currency,amount,time\n${rows.join("\n")}\n`);
  const request = {
    account: { id: books.accountId, name: books.name },
    provider: null,
    profileName: null,
    generatedAt: null,
    periodFrom: null,
    periodTo: null,
    replaces: null,
    acceptReason: null,
    actor: "test",
  };
  const deps = { database: database.db, profiles: [aProfile({ time })] };
  const preview = await previewStatement(deps, file, request);
  const imported = await importStatement(deps, file, request);
  const shifts = [preview, imported].map(({ statement }) =>
    (statement.warnings as { code: string; message: string }[]).filter(
      ({ code }) => code === "times_shifted",
    ),
  );
  expect(shifts[0]).toEqual(shifts[1]);
  return shifts[0]?.map(({ message }) => message);
}

test("a file in Sydney's time, read as UTC, is noticed in its preview, and Sydney is proposed", async () => {
  expect(
    await previewOf([
      ["2026-03-10T12:00:00.000Z", "2026-03-10 23:00:40"],
      ["2026-03-11T14:30:00.000Z", "2026-03-12 01:31:10"],
      ["2026-04-20T02:00:00.000Z", "2026-04-20 12:00:05"],
      ["2026-03-12T00:10:00.000Z", "2026-03-12 11:10:00"],
    ]),
  ).toEqual([
    '4 lines that we know are 11:00 h later than our records, all alike; they were read in UTC, and agree in Australia/Sydney: import with a profile that says "time": {"format": "YYYY-MM-DD HH:mm:ss", "zone": "Australia/Sydney"}',
  ]);
});

test("a file whose zone is right, or whose lines are late by different times, is not", async () => {
  expect(
    await previewOf([
      ["2026-03-10T12:00:00.000Z", "2026-03-10 12:02:00"],
      ["2026-03-11T14:30:00.000Z", "2026-03-11 14:30:10"],
      ["2026-03-12T14:30:00.000Z", "2026-03-12 14:35:00"],
    ]),
  ).toEqual([]);
  expect(
    await previewOf([
      ["2026-03-10T12:00:00.000Z", "2026-03-12 04:00:00"],
      ["2026-03-11T14:30:00.000Z", "2026-03-11 19:00:10"],
      ["2026-03-12T14:30:00.000Z", "2026-03-13 01:35:00"],
    ]),
  ).toEqual([]);
});

test("times that state their zone and are all off are the provider's to explain", async () => {
  const times = ["10", "11", "12"].map(
    (day) => [`2026-03-${day}T12:00:00.000Z`, `2026-03-${day}T07:00:00Z`] as const,
  );
  expect(await previewOf(times, { format: "iso", zone: "UTC" })).toEqual([
    "3 lines that we know are 5:00 h earlier than our records, all alike: ask the provider which zone its times are in",
  ]);
});
