import { expect, test } from "vitest";
import { useTestDatabase } from "../../support/test-database.ts";
import { openBooks } from "../books.ts";
import { declarePayouts, findings, receive, standing } from "./bank.ts";

const database = useTestDatabase();

test("a payout named by a day or a month takes only its own amount from texts that mention it", async () => {
  const books = await openBooks(database.db);
  await declarePayouts(books, [
    { ref: "2026-03-24", net: "321" },
    { ref: "202603", net: "555" },
    { ref: "24.03.2026", net: "40" },
    { ref: "20261399", net: "70" },
  ]);
  await receive(books, [
    ["2026-03-25", "-12.50", "CARD 2026-03-24 GROCER"],
    ["2026-03-25", "1.11", "Interest for 202603"],
    ["2026-03-25", "7", "Refund of 24.03.2026"],
    ["2026-03-26", "321", "Payout 2026-03-24"],
    // No day: an ordinary number.
    ["2026-03-26", "69", "Payout 20261399"],
  ]);
  expect(await standing(books, "2026-03-27")).toMatchObject([
    { ref: "2026-03-24", state: "received", received: "321" },
    { ref: "202603", state: "declared", received: "0" },
    { ref: "20261399", state: "short", received: "69" },
    { ref: "24.03.2026", state: "declared", received: "0" },
  ]);
  expect((await findings(books)).filter(({ code }) => code === "receipt_without_payout")).toHaveLength(2);
});
