import { expect, test } from "vitest";
import { readStatusRows, type StatusRow } from "../../../src/store/transactions/status-rows.ts";
import { anAccount, aRecord, instant, keep } from "../../api/some-records.ts";
import { useTestDatabase } from "../../support/test-database.ts";

const database = useTestDatabase();

test("every status row of a period comes once, in batches, from all months and accounts", async () => {
  const accountId = await anAccount(database.db, "many");
  const other = await anAccount(database.db, "few");
  const dates = ["2026-02-28T23:59:59.999999Z", "2026-03-01T00:00:00Z"];
  const records = Array.from({ length: 6_000 }, (_, n) =>
    aRecord(n, { statusDate: instant(dates[n % dates.length] ?? "") }),
  );
  await keep(database.db, accountId, records);
  await keep(database.db, other, records.slice(0, 2));

  const batches: StatusRow[][] = [];
  await readStatusRows(database.db, {}, (rows) => batches.push([...rows]));
  expect(batches.map(({ length }) => length)).toEqual([5_000, 1_002]);
  const name = (account: number, transactionId: string) => `${account} ${transactionId}`;
  expect(
    batches
      .flat()
      .map((row) => name(row.accountId, row.record.transactionId))
      .toSorted(),
  ).toEqual(
    [
      ...records.map(({ transactionId }) => name(accountId, transactionId)),
      ...records.slice(0, 2).map(({ transactionId }) => name(other, transactionId)),
    ].toSorted(),
  );
  const count = async (period: { from?: string; to?: string }) => {
    let rows = 0;
    await readStatusRows(database.db, period, (batch) => (rows += batch.length));
    return rows;
  };
  expect(await count({ from: "2026-03-01" })).toBe(3_001);
  expect(await count({ to: "2026-03-01" })).toBe(3_001);
  expect(await count({ from: "2026-03-01", to: "2026-03-01" })).toBe(0);
});
