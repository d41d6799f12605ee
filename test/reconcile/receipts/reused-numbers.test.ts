import { expect, test } from "vitest";
import { importReceipts } from "../../../src/reconcile/receipts/import-receipts.ts";
import { useTestDatabase } from "../../support/test-database.ts";
import { type Books, openBooks } from "../books.ts";
import { declarePayouts, requestFor, sourceOf, standing } from "./bank.ts";

const database = useTestDatabase();

const ofx = (day: string, amount: string, text: string) =>
  `OFXHEADER:100\n\n<OFX><STMTRS><CURDEF>EUR<BANKACCTFROM><ACCTID>1</BANKACCTFROM><BANKTRANLIST><STMTTRN><TRNTYPE>CREDIT<DTPOSTED>${day}<TRNAMT>${amount}<FITID>1<MEMO>${text}</STMTTRN></BANKTRANLIST></STMTRS></OFX>\n`;

const take = (books: Books, text: string, acceptReason: string | null = null) =>
  importReceipts({ database: books.db }, sourceOf(text), requestFor(books, { acceptReason }));

test("a bank that counts its OFX bookings anew takes no earlier money away", async () => {
  const books = await openBooks(database.db);
  await declarePayouts(books, [
    { ref: "PO-2026-03", net: "90" },
    { ref: "PO-2026-04", net: "91" },
  ]);
  await take(books, ofx("20260325", "90.00", "PO-2026-03"));
  await expect(take(books, ofx("20260401", "91.00", "PO-2026-04"))).rejects.toThrow(
    "FITID 1 was a credit of 90 EUR on 2026-03-25 and is a credit of 91 EUR on 2026-04-01, which would take its place",
  );
  // The same money, weeks later, is another booking too.
  await expect(take(books, ofx("20260425", "90.00", "PO-2026-03"))).rejects.toThrow("number_reused");
  expect(await standing(books)).toMatchObject([{ ref: "PO-2026-03", received: "90" }, { received: "0" }]);
});

test("an OFX booking that is restated in its text or by a few days takes the place of the earlier one, a sum only if accepted", async () => {
  const books = await openBooks(database.db);
  await declarePayouts(books, [{ ref: "PO-2026-03", net: "90" }]);
  await take(books, ofx("20260325", "90.00", "wire"));
  await take(books, ofx("20260327", "90.00", "PO-2026-03"));
  expect(await standing(books)).toMatchObject([{ received: "90" }]);
  await take(books, ofx("20260327", "89.00", "PO-2026-03"), "the bank has corrected it");
  expect(await standing(books)).toMatchObject([{ received: "89" }]);
});

test("an OFX booking that replaces or deletes another by its number counts nothing twice: it is rejected with what to do", async () => {
  const books = await openBooks(database.db);
  await declarePayouts(books, [{ ref: "PO-2026-03", net: "90" }]);
  await take(books, ofx("20260325", "90.00", "PO-2026-03"));
  for (const action of ["REPLACE", "DELETE"]) {
    const correction = ofx("20260325", "90.00", "PO-2026-03").replace(
      "<FITID>1",
      `<FITID>${action}<CORRECTFITID>1<CORRECTACTION>${action}`,
    );
    await expect(take(books, correction)).rejects.toThrow(/booking 1.*withdraw the file that holds it/);
  }
  expect(await standing(books)).toMatchObject([{ state: "received", received: "90" }]);
});
