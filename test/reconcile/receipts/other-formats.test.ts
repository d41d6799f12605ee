import { expect, test } from "vitest";
import { importReceipts } from "../../../src/reconcile/receipts/import-receipts.ts";
import { withdrawReceipts } from "../../../src/reconcile/receipts/withdraw-receipts.ts";
import { useTestDatabase } from "../../support/test-database.ts";
import { type Books, openBooks } from "../books.ts";
import { bankCsv, declarePayouts, requestFor, sourceOf, standing } from "./bank.ts";

const database = useTestDatabase();

/** Bookings of 25 March: amount and reference. */
function mt940(
  account: string,
  bookings: readonly (readonly [amount: number, reference: string])[],
  day = "260325",
) {
  const sum = bookings.reduce((total, [amount]) => total + amount, 0);
  return [
    ":20:X",
    `:25:${account}`,
    ":28C:1/1",
    `:60F:C${day}EUR0,`,
    ...bookings.map(([amount, reference]) => `:61:${day}C${amount},NTRF${reference}`),
    `:62F:C${day}EUR${sum},`,
    "-",
    "",
  ].join("\n");
}

async function take(books: Books, text: string, name: string, acceptReason: string | null = null) {
  return importReceipts({ database: books.db }, sourceOf(text, name), requestFor(books, { acceptReason }));
}

test("bookings that another format has brought are refused, and count once whichever of the files is kept", async () => {
  const books = await openBooks(database.db);
  await declarePayouts(books, [{ ref: "PO-2026-03", net: "80" }]);
  const { file } = await take(books, mt940("DE1", [[80, "PO-2026-03"]]), "a.sta");
  const csv = bankCsv([["2026-03-25", "80", "PO-2026-03"]]);
  await expect(take(books, csv, "b.csv")).rejects.toThrow(
    new RegExp(
      `1 booking would count twice, the first 80 EUR on 2026-03-25: a.sta \\(rcf_${file.id}, mt940\\).*booked_in_other_format`,
    ),
  );
  expect(await standing(books, "2026-03-28")).toMatchObject([{ received: "80" }]);

  await withdrawReceipts(books.db, { fileId: file.id, reason: "CSV from now on", actor: "test" });
  const other = await take(books, csv, "b.csv");
  expect(await standing(books, "2026-03-28")).toMatchObject([{ received: "80" }]);

  // Its bookings are known from before.
  await withdrawReceipts(books.db, { fileId: other.file.id, reason: "MT940 after all", actor: "test" });
  await take(books, mt940("DE1", [[80, "PO-2026-03"]]), "a.sta");
  await expect(take(books, csv, "b.csv")).rejects.toThrow("would count twice");
});

test("equal payments of one day count twice in one file, and a person may accept them in another format", async () => {
  const books = await openBooks(database.db);
  await declarePayouts(books, [{ ref: "PO-2026-03", net: "160" }]);
  const once = await take(
    books,
    bankCsv([
      ["2026-03-25", "40", "PO-2026-03"],
      ["2026-03-25", "40", "PO-2026-03"],
    ]),
    "a.csv",
  );
  expect(once.file.rowsAccepted).toBe(2);
  const other = mt940("DE1", [
    [40, "PO-2026-03"],
    [40, "PO-2026-03"],
  ]);
  await expect(take(books, other, "b.sta")).rejects.toThrow("2 bookings would count twice");
  const accepted = await take(books, other, "b.sta", "the bank says they are others");
  expect(accepted.file.acceptedCodes).toEqual(["booked_in_other_format"]);
  expect(await standing(books, "2026-03-28")).toMatchObject([{ received: "160" }]);
});

test("an account that is written differently is known by its number, or by a name in the booking", async () => {
  const books = await openBooks(database.db);
  await take(
    books,
    mt940("DE89370400440532013000", [
      [80, "AB-4711-X"],
      [7, "NONREF"],
    ]),
    "a.sta",
  );
  const csv = (account: string, text: string) =>
    `Account,Booking date,Amount,Currency,Description\n${account},2026-03-25,${text}\n`;
  await expect(take(books, csv("0532013000", "7,EUR,else"), "b.csv")).rejects.toThrow("would count twice");
  await expect(take(books, csv("Main account", "80,EUR,share AB-4711-X"), "c.csv")).rejects.toThrow(
    "would count twice",
  );
  // The same amount on another account, another day or in another currency is other money.
  for (const [at, [account, text]] of [
    ["Main account", "7,EUR,else"],
    ["0532013001", "7,EUR,else"],
    ["0532013000", "7,USD,else"],
  ].entries()) {
    expect((await take(books, csv(account ?? "", text ?? ""), `d${at}.csv`)).file.rowsAccepted).toBe(1);
  }
});

test("an account under a name of its own is known if all its bookings are, and two IBANs are two accounts", async () => {
  const books = await openBooks(database.db);
  const bookings = [
    [7, "NONREF"],
    [8, "NONREF"],
    [9, "AB-4711-X"],
  ] as const;
  await take(books, mt940("DE89370400440532013000", bookings), "a.sta");
  const rows = (account: string, amounts: readonly number[]) =>
    [
      "Account,Booking date,Amount,Currency,Description",
      ...amounts.map(
        (amount) => `${account},2026-03-25,${amount},EUR,for ${amount === 9 ? "AB-4711-X" : amount}`,
      ),
      "",
    ].join("\n");
  await expect(take(books, rows("Main account", [7, 8, 9]), "b.csv")).rejects.toThrow(
    "3 bookings would count twice",
  );
  await expect(take(books, rows("Main account", [7, 8, 9, 10]), "c.csv")).rejects.toThrow(
    "1 booking would count twice",
  );
  expect((await take(books, rows("FR7630006000011234567890189", [7, 8, 9]), "d.csv")).file.rowsAccepted).toBe(
    3,
  );
});

test("a batch that one format sums up and the other breaks up counts once", async () => {
  const books = await openBooks(database.db);
  await take(
    books,
    bankCsv([
      ["2026-03-25", "30", "one"],
      ["2026-03-25", "50", "two"],
    ]),
    "a.csv",
  );
  await expect(take(books, mt940("DE1", [[80, "BATCH"]]), "b.sta")).rejects.toThrow("would count twice");
  expect((await take(books, mt940("DE1", [[81, "BATCH"]]), "c.sta")).file.rowsAccepted).toBe(1);
});

test("files of one format may each have an equal payment of the same day", async () => {
  const books = await openBooks(database.db);
  await take(books, bankCsv([["2026-03-25", "40", "one"]]), "a.csv");
  const other = await take(books, bankCsv([["2026-03-25", "40", "two"]]), "b.csv");
  expect(other.file.rowsAccepted).toBe(1);
});
