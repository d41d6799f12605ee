import { expect, test } from "vitest";
import { readJournalBalance } from "../../src/store/books/journal-balance.ts";
import { openBooks } from "../reconcile/books.ts";
import { declarePayouts, requestFor, sourceOf } from "../reconcile/receipts/bank.ts";
import { importReceipts } from "../../src/reconcile/receipts/import-receipts.ts";
import { useTestDatabase } from "../support/test-database.ts";
import { rowsOf } from "./claims.ts";

const database = useTestDatabase();

test("a payout that the bank has converted, less its charges, is booked in both currencies", async () => {
  const books = await openBooks(database.db);
  await declarePayouts(books, [
    { ref: "PO-DOLLAR-1", net: "110", currency: "USD" },
    { ref: "PO-CHARGED-1", net: "50" },
  ]);
  const entry = (amount: string, name: string, more: string, charges = "") =>
    `<Ntry><Amt Ccy="EUR">${amount}</Amt><CdtDbtInd>CRDT</CdtDbtInd><Sts>BOOK</Sts><BookgDt><Dt>2026-03-25</Dt></BookgDt>${charges}` +
    `<NtryDtls><TxDtls><Refs><EndToEndId>${name}</EndToEndId></Refs>${more}</TxDtls></NtryDtls></Ntry>`;
  const text =
    `<?xml version="1.0" encoding="UTF-8"?><Document><BkToCstmrStmt><Stmt><Id>1</Id><Acct><Id><IBAN>DE1</IBAN></Id></Acct>` +
    entry("100.00", "PO-DOLLAR-1", '<AmtDtls><InstdAmt><Amt Ccy="USD">110</Amt></InstdAmt></AmtDtls>') +
    entry(
      "48.00",
      "PO-CHARGED-1",
      "",
      '<Chrgs><TtlChrgsAndTaxAmt Ccy="EUR">2.00</TtlChrgsAndTaxAmt></Chrgs>',
    ) +
    `</Stmt></BkToCstmrStmt></Document>`;
  await importReceipts({ database: database.db }, sourceOf(text, "bank.xml"), requestFor(books));
  const rows = await rowsOf(books, "journal", { from: "2026-03-25", to: "2030-01-01" });
  expect(
    rows
      .map(
        ({ event, account_name, currency, debit, credit }) =>
          `${event} ${account_name} ${debit ? debit : `-${credit}`} ${currency}`,
      )
      .toSorted(),
  ).toEqual([
    "bank_fee assets:payouts in transit:moonpay -2 EUR",
    "bank_fee expenses:bank fees 2 EUR",
    "payout_exchanged assets:payouts in transit:moonpay -110 USD",
    "payout_exchanged equity:currency exchange 110 USD",
    "payout_received assets:bank 48 EUR",
    "payout_received assets:payouts in transit:moonpay -48 EUR",
    "receipt_exchanged assets:bank 100 EUR",
    "receipt_exchanged equity:currency exchange -100 EUR",
  ]);
  const sums = await readJournalBalance(database.db, {
    accountIds: [books.accountId],
    from: null,
    to: "2030-01-01T00:00:00Z",
    knownAt: null,
  });
  expect(sums.map(({ currency, balanced, tied }) => [currency, balanced, tied])).toEqual([
    ["EUR", true, true],
    ["USD", true, true],
  ]);
});
