import { beforeAll, describe, expect, test } from "vitest";
import { reconcileAccount } from "../../src/reconcile/reconcile.ts";
import { addRecords, addStatement, type Books, openBooks } from "../reconcile/books.ts";
import { useTestDatabase } from "../support/test-database.ts";
import { parseCsv, readReport, requestFor } from "./books.ts";

const database = useTestDatabase();
let books: Books;
/** Before anything was imported, and before the rest of the month was read. */
let empty = "";
let halfRead = "";

/**
 * March, read up to the 20th: A is paid out at the end of the month, B in no payout, C adds nothing, D is settled by a line of
 * the 28th; a fee goes into the payout, and a refund of the 22nd names an order that has not been read yet.
 */
beforeAll(async () => {
  books = await openBooks(database.db, { readTo: "2026-03-20T00:00:00Z" });
  await addRecords(books, [{ id: "A" }, { id: "B" }, { id: "C" }, { id: "D" }]);
  empty = await now();
  await addStatement(books, {
    lines: [
      { of: "A", net_amount: "1.25", payout_ref: "P1" },
      { of: "B", net_amount: "2" },
      { of: "C" },
      { of: "D", effective_at: "2026-03-28T00:00:00Z", net_amount: "1" },
      { key: "fee", type: "fee", net_amount: "-0.25", fee_total: null, payout_ref: "P1" },
      { of: "E", type: "refund", effective_at: "2026-03-22T00:00:00Z" },
      { key: "p", type: "payout", payout_ref: "P1", net_amount: "1", effective_at: "2026-03-31T00:00:00Z" },
      { key: "q", type: "payout", payout_ref: "P2", net_amount: "0", effective_at: "2026-03-31T00:00:00Z" },
    ],
  });
  await reconcileAccount(database.db, books.accountId);
  halfRead = await now();
});

describe("what a line waits for", () => {
  test("at a cut-off between the line and its payout", async () => {
    expect(await itemised({ as_at: ["2026-03-25"] })).toEqual([
      "2 charge matched in_transit_at_cutoff",
      "3 charge matched awaiting_payout",
      "4 charge matched ",
      "6 fee pending in_transit_at_cutoff",
      "7 refund pending awaiting_records",
    ]);
  });

  test("after the payout, and when what was never paid out is late", async () => {
    expect(await itemised({ as_at: ["2026-04-02"] })).toEqual([
      "2 charge matched ",
      "3 charge matched awaiting_payout",
      "4 charge matched ",
      "5 charge matched awaiting_payout",
      "6 fee matched ",
      "7 refund pending awaiting_records",
      "8 payout matched ",
      "9 payout matched ",
    ]);
    const late = await itemised({ as_at: ["2026-05-02"] });
    expect(late.slice(0, 4)).toEqual([
      "2 charge matched ",
      "3 charge matched ",
      "4 charge matched ",
      "5 charge matched ",
    ]);
  });

  test("is records no longer once its time has been read; what was known before stays", async () => {
    await database.db.query(
      `insert into tieout.sync_windows (account_id, kind, range_from, range_to, state, sealed_at, ended_by)
       values ($1, 'live', '2026-03-20', '2026-04-10', 'sealed', clock_timestamp(), 'absent')`,
      [books.accountId],
    );
    await database.db.query(
      `update tieout.accounts set covered = covered + '{[2026-03-20,2026-04-10)}'::tstzmultirange where id = $1`,
      [books.accountId],
    );
    await reconcileAccount(database.db, books.accountId);
    const refund = async (given: Record<string, string[]>) =>
      (await itemised({ as_at: ["2026-03-25"], ...given })).find((row) => row.includes("refund"));
    expect(await refund({})).toBe("7 refund discrepant ");
    expect(await refund({ known_at: [halfRead] })).toBe("7 refund pending awaiting_records");
  });
});

describe("what a transaction waits for", () => {
  test("is the cut-off where its line is known and dated later, and the statement where it is not known", async () => {
    const unsettled = async (given: Record<string, string[]>) => {
      const columns = ["transaction_id,class,pending_code"];
      const question = { account: [books.name], as_at: ["2026-03-25"], partial: ["true"], columns, ...given };
      return parseCsv(await readReport(database.db, requestFor("unsettled", question))).map(
        (row) => `${row["transaction_id"]} ${row["class"]} ${row["pending_code"]}`,
      );
    };
    expect(await unsettled({})).toEqual(["D pending in_transit_at_cutoff"]);
    expect(await unsettled({ known_at: [empty] })).toEqual(
      ["A", "B", "C", "D"].map((id) => `${id} pending awaiting_statement`),
    );
    expect(await unsettled({ as_at: ["2026-03-29"] })).toEqual([]);
  });
});

test("the view says the same as the report, of payouts to come too", async () => {
  const later = await openBooks(database.db);
  await addRecords(later, [{ id: "F" }, { id: "G" }]);
  const coming = { type: "payout" as const, net_amount: "1", effective_at: "2999-01-01T00:00:00Z" };
  await addStatement(later, { lines: [{ of: "F", net_amount: "1", payout_ref: "P8" }] });
  await addStatement(later, { lines: [{ key: "p", ...coming, provider_transaction_id: "P8" }] });
  await addStatement(later, {
    lines: [
      { of: "G", net_amount: "1" },
      { key: "q", ...coming, payout_ref: "P9" },
    ],
  });
  await reconcileAccount(database.db, later.accountId);
  const given = { account: [later.name], columns: ["transaction_id,class,pending_code"] };
  const expected = ["F", "G"].map((id) => [id, "matched", "in_transit_at_cutoff"]);
  const reported = parseCsv(await readReport(database.db, requestFor("itemised", given)));
  expect(reported.map((row) => Object.values(row))).toEqual(expected);
  const viewed = await database.db.query<Record<string, string>>(
    `select our_reference, class, pending_code
     from reporting.statement_lines
     where account = $1
       and line_type = 'charge'
     order by 1`,
    [later.name],
  );
  expect(viewed.map((row) => Object.values(row))).toEqual(expected);
});

async function itemised(given: Record<string, string[]>): Promise<string[]> {
  const columns = ["line_no,line_type,class,pending_code"];
  const question = { account: [books.name], columns, ...given };
  return parseCsv(await readReport(database.db, requestFor("itemised", question)))
    .map((row) => `${row["line_no"]} ${row["line_type"]} ${row["class"]} ${row["pending_code"]}`)
    .toSorted((a, b) => Number(a.split(" ")[0]) - Number(b.split(" ")[0]));
}

async function now(): Promise<string> {
  const [row] = await database.db.query<{ now: string }>(
    `select to_char(clock_timestamp() at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as now`,
  );
  return row?.now ?? "";
}
