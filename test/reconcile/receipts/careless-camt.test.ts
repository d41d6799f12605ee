import { describe, expect, test } from "vitest";
import { bookingsIn } from "./bookings-in.ts";

const camt = (entries: string) => `<?xml version="1.0"?>
<Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.053.001.02"><BkToCstmrStmt><Stmt><Id>1</Id>
<Acct><Id><IBAN>DE1</IBAN></Id><Ccy>EUR</Ccy></Acct>${entries}</Stmt></BkToCstmrStmt></Document>`;

const entry = (amount: string, direction: string, rest: string, status = "<Sts>BOOK</Sts>") =>
  `<Ntry><Amt Ccy="EUR">${amount}</Amt><CdtDbtInd>${direction}</CdtDbtInd>${status}
   <BookgDt><Dt>2026-11-03</Dt></BookgDt>${rest}</Ntry>`;

const payment = (id: string, rest: string) =>
  `<NtryDtls><TxDtls><Refs><EndToEndId>${id}</EndToEndId></Refs>${rest}</TxDtls></NtryDtls>`;

describe("a camt.053", () => {
  test("with a credit below zero: the booking is rejected, for it took money away or brought some", async () => {
    const { lines, rejected } = await bookingsIn(
      camt(entry("55", "CRDT", payment("PO-1001", "")) + entry("-55", "CRDT", payment("PO-1001", ""))),
    );
    expect(lines).toMatchObject([{ amount: "55", direction: "credit" }]);
    expect(rejected).toEqual([
      "-55 is below zero beside a word for credit: which way the money went is not certain",
    ]);
  });

  test("with a batch that nets a debit with a credit: both are told apart", async () => {
    const part = (id: string, amount: string, direction: string) =>
      payment(id, `<Amt Ccy="EUR">${amount}</Amt><CdtDbtInd>${direction}</CdtDbtInd>`);
    const { lines } = await bookingsIn(
      camt(entry("100", "CRDT", part("PO-2001", "110", "CRDT") + part("CB-7", "10", "DBIT"))),
    );
    expect(lines).toMatchObject([
      { amount: "110", direction: "credit", endToEndId: "PO-2001" },
      { amount: "10", direction: "debit", endToEndId: "CB-7" },
    ]);
  });

  test("with a status of the bank's own: it is not taken for booked", async () => {
    const status = "<Sts><Prtry>PENDING</Prtry></Sts>";
    const { lines, rejected } = await bookingsIn(camt(entry("60", "CRDT", payment("PO-2002", ""), status)));
    expect(lines).toEqual([]);
    expect(rejected).toEqual(["its status PENDING is the bank's own word: it may not be booked yet"]);
  });

  test.each([
    ["as version 2 states them", `<Chrgs><Amt Ccy="EUR">12</Amt></Chrgs>`, "12"],
    [
      "of which one was not taken off the amount",
      `<Chrgs><Rcrd><Amt Ccy="EUR">5</Amt><ChrgInclInd>false</ChrgInclInd></Rcrd>
       <Rcrd><Amt Ccy="EUR">2</Amt><ChrgInclInd>true</ChrgInclInd></Rcrd></Chrgs>`,
      "2",
    ],
    [
      "with a total of which some was not taken off",
      `<Chrgs><TtlChrgsAndTaxAmt Ccy="EUR">7</TtlChrgsAndTaxAmt><Rcrd><Amt Ccy="EUR">5</Amt>
       <ChrgInclInd>false</ChrgInclInd></Rcrd><Rcrd><Amt Ccy="EUR">2</Amt></Rcrd></Chrgs>`,
      "0",
    ],
  ])("with charges %s", async (_what, charges, read) => {
    const { lines } = await bookingsIn(camt(entry("488", "CRDT", payment("PO-1004", charges))));
    expect(lines).toMatchObject([{ amount: "488", charges: read }]);
  });

  test("with charges of a booking and of the payment in it: they are the same, and count once", async () => {
    const charges = `<Chrgs><TtlChrgsAndTaxAmt Ccy="EUR">5</TtlChrgsAndTaxAmt></Chrgs>`;
    const { lines } = await bookingsIn(camt(entry("95", "CRDT", charges + payment("PO-1", charges))));
    expect(lines).toMatchObject([{ charges: "5" }]);
  });

  test("with charges of a whole batch: they do not count for each of its payments again", async () => {
    const charges = `<Chrgs><TtlChrgsAndTaxAmt Ccy="EUR">10</TtlChrgsAndTaxAmt></Chrgs>`;
    const parts = payment("PO-1", `<Amt Ccy="EUR">195</Amt>`) + payment("PO-2", `<Amt Ccy="EUR">295</Amt>`);
    const { lines } = await bookingsIn(camt(entry("490", "CRDT", charges + parts)));
    expect(lines).toMatchObject([{ charges: "0" }, { charges: "0" }]);
  });

  test("followed by another kind of document in one file: it is refused, not passed over", async () => {
    const report = "<Document><BkToCstmrAcctRpt><Rpt></Rpt></BkToCstmrAcctRpt></Document>";
    await expect(bookingsIn(camt(entry("1", "CRDT", "")) + report)).rejects.toThrow("it is camt.052");
  });

  test("followed by a document that is cut off: the file is not whole", async () => {
    const whole = camt(entry("1", "CRDT", ""));
    const { outcome } = await bookingsIn(whole + whole.slice(whole.indexOf("<Document"), -80));
    expect(outcome.facts.cutOff).toContain("the document does not end");
  });

  test("with more decimals than the currency has: a point may group thousands", async () => {
    const { lines, rejected } = await bookingsIn(
      camt(entry("1.234", "CRDT", "") + entry("5.000", "CRDT", "")),
    );
    expect(lines).toMatchObject([{ amount: "5" }]);
    expect(rejected).toEqual(["1.234 has more decimals than EUR: its point or comma may group thousands"]);
  });

  test("finds a reference that is broken over two texts before a third", async () => {
    const text = "<RmtInf><Ustrd>AUSZAHLUNG PO-5</Ustrd><Ustrd>001-AB</Ustrd><Ustrd>DANKE</Ustrd></RmtInf>";
    const { lines } = await bookingsIn(camt(entry("75", "CRDT", payment("NOTPROVIDED", text))));
    expect(lines[0]?.keys).toContain("PO5001AB");
  });

  test("with a document type is refused for that, and not for a tag", async () => {
    const declared = camt("").replace("?>", `?><!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]>`);
    await expect(bookingsIn(declared)).rejects.toThrow("document types and entities are not read");
  });
});
