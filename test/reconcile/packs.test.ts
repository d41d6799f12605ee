import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { reconcileAccount } from "../../src/reconcile/reconcile.ts";
import { bankCases } from "../../src/sandbox/banks/cases.ts";
import { plantedCases } from "../../src/sandbox/statements/cases.ts";
import { saveSetting } from "../../src/store/statements/provider-settings.ts";
import { useTestDatabase } from "../support/test-database.ts";
import { addRecords, addStatement, codesOf, discrepanciesOf, matchesOf, openBooks } from "./books.ts";

const database = useTestDatabase();

test("a charge that two payouts pay is settled once, and both payouts still tie", async () => {
  const books = await openBooks(database.db);
  await addRecords(books, [{ id: "A" }]);
  const payout = (ref: string) => ({
    key: `paid ${ref}`,
    type: "payout" as const,
    payout_ref: ref,
    net_amount: "2",
  });
  const charge = { of: "A", net_amount: "2" };
  await addStatement(books, {
    lines: [
      { ...charge, key: "first", payout_ref: "P1" },
      payout("P1"),
      { ...charge, key: "second", payout_ref: "P2", effective_at: "2026-03-12T00:00:00Z" },
      payout("P2"),
    ],
  });
  await reconcileAccount(database.db, books.accountId);
  expect(await matchesOf(books)).toMatchObject([{ line: "first", transaction: "A", role: "settles" }]);
  expect(await discrepanciesOf(books)).toMatchObject([
    { code: "duplicate_settlement", subject: "second", actual: "100", currency: "EUR" },
  ]);
});

test("what is below the minimum payout is carried to the period in which it is enough", async () => {
  const books = await openBooks(database.db);
  const { accountId } = books;
  const calendar = { minimum_payout: { EUR: "150" }, statements_with_payout: true, our_share: "1" };
  await database.db.transaction((tx) =>
    saveSetting(tx, {
      accountId,
      provider: "moonpay",
      kind: "calendar",
      name: "",
      value: calendar,
      actor: "test",
    }),
  );
  await addStatement(books, { from: "2026-02-01T00:00:00Z", to: "2026-03-01T00:00:00Z", lines: [] });
  await addRecords(books, [{ id: "A" }]);
  await reconcileAccount(database.db, accountId);
  // 100 EUR is not enough for a payout: no statement can be late, however long ago it was.
  expect(await codesOf(books)).toEqual([]);

  await addRecords(books, [{ id: "B", at: "2026-04-10T12:00:00.000Z" }]);
  await reconcileAccount(database.db, accountId);
  // With April's there is, and both belong to April's statement, which is overdue.
  expect(await codesOf(books)).toEqual(["statement_overdue 2026-03", "statement_overdue 2026-04"]);
});

test("the table of packs names cases and tests that exist", async () => {
  const document = await readFile("docs/corpus.md", "utf8");
  const rows = [...document.matchAll(/^\| .* \| ((?:sandbox|test\/)[^|]*) \| ([^|]*) \|$/gm)];
  expect(rows.length).toBeGreaterThan(15);
  for (const [, where = "", by = ""] of rows) {
    const files = where.split("; ").filter((place) => place !== "sandbox");
    const texts = await Promise.all(files.map((file) => readFile(file, "utf8")));
    const names = [...by.matchAll(/`([^`]+)`/g)].map(([, name = ""]) => name);
    expect(names.length).toBeGreaterThan(0);
    for (const name of names) {
      const isKnown =
        name in plantedCases ||
        name in bankCases ||
        texts.some((text) => text.includes(name)) ||
        /^[a-z]+$/.test(name);
      expect(isKnown, `${name} in ${where}`).toBe(true);
    }
  }
});
