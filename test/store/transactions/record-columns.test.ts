import { getTableColumns } from "drizzle-orm";
import { expect, test } from "vitest";
import { canonicaliseJson, emptyObject } from "../../../src/core/canonical-json.ts";
import { recordFields } from "../../../src/core/record-fields.ts";
import { recordHash } from "../../../src/core/record-hash.ts";
import { transactions, transactionStatuses } from "../../../src/store/schema/transactions.ts";
import { rebuildTransactions } from "../../../src/store/transactions/rebuild.ts";
import { postgresTypes } from "../../../src/store/transactions/record-columns.ts";
import { readStatusRows, type StatusRow } from "../../../src/store/transactions/status-rows.ts";
import { anAccount, aRecord, instant, keep } from "../../api/some-records.ts";
import { useTestDatabase } from "../../support/test-database.ts";

const database = useTestDatabase();
const fields = Object.entries(recordFields);

test.each([
  ["transactions", transactions],
  ["transaction_statuses", transactionStatuses],
])("the schema of %s has each field of a record, by its name and type", (_, table) => {
  const found = Object.entries(getTableColumns(table))
    .filter(([name]) => name in recordFields)
    .map(([name, column]) => ({
      name,
      column: column.name,
      type: column.getSQLType().replace("timestamp with time zone", "timestamptz"),
      required: column.notNull,
    }));
  const expected = fields.map(([name, { column, type, required }]) => ({
    name,
    column,
    type: postgresTypes[type],
    required,
  }));
  const byName = (a: { name: string }, b: { name: string }) => (a.name < b.name ? -1 : 1);
  expect(found.toSorted(byName)).toEqual(expected.toSorted(byName));
});

test.each(["transactions", "transaction_statuses"])("so has the table %s in the database", async (table) => {
  const columns = await database.db.query<{ column: string; type: string; required: boolean }>(
    `select attname as column, replace(format_type(atttypid, atttypmod), 'timestamp with time zone', 'timestamptz') as type,
            attnotnull as required
     from pg_attribute
     where attrelid = ('tieout.' || $1)::regclass and attname = any ($2)
     order by attname`,
    [table, fields.map(([, { column }]) => column)],
  );
  const expected = fields.map(([, { column, type, required }]) => ({
    column,
    type: postgresTypes[type],
    required,
  }));
  expect(columns).toEqual(expected.toSorted((a, b) => (a.column < b.column ? -1 : 1)));
});

test("a record is read back as it was kept, with every digit and every null", async () => {
  const accountId = await anAccount(database.db, "read back");
  const extra = canonicaliseJson('{"b":1.000000000000000000001,"a":null}') ?? emptyObject;
  const records = [
    aRecord(1, { statusDate: instant("2026-03-01T00:01:00.012345Z"), extra }),
    aRecord(2, { statusDate: instant("2026-03-01T00:02:00Z"), transactionHash: "" }),
    aRecord(3, { transactionType: null, provider: null, inAmount: null, outAmount: null, apiKey: null }),
  ];
  await keep(database.db, accountId, records);
  const rows: StatusRow[] = [];
  await readStatusRows(database.db, {}, (batch) => rows.push(...batch));
  expect(rows.map(({ record }) => record)).toEqual(records);
  expect(rows.map((row) => row.recordHash)).toEqual(records.map(recordHash));
});

test("a rebuild mends whichever column of a latest row is wrong", async () => {
  const accountId = await anAccount(database.db, "rebuild");
  await keep(database.db, accountId, [aRecord(4, { extra: canonicaliseJson('{"a":1}') ?? emptyObject })]);
  const read = () =>
    database.db.query(
      "select t.*, null as last_changed_at from tieout.transactions as t where account_id = $1",
      [accountId],
    );
  const before = await read();
  const wrong = {
    text: "'wrong'",
    instant: "'2020-01-01T00:00:00Z'",
    decimal: "77",
    json: "'{}'",
    sha256: "sha256('wrong')",
    smallint: "9",
  };
  for (const [name, { column, type }] of fields) {
    if (name === "transactionId") continue;
    await database.db.query(
      `update tieout.transactions set ${column} = ${wrong[type]} where account_id = $1`,
      [accountId],
    );
    expect(await read(), column).not.toEqual(before);
    expect(await rebuildTransactions(database.db), column).toMatchObject({ mended: 1, removed: 0 });
    expect(await read(), column).toEqual(before);
  }
});
