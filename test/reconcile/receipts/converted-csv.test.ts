import { expect, test } from "vitest";
import { useTestDatabase } from "../../support/test-database.ts";
import { openBooks } from "../books.ts";
import { takeBankFile } from "./a-month.ts";
import { declarePayouts, findings, standing } from "./bank.ts";
import { bookingsIn } from "./bookings-in.ts";

const database = useTestDatabase();
const header = "Account,Date,Amount,Currency,Original amount,Original currency,Description";

test("a payout that the bank has converted is matched by the amount as it was sent", async () => {
  const books = await openBooks(database.db);
  await declarePayouts(books, [{ ref: "PO-2026-03", net: "1000", currency: "USD" }]);
  await takeBankFile(books, [header, "DE1,2026-03-25,915.30,EUR,1000.00,USD,PO-2026-03"]);
  expect(await standing(books, "2026-03-26")).toMatchObject([{ state: "received", received: "1000" }]);
  expect(await findings(books)).toEqual([]);
});

test("an original amount in the same currency says nothing, one that cannot be read is named, and keys stay", async () => {
  const rows = ["DE1,2026-03-25,5.00,EUR,5.00,EUR,a", "DE1,2026-03-25,5.00,EUR,?,USD,b"];
  const { lines, rejected } = await bookingsIn([header, ...rows, ""].join("\n"));
  expect(lines).toMatchObject([{ remittance: "a", originalAmount: null }]);
  expect(rejected).toEqual(["? is not an amount"]);
  const keyOf = async (cells: string) =>
    (await bookingsIn(`${header}\nDE1,2026-03-25,5.00,EUR,${cells},a\n`)).keys;
  expect(await keyOf("6.00,USD")).toEqual(await keyOf(","));
});
