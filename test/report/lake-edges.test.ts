import assert from "node:assert";
import { expect, test } from "vitest";
import { partitionStatement, readColumns, readPartitions } from "../../src/report/lake/lake-sql.ts";
import { lakeTables } from "../../src/report/lake/tables.ts";
import { withSnapshot } from "../../src/store/exports/copy-report.ts";
import { useTestDatabase } from "../support/test-database.ts";
import { keepAccount, keepTransactions } from "./books.ts";

const database = useTestDatabase();

test("a date that stands for none, in the first month there is or the last, goes to the lake as well", async () => {
  const accountId = await keepAccount(database.db, "dateless");
  const dates = ["0001-01-01T00:00:00Z", "9999-12-31T23:59:59.999Z"];
  const records = dates.map((date) => ({ transaction_id: date, status_date: date }));
  await keepTransactions(database.db, accountId, records);
  const table = lakeTables.find(({ name }) => name === "transactions");
  assert(table);
  const found = await withSnapshot(database.db, { statementTimeoutMs: 60_000 }, async (snapshot) => {
    const columns = await readColumns(snapshot, table);
    const partitions = await readPartitions(snapshot, table, columns, null);
    const rows = [];
    for (const partition of partitions) {
      const { text, values } = partitionStatement(table, columns, partition, null);
      for (const row of await snapshot.query<{ transaction_id: string }>(text, [...values]))
        rows.push(`${partition.month}: ${row.transaction_id}`);
    }
    return rows;
  });
  expect(found).toEqual([`0001-01: ${dates[0]}`, `9999-12: ${dates[1]}`]);
});
