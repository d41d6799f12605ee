import { describe, expect, test } from "vitest";
import { reconcileAccount } from "../../../src/reconcile/reconcile.ts";
import { useTestDatabase } from "../../support/test-database.ts";
import { addStatement, openBooks, withdraw } from "../books.ts";
import { findings, receive, standing } from "./bank.ts";

const database = useTestDatabase();

/** Payouts of two providers, each with a reference of its own and a second name that both have. */
describe("a bank line with a second name of two payouts", () => {
  const hash = "ab12".repeat(16);
  const payout = (ref: string, second: object) => ({
    key: `payout ${ref}`,
    type: "payout" as const,
    payout_ref: ref,
    net_amount: "10",
    effective_at: "2026-03-24T00:00:00Z",
    ...second,
  });

  test.each([
    ["the id of its row", { provider_transaction_id: "TRANSFER-77001" }, "TRANSFER-77001"],
    ["its hash", { transaction_hash: hash }, hash],
  ])("settles the other as soon as one is withdrawn, or loses %s", async (_, second, name) => {
    for (const later of [null, {}]) {
      const books = await openBooks(database.db);
      await addStatement(books, { lines: [payout("PO-MINE-1", second)] });
      const file = await addStatement(books, { provider: "banxa", lines: [payout("PO-THEIRS-1", second)] });
      await reconcileAccount(books.db, books.accountId);
      await receive(books, [["2026-03-25", "10", `Transfer ${name}`]]);
      expect((await standing(books)).map(({ state }) => state)).toEqual(["declared", "declared"]);

      await withdraw(books, file);
      if (later !== null)
        await addStatement(books, {
          provider: "banxa",
          lines: [payout("PO-THEIRS-1", { ...later, key: "corrected" })],
        });
      await reconcileAccount(books.db, books.accountId);
      const theirs = later === null ? "withdrawn" : "declared";
      expect(await standing(books)).toMatchObject([
        { ref: "PO-MINE-1", state: "received" },
        { ref: "PO-THEIRS-1", state: theirs },
      ]);
      expect((await findings(books)).map(({ code }) => code)).not.toContain("receipt_without_payout");
    }
  });
});
