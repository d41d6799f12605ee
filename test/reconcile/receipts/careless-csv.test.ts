import { describe, expect, test } from "vitest";
import { csvProfileSchema } from "../../../src/reconcile/receipts/csv-profile.ts";
import { judgeReceipts } from "../../../src/reconcile/receipts/judge-receipts.ts";
import { bookingsIn } from "./bookings-in.ts";
import { askNothing } from "./read-all.ts";

const csv = (header: string, ...rows: string[]) =>
  [`Account,Currency,Date,Description,${header}`, ...rows.map((row) => `A1,EUR,${row}`), ""].join("\n");

describe("a bank's CSV", () => {
  test("with a credit and a debit in one row: neither is passed over", async () => {
    const { lines, rejected } = await bookingsIn(
      csv("Debit,Credit", "2026-11-03,PO-1,0.00,100.00", "2026-11-04,PO-2,2.50,200.00", "2026-11-05,fee,-3,"),
    );
    expect(lines).toMatchObject([
      { amount: "100", direction: "credit" },
      { amount: "3", direction: "debit" },
    ]);
    expect(rejected).toEqual(["there is a credit of 200 and a debit of 2.5"]);
  });

  test.each([
    ["YYYY-MMM-DD", "2026-Mar-15 10:00", "2026-03-15"],
    ["MM/DD/YYYY", "3/5/2026 10:00:00 AM", "2026-03-05"],
    ["DD.MM.YYYY", "5.3.2026 07:15", "2026-03-05"],
    ["DD MMM YYYY", "15 Mar 2026 10:00", "2026-03-15"],
    ["DD.MM.YYYY", "15.03.2026 (Valuta)", "2026-03-15"],
    ["YYYY-MM-DD", "2026-03-15T10:00:00+01:00", "2026-03-15"],
  ])("with an hour behind its days (%s): %s is the day that it says", async (dates, cell, day) => {
    const columns = {
      booking_date: ["Date"],
      amount: ["Amount"],
      bank_account: ["Account"],
      currency: ["Currency"],
    };
    const profile = csvProfileSchema.parse({ name: "own", dates, columns });
    const { lines, rejected } = await bookingsIn(csv("Amount", `${cell},PO-1,100.00`), {
      ...askNothing,
      profile,
    });
    expect(rejected).toEqual([]);
    expect(lines).toMatchObject([{ bookingDate: day, valueDate: day }]);
  });

  test.each([
    ["in a column for credits", "Debit,Credit", ",-25.00"],
    ["beside a word for a credit", "Direction,Amount", "credit,-25.00"],
  ])("with an amount below zero %s: it takes a credit back", async (_where, header, cells) => {
    const { lines } = await bookingsIn(csv(header, `2026-11-03,PO-1,${cells}`));
    expect(lines).toMatchObject([{ amount: "25", direction: "debit", isReversal: true }]);
  });

  // Each held up the service for as long as it took to divide the spaces in every way: half a minute here, hours at a megabyte.
  const spaces = " ".repeat(120_000);
  test.each([
    ["an amount", `2026-11-04,PO,1${spaces}x`],
    ["an amount with a sign", `2026-11-04,PO,"-${spaces}x\ty"`],
    ["an amount in brackets", `2026-11-04,PO,(${spaces}.`],
    ["a date", `2026-11-04${spaces}x,PO,1.00`],
  ])("with a long row of spaces in %s: the row is rejected at once", { timeout: 20_000 }, async (_, row) => {
    const ordinary = Array.from({ length: 600 }, (_each, at) => `2026-11-03,PO-${at},1.00`);
    const { lines, rejected } = await bookingsIn(csv("Amount", ...ordinary, row));
    expect([lines.length, rejected.length]).toEqual([600, 1]);
  });

  test("whose bookings came as credits before: they are still known by the same key", async () => {
    const { keys } = await bookingsIn(csv("Direction,Amount", "2026-11-03,PO-1,credit,-25"));
    const { keys: before } = await bookingsIn(csv("Direction,Amount", "2026-11-03,PO-1,credit,25"));
    expect(keys).toEqual(before);
  });

  test("with rows that are not booked: they are passed over with the reason", async () => {
    const { lines, skipped, rejected } = await bookingsIn(
      csv(
        "Amount,Status",
        "2026-11-03,a,50.00,Completed",
        "2026-11-03,b,60.00,",
        "2026-11-04,c,70.00,Pending",
        "2026-11-04,d,70.00,DECLINED",
        "2026-11-04,e,70.00,In review",
      ),
    );
    expect(lines.map(({ remittance }) => remittance)).toEqual(["a", "b"]);
    expect(skipped).toEqual(["its status is Pending: not booked", "its status is DECLINED: not booked"]);
    expect(rejected).toEqual([
      'it is unclear whether "In review" means booked: name it in a profile (booked_words, unbooked_words)',
    ]);
  });

  test("of a wallet, with a transfer that failed: no money came", async () => {
    const { lines, recognised } = await bookingsIn(
      "hash,time,amount,asset,to,status\n0xa1,2026-11-03T10:00:00Z,1.5,ETH,me,Success\n0xa2,2026-11-03T11:00:00Z,9.5,ETH,me,Failed\n",
    );
    expect(recognised.format).toBe("chain_csv");
    expect(lines).toMatchObject([{ amount: "1.5", currency: "eth" }]);
  });

  describe("of a wallet, with transfers that went out", () => {
    const rows = ["0xB1,0xAA,9", "0xaa,0xC1,1.5"].map(
      (row, at) => `0xh${at},2026-11-03T10:00:00Z,eth,${row}`,
    );
    const text = ["hash,time,asset,from,to,amount", ...rows, ""].join("\n");

    test("it is refused, because nothing says which wallet is ours", async () => {
      expect(judgeReceipts((await bookingsIn(text)).outcome)).toEqual([
        {
          code: "control_total_mismatch",
          message:
            "0xaa both sends and receives, so some transfers went out: state your wallet as the bank account",
        },
      ]);
    });

    test("with the wallet given, they are debits; those of others are rejected", async () => {
      const given = { bankAccount: "0xAA", currency: null };
      const others = `${text}0xh3,2026-11-03T10:00:00Z,eth,0xD1,0xE1,4\n`;
      const { lines, rejected, outcome } = await bookingsIn(others, { ...askNothing, given });
      expect(lines).toMatchObject([
        { amount: "9", direction: "credit", counterparty: "0xB1" },
        { amount: "1.5", direction: "debit", counterparty: "0xC1" },
      ]);
      expect(rejected).toEqual(["it is neither to nor from 0xAA"]);
      expect(outcome.facts.problems).toEqual([]);
    });
  });

  test("with a column for the direction that has another name: a debit is not taken for a credit", async () => {
    const { lines, rejected } = await bookingsIn(
      csv("Amount,Sign", "2026-11-03,a,40.00,C", "2026-11-03,b,5.00,D", "2026-11-03,c,6.00,-"),
    );
    expect(lines.map(({ remittance }) => remittance)).toEqual(["a", "c"]);
    expect(rejected).toEqual([
      'the column "Sign" says D beside an amount above zero: name it in a profile (columns, direction)',
    ]);
  });

  test.each([
    ["Direction", "sideways"],
    ["Type", "Money out"],
    ["Type", "Direct Debit"],
  ])("whose %s says %s beside an amount above zero: it is not taken for a credit", async (header, word) => {
    const { lines, rejected } = await bookingsIn(csv(`Amount,${header}`, `2026-11-03,Rent,40.00,${word}`));
    expect(lines).toEqual([]);
    expect(rejected).toEqual([
      `it is unclear whether "${word}" means credit or debit: name it in a profile (credit_words, debit_words)`,
    ]);
  });

  test("whose type says something else: the sign of the amount counts", async () => {
    const { lines } = await bookingsIn(
      csv("Amount,Type", "2026-11-03,a,40.00,TRANSFER", "2026-11-03,b,-5.00,Direct Debit"),
    );
    expect(lines).toMatchObject([{ direction: "credit" }, { direction: "debit" }]);
  });

  test("with words of its profile, in upper and lower case", async () => {
    const profile = csvProfileSchema.parse({
      name: "ing",
      columns: {
        bank_account: ["Account"],
        booking_date: ["Date"],
        amount: ["Amount"],
        direction: ["Af Bij"],
      },
      credit_words: ["Bij"],
      debit_words: ["Af"],
      currency: "EUR",
    });
    const { lines } = await bookingsIn(
      csv("Amount,Af Bij", "2026-11-03,a,40.00,BIJ", "2026-11-03,b,5.00,Af"),
      {
        ...askNothing,
        profile: { ...profile, format: "csv" },
      },
    );
    expect(lines).toMatchObject([{ direction: "credit" }, { direction: "debit" }]);
  });

  const problemsOf = async (...rows: string[]) =>
    judgeReceipts((await bookingsIn(csv("Amount,Type,Balance", ...rows))).outcome);

  test.each([
    ["oldest first", ["2026-11-03,a,15.00,x,115.00", "2026-11-04,b,-40.00,x,75.00"]],
    ["newest first", ["2026-11-04,b,-40.00,x,75.00", "2026-11-03,a,15.00,x,115.00"]],
    ["of one day, newest first", ["2026-11-04,b,-40.00,x,75.00", "2026-11-04,a,15.00,x,115.00"]],
    ["with no balance at its ends", ["2026-11-04,b,-40.00,x,", "2026-11-03,a,15.00,x,115.00"]],
  ])("with a running balance that adds up, %s", async (_order, rows) => {
    expect(await problemsOf(...rows)).toEqual([]);
  });

  test("with a running balance that does not add up: it is refused with the figures", async () => {
    expect(await problemsOf("2026-11-03,a,15.00,Inward,115.00", "2026-11-04,b,40.00,Onward,75.00")).toEqual([
      {
        code: "control_total_mismatch",
        message: "A1: opening 100 + lines 55 = 155, and the bank says 75 EUR",
      },
    ]);
  });

  test("whose days can be read in two ways: one row that cannot be read decides nothing", async () => {
    const rows = ["03/11/2026,PO-1,10.00", "04/11/2026,Brought forward,", "05/11/2026,Other,-3.00"];
    await expect(bookingsIn(csv("Amount", ...rows))).rejects.toThrow(
      "its days can be read in several ways: name the profile, one of bank-us, bank-uk",
    );
  });

  test("with three digits behind a point: they may be thousands, unless a profile of its own says otherwise", async () => {
    const text = csv("Amount", "2026-11-03,a,2.500", "2026-11-03,b,2.50");
    const { lines, rejected } = await bookingsIn(text);
    expect(lines).toMatchObject([{ amount: "2.5", remittance: "b" }]);
    expect(rejected).toEqual(["2.500 may be thousands: say in a profile how the bank writes numbers"]);
    const profile = csvProfileSchema.parse({
      name: "ours",
      columns: {
        bank_account: ["Account"],
        booking_date: ["Date"],
        amount: ["Amount"],
        currency: ["Currency"],
      },
    });
    const own = await bookingsIn(text, { ...askNothing, profile: { ...profile, format: "csv" } });
    expect(own.lines).toMatchObject([{ amount: "2.5" }, { amount: "2.5" }]);
  });

  test("with a sign in place of a currency code", async () => {
    const { rejected } = await bookingsIn("Account,Currency,Date,Amount\nA1,€,2026-11-13,10.00\n");
    expect(rejected).toEqual(['"€" is not the code of a currency, such as EUR']);
  });
});

