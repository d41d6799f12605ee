import { describe, expect, test } from "vitest";
import { judgeReceipts } from "../../../src/reconcile/receipts/judge-receipts.ts";
import { bookingsIn } from "./bookings-in.ts";

const mt940 = (...bookings: string[]) =>
  [
    ":20:X",
    ":25:DE1",
    ":28C:1/1",
    ":60F:C261102EUR100,00",
    ...bookings,
    ":62F:C261103EUR100,00",
    "-",
    "",
  ].join("\n");

describe("an MT940", () => {
  test("with points for decimals: its bookings are rejected, not read without their cents", async () => {
    const { lines, rejected } = await bookingsIn(
      mt940(":61:2611031103C50.75NTRFABC", ":61:2611031103D0.75NTRFABC"),
    );
    expect(lines).toEqual([]);
    expect(rejected).toHaveLength(2);
  });

  test("with the bank's code beside the account (:25P:)", async () => {
    const { lines } = await bookingsIn(
      mt940(":61:261103C5,NTRFPO-1").replace(":25:DE1", ":25P:DE1\nDEUTDEFF"),
    );
    expect(lines).toMatchObject([{ bankAccount: "DE1", amount: "5" }]);
  });

  test("with the amount as it was sent and the charges below the booking", async () => {
    const { lines } = await bookingsIn(
      mt940(":61:2611031103C108,20NTRFNONREF", "/OCMT/USD120,00//CHGS/EUR2,00/", ":86:PO-2001"),
    );
    expect(lines).toMatchObject([{ originalAmount: "120", originalCurrency: "USD", charges: "2" }]);
  });

  test("with a label that follows a reference at once", async () => {
    const { lines } = await bookingsIn(
      mt940(":61:2611031103C1,NTRFNONREF", ":86:166?20EREF+PO-1001?21KREF+NONREF?22PURP+OTHR?23SVWZ+x"),
    );
    expect(lines).toMatchObject([{ endToEndId: "PO-1001", reference: null }]);
  });

  test.each([
    ["in numbered parts before another word", "166?20SVWZ+VOM 30.12?21.2026 PO-M1-10?2202?23DANKE"],
    ["in parts that are numbered as Polish banks do", "020<00PRZELEW<20WYPLATA PO-M1-10<2102<22DZIEKUJEMY"],
    ["as the first word of a line behind a label", "/TRTP/SEPA/REMI/ORDERS OF\nPO-M1-1002/EREF/NOTPROVIDED"],
    ["in a text that is cut after 65 letters", "PAYOUT PO-M1-\n1002\nTHANK YOU"],
  ])("finds a reference %s", async (_where, text) => {
    const { lines } = await bookingsIn(mt940(":61:2611031103C1,NTRFNONREF", `:86:${text}`));
    expect(lines[0]?.keys).toContain("POM11002");
  });

  test("read before it was read better: the booking is still known by the same key", async () => {
    const told = mt940(":61:2611031103C1,NTRFNONREF", ":86:166?20EREF+PO-1001?22PURP+OTHR");
    const { keys } = await bookingsIn(told);
    // Of version 2, which took PURP+OTHR for a part of the reference.
    expect(keys).toEqual(["f94ae78daa009c42f7d1e196481ec4946c21cde3a467573004403471bc88071a"]);
  });

  describe("with several statements of an account", () => {
    const page = (number: string, opening: string, amount: string, closing: string) =>
      `:20:X\n:25:DE1\n:28C:${number}\n:60F:C26110${number}EUR${opening}\n:61:261103C${amount}NTRFA\n:62F:C261103EUR${closing}\n-\n`;
    const [first, second, third] = [
      page("1", "0,", "10,", "10,"),
      page("2", "10,", "5,", "15,"),
      page("3", "15,", "1,", "16,"),
    ];
    const problemsOf = async (...pages: string[]) =>
      judgeReceipts((await bookingsIn(pages.join(""))).outcome).map(({ message }) => message);

    test("oldest first or newest first, they follow each other", async () => {
      expect(await problemsOf(first, second, third)).toEqual([]);
      expect(await problemsOf(third, second, first)).toEqual([]);
    });

    test("of which one is missing: it is refused with the figures", async () => {
      const why =
        "DE1: one closes with 10 and the next opens with 15: bookings between statements 1 and 3 are missing";
      expect(await problemsOf(first, third)).toEqual([why]);
      expect(await problemsOf(third, first)).toEqual([why]);
    });
  });
});
