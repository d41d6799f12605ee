import { expect, test } from "vitest";
import { useTestDatabase } from "../../support/test-database.ts";
import { aProfile, linesInForce, openBench } from "./import-for-test.ts";

const database = useTestDatabase();

/** A ledger whose last column is a running balance, of which only the rows that are called so state one. */
const ledger = aProfile({
  columns: {
    provider_transaction_id: "id",
    line_type: "entry",
    fiat_currency: "currency",
    net_amount: "amount",
    balance: "balance",
    effective_at: "time",
  },
  required: ["provider_transaction_id", "line_type", "net_amount", "effective_at"],
  line_types: { share: "commission", "balance brought forward": "balance", "Closing Balance": "balance" },
});
const header = "id,entry,currency,amount,balance,time\n";

test("a row of a ledger that is called a balance states one, and the last is the file's", async () => {
  const bench = await openBench(database.db, "ledger");
  const { statement } = await bench.import(
    "ledger.csv",
    `${header},closing balance,EUR,0.00,7.50,2026-04-01T00:00:00Z
,Balance brought forward,EUR,,5,2026-03-01T00:00:00Z
S-1,share,EUR,2.5,7.5,2026-03-09T00:00:00Z
`,
    { profiles: [ledger] },
  );
  expect(statement.totals).toEqual([
    expect.objectContaining({ line_type: "balance", lines: 2, net: "7.5" }),
    expect.objectContaining({ line_type: "commission", lines: 1, net: "2.5" }),
  ]);
  // The period of the file is that of what happened in it.
  expect(statement.periodFrom).toMatch(/^2026-03-09/);
  expect(await linesInForce(database.db, "ledger")).toMatchObject([
    {
      line_key: "balance|2026-03-01T00:00:00.000Z|EUR",
      line_type: "balance",
      net_amount: "5",
      class: "excluded",
    },
    {
      line_key: "balance|2026-04-01T00:00:00.000Z|EUR",
      line_type: "balance",
      net_amount: "7.5",
      class: "matched",
    },
    { line_type: "commission", net_amount: "2.5" },
  ]);
});

test("without a column of its own, a balance is read where the row states its amount", async () => {
  const bench = await openBench(database.db, "no column");
  const given = { profiles: [aProfile({ ...ledger, columns: { ...ledger.columns, balance: "left over" } })] };
  await bench.import("ledger.csv", `${header},closing balance,EUR,-3,,2026-04-01T00:00:00Z\n`, given);
  expect(await linesInForce(database.db, "no column")).toMatchObject([
    { line_type: "balance", net_amount: "-3" },
  ]);
});

test.each([
  ["no amount", ",closing balance,EUR,,,2026-04-01T00:00:00Z", "balance"],
  ["no currency", ",closing balance,,5,,2026-04-01T00:00:00Z", "net_currency"],
  ["no time", ",closing balance,EUR,5,,", "effective_at"],
])("a balance with %s is rejected, and says so", async (what, row, field) => {
  const bench = await openBench(database.db, what);
  const { rejects } = await bench.preview("ledger.csv", `${header}${row}\n`, { profiles: [ledger] });
  expect(rejects).toMatchObject([{ lineNo: 2, code: "row_unparseable", field }]);
});