describe("a report of a day that has not ended", () => {
  test("MT942 is named", async () => {
    const text = ":20:X\n:25:DE1\n:28C:1\n:34F:EURD0,\n:61:2611031103C77,00NTRFABC\n-\n";
    await expect(bookingsIn(text)).rejects.toThrow("it is an MT942");
  });

  const bai2 = (status: string, day: string) =>
    `01,B,A,261104,0600,1,80,,2/\n02,A,B,${status},261103,2400,USD,${day}/\n03,1,USD,010,0,,,015,4000,,/\n16,165,4000,,R,,x/\n49,8000,3/\n98,8000,1,5/\n99,8000,1,7/\n`;

  test.each([
    ["1", "3", "of a day that has not ended"],
    ["1", "1", "the report is interim"],
    ["2", "2", "the bank takes an earlier group back"],
    ["4", "2", "the group is a test"],
  ])("BAI2 with status %s and day %s is refused", async (status, day, why) => {
    await expect(bookingsIn(bai2(status, day))).rejects.toThrow(why);
  });

  test("BAI2 that corrects an earlier group is refused unless a person accepts it; a final one is read", async () => {
    expect(judgeReceipts((await bookingsIn(bai2("3", "2"))).outcome)).toMatchObject([
      { code: "control_total_mismatch", message: expect.stringContaining("withdraw the file that held it") },
    ]);
    const { lines, outcome } = await bookingsIn(bai2("1", "4"));
    expect(judgeReceipts(outcome)).toEqual([]);
    expect(lines).toMatchObject([{ amount: "40", direction: "credit" }]);
  });
});
