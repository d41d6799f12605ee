import { expect, test } from "vitest";
import { lineStatuses, movedMoney } from "../../src/core/statement-line.ts";
import { parseProfile } from "../../src/reconcile/statement/own-profiles.ts";
import { importStatement } from "../../src/reconcile/statement/import-statement.ts";
import { reconcileInside } from "../../src/reconcile/reconcile.ts";
import { readFirstRows } from "../../src/report/first-rows.ts";
import { requestFor, seesAll } from "../report/books.ts";
import { rowsOf } from "../report/claims.ts";
import { useTestDatabase } from "../support/test-database.ts";
import { addRecords, type Books, discrepanciesOf, openBooks } from "./books.ts";
import { textSource } from "./statement/import-for-test.ts";

/** Exports of orders list those that failed, or are not paid yet, with the amounts that they would have had. */
const database = useTestDatabase();

async function take(books: Books, model: "gross" | "commission", csv: string): Promise<void> {
  const own = parseProfile({ name: "own", version: 1, extends: "generic", provider: "moonpay", model });
  const { rejects } = await importStatement(
    { database: books.db, profiles: [own], afterLines: reconcileInside },
    textSource("march.csv", csv),
    {
      account: { id: books.accountId, name: books.name },
      provider: "moonpay",
      profileName: null,
      generatedAt: null,
      periodFrom: null,
      periodTo: null,
      replaces: null,
      acceptReason: null,
      actor: "test",
    },
  );
  expect(rejects).toEqual([]);
}

const header =
  "provider_transaction_id,line_type,status,side,fiat_currency,fiat_gross,fee_processing,fee_partner,asset,crypto_amount,net_amount,payout_ref,payout_currency,payout_amount,effective_at";
const order = (id: string, status: string, owed = "") =>
  `mp-${id},charge,${status},buy,EUR,100,2,1,btc,0.002,${owed},P1,,,2026-03-10T12:01:00Z`;
const payout = (net: string) => `P1,payout,settled,,,,,,,,,P1,EUR,${net},2026-03-20T00:00:00Z`;
const fileOf = (...rows: string[]) => [header, ...rows, ""].join("\n");
const month = { to: "2026-04-01" };

async function itemisedSum(books: Books, column: string) {
  const request = requestFor("itemised", { account: [books.name] });
  const options = { linesMax: 10, signal: new AbortController().signal };
  const { totals } = await readFirstRows(database.db, request, seesAll, options);
  return totals.sums.find((sum) => sum.column === column);
}

test.each([
  ["gross", "97", { gross: "100", fees: "3", commissions: "0" }],
  ["commission", "1", { gross: "0", fees: "0", commissions: "1" }],
] as const)(
  "add nothing to what is owed by a provider paid by %s, nor to its payout",
  async (model, net, steps) => {
    const books = await openBooks(database.db);
    await addRecords(books, [{ id: "A" }, { id: "B", status: "failed" }]);
    const others = ["canceled", "expired", "created", "awaiting_payment", "processing"];
    const csv = fileOf(
      order("A", "settled"),
      order("B", "failed"),
      ...others.map((status) => order(status, status)),
      payout(net),
    );
    await take(books, model, csv);
    expect(await discrepanciesOf(books)).toEqual([]);
    expect(await rowsOf(books, "receivable", month)).toMatchObject([
      { earned: net, paid_out: net, closing: "0" },
    ]);
    expect(await rowsOf(books, "payout-reconciliation", {})).toMatchObject([
      { ...steps, net_computed: net, difference: "0", status: "tied" },
    ]);
    expect(await itemisedSum(books, "line_gross")).toMatchObject({ sum: "100" });
    expect(await itemisedSum(books, "line_net")).toMatchObject({ sum: net });
  },
);

test("count as soon as a later file says that they were paid, and for what a row says itself is owed", async () => {
  const books = await openBooks(database.db);
  await addRecords(books, [{ id: "A" }, { id: "B", status: "failed" }]);
  await take(books, "gross", fileOf(order("A", "processing"), order("B", "failed", "-0.25")));
  expect(await rowsOf(books, "receivable", month)).toMatchObject([{ closing: "-0.25" }]);
  await take(books, "gross", fileOf(order("A", "settled")));
  expect(await rowsOf(books, "receivable", month)).toMatchObject([{ closing: "96.75" }]);
});

test("a fee that stands in the column of amounts is not a gross", async () => {
  const books = await openBooks(database.db);
  await addRecords(books, [{ id: "A" }]);
  const fee = (amounts: string) => `,fee,settled,,EUR,${amounts},,,,,P1,,,2026-03-11T00:00:00Z`;
  await take(
    books,
    "gross",
    fileOf(order("A", "settled"), fee("2.50,"), fee("-4,"), fee(",1.5"), payout("89")),
  );
  expect(await rowsOf(books, "payout-reconciliation", {})).toMatchObject([
    { gross: "100", fees: "11", net_computed: "89", status: "tied" },
  ]);
  expect(await itemisedSum(books, "line_gross")).toMatchObject({ sum: "100" });
  expect(await itemisedSum(books, "line_net")).toMatchObject({ sum: "89" });
});

test("are told by the same statuses everywhere", async () => {
  const rows = await database.db.query<{ status: string }>(
    "select status from unnest($1::text[]) as s (status) where tieout.moved_money(status)",
    [lineStatuses],
  );
  expect(rows.map(({ status }) => status)).toEqual(lineStatuses.filter(movedMoney));
});
