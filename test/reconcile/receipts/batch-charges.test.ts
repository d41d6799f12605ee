import { expect, test } from "vitest";
import { importReceipts } from "../../../src/reconcile/receipts/import-receipts.ts";
import { rowsOf } from "../../report/claims.ts";
import { useTestDatabase } from "../../support/test-database.ts";
import { type Books, openBooks } from "../books.ts";
import { declarePayouts, findings, requestFor, sourceOf, standing } from "./bank.ts";

const database = useTestDatabase();

/** A booking of 245 EUR for two payouts, with a charge of 5 EUR for both together. */
const batch = (first: string, second: string) => {
  const part = (id: string, amount: string) =>
    `<TxDtls><Refs><EndToEndId>${id}</EndToEndId></Refs><Amt Ccy="EUR">${amount}</Amt></TxDtls>`;
  return `<?xml version="1.0"?>
<Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.053.001.08"><BkToCstmrStmt><Stmt><Id>1</Id>
<Acct><Id><IBAN>DE1</IBAN></Id><Ccy>EUR</Ccy></Acct>
<Ntry><Amt Ccy="EUR">245</Amt><CdtDbtInd>CRDT</CdtDbtInd><Sts><Cd>BOOK</Cd></Sts><BookgDt><Dt>2026-03-25</Dt></BookgDt>
<Chrgs><TtlChrgsAndTaxAmt Ccy="EUR">5</TtlChrgsAndTaxAmt></Chrgs>
<NtryDtls>${part("PO-1001", first)}${part("PO-1002", second)}</NtryDtls></Ntry></Stmt></BkToCstmrStmt></Document>`;
};

async function books(file: string): Promise<Books> {
  const opened = await openBooks(database.db);
  await declarePayouts(opened, [
    { ref: "PO-1001", net: "100" },
    { ref: "PO-1002", net: "150" },
  ]);
  await importReceipts({ database: opened.db }, sourceOf(file, "a.xml"), requestFor(opened));
  return opened;
}

const receivable = async (of: Books) =>
  (await rowsOf(of, "receivable", { from: "2026-03-01", to: "2026-04-10" })).map(({ closing }) => closing);

test("a charge that was taken off the batch is the bank's fee, and both payouts are received", async () => {
  const own = await books(batch("100", "150"));
  expect(await standing(own)).toMatchObject([
    { ref: "PO-1001", state: "received", received: "100", fee: "0" },
    { ref: "PO-1002", state: "received", received: "145", fee: "5" },
  ]);
  expect([await findings(own), await receivable(own)]).toEqual([[], ["0"]]);
});

test("a charge that the bank has divided among the payments leaves each of them short, for a person to book", async () => {
  const own = await books(batch("98", "147"));
  expect(await findings(own)).toMatchObject([
    { code: "payout_short", ref: "PO-1001", actual: "98" },
    { code: "payout_short", ref: "PO-1002", actual: "147" },
  ]);
  expect(await receivable(own)).toEqual(["0"]);
});
