import { expect, test } from "vitest";
import { carryForward } from "../../src/close/carry-forward.ts";
import type { ChecklistLine } from "../../src/close/checklist.ts";
import { checkPeriod } from "../../src/close/prepare.ts";
import { addDecimals, decimal, zero } from "../../src/core/decimal.ts";
import { reconcileAccount } from "../../src/reconcile/reconcile.ts";
import { addRecords, addStatement, type Books } from "../reconcile/books.ts";
import { parseCsv, readReport, requestFor } from "../report/books.ts";
import { useTestDatabase } from "../support/test-database.ts";
import { addUntiedPayout, alice, monthOfBooks, openMonth } from "./a-month.ts";

const database = useTestDatabase();

async function linesOf(books: Books, month = "2026-03"): Promise<(name: string) => ChecklistLine> {
  const { lines } = await checkPeriod(database.db, await monthOfBooks(books, month));
  return (name) => {
    const line = lines.find((one) => one.line === name);
    if (line === undefined) throw new Error(`no line ${name}`);
    return line;
  };
}

/** What the page shows to whoever follows the link of a line. */
async function behind({ link }: ChecklistLine): Promise<Record<string, string>[]> {
  const address = new URL(link, "http://tieout.test");
  const [, report = ""] = /^\/reports\/(.+)\.v1$/.exec(address.pathname) ?? [];
  const asked = [...address.searchParams].map(([name, value]) => [name, [value]] as const);
  return parseCsv(await readReport(database.db, requestFor(report, Object.fromEntries(asked))));
}

const totalOf = (rows: readonly Record<string, string>[]) =>
  rows.reduce((sum, row) => addDecimals(sum, decimal(row["owed"] || "0")), zero);

test("behind the checklist's errors are those that it counts, also such as the month's end did not know yet", async () => {
  const books = await openMonth(database.db);
  await addRecords(books, [
    { id: "left out", at: "2026-03-15T12:00:00Z" },
    { id: "of April", at: "2026-04-15T12:00:00Z" },
  ]);
  // March's statement ends with March: only from then on does it lack an order.
  await addStatement(books, { lines: [], generatedAt: "2026-05-02T00:00:00Z" });
  await reconcileAccount(database.db, books.accountId);
  const line = (await linesOf(books))("discrepancies");
  const rows = await behind(line);
  expect(rows).toMatchObject([
    {
      code: "missing_from_statement",
      transaction_id: "left out",
      happened_at: "2026-03-15T12:00:00.000Z",
      since: "2026-04-01T00:00:00.000Z",
      carried_from: "",
    },
  ]);
  expect(rows).toHaveLength(line.left);
  const atTheEnd = requestFor("discrepancies", { account: [books.name], as_at: ["2026-04-01"] });
  expect(parseCsv(await readReport(database.db, atTheEnd))).toEqual([]);

  await carryForward(database.db, await monthOfBooks(books), { owner: alice.name, reason: "asked" }, alice);
  const april = (await linesOf(books, "2026-04"))("discrepancies");
  expect(april.says).toBe("2 not closed, 0 of them carried forward. 1 came from earlier months.");
  const then = await behind(april);
  expect(then.map((row) => [row["code"], row["carried_from"], row["owner"]])).toEqual([
    ["missing_from_statement", "2026-03", alice.name],
    ["statement_overdue", "", ""],
  ]);
});

test("a payout that does not tie is carried forward with its discrepancy", async () => {
  const books = await openMonth(database.db);
  await addUntiedPayout(books);
  const untied = (await linesOf(books))("payouts");
  expect(untied).toMatchObject({ state: "red", left: 1 });
  expect(await behind(untied)).toMatchObject([{ payout_ref: "P-SHORT-1", status: "not_tied" }]);
  const errors = (await linesOf(books))("discrepancies");
  expect(errors.parts).toMatchObject([{ amounts: [{ currency: "EUR", amount: "50" }] }]);
  expect(totalOf(await behind(errors))).toBe("50");
  await carryForward(database.db, await monthOfBooks(books), { owner: alice.name, reason: "asked" }, alice);
  expect((await linesOf(books))("payouts")).toMatchObject({
    state: "amber",
    left: 0,
    says: "1 tied, 0 not tied, 0 not declared yet. 1 not tied, carried forward.",
    parts: [{ amounts: [], carried_amounts: [{ currency: "EUR", amount: "50" }] }],
  });
});
