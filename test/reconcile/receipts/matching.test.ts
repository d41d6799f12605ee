import { describe, expect, test } from "vitest";
import { decimal } from "../../../src/core/decimal.ts";
import { matchReceipt, unmatchReceipt } from "../../../src/reconcile/receipts/match-receipt.ts";
import { importReceipts } from "../../../src/reconcile/receipts/import-receipts.ts";
import { withdrawReceipts } from "../../../src/reconcile/receipts/withdraw-receipts.ts";
import { reconcileAccount } from "../../../src/reconcile/reconcile.ts";
import { saveSettings } from "../../../src/reconcile/provider-settings.ts";
import {
  listReceiptLines,
  listReceiptMatches,
  suggestPayouts,
} from "../../../src/store/receipts/receipt-reads.ts";
import { useTestDatabase } from "../../support/test-database.ts";
import { type Books, openBooks, withdraw } from "../books.ts";
import { parseCsv, readReport, requestFor as requestForReport } from "../../report/books.ts";
import { declarePayouts, findings, preview, receive, requestFor, sourceOf, standing } from "./bank.ts";

const database = useTestDatabase();
/** From here on the bank's files are followed. */
const beforeAll = ["2026-03-20", "-1", "Fee"] as const;
const author = { actor: "alice" };
const everyone = { accountIds: null };

async function booksWith(...payouts: Parameters<typeof declarePayouts>[1]): Promise<Books> {
  const books = await openBooks(database.db);
  await declarePayouts(books, payouts);
  return books;
}

async function linesOf(books: Books) {
  const reader = { database: books.db, accountIds: [books.accountId] };
  const { rows } = await listReceiptLines(reader, {}, { limit: 100, after: null });
  return rows;
}

async function payoutId(books: Books, ref: string): Promise<number> {
  const [row] = await books.db.query<{ id: number }>(
    "select id::int from tieout.payouts where account_id = $1 and payout_ref = $2",
    [books.accountId, ref],
  );
  return row?.id ?? 0;
}

describe("a bank line settles a payout", () => {
  test("by its reference in the text, and the payout is received from that day on", async () => {
    const books = await booksWith({ ref: "PO-2026-03", net: "204.17" });
    expect(await standing(books, "2026-03-25")).toMatchObject([{ state: "declared", received: "0" }]);
    const { counts } = await receive(books, [["2026-03-26", "204.17", "Share March PO-2026-03 thank you"]]);
    expect(counts).toMatchObject({ matched: 1 });
    expect(await standing(books, "2026-03-26")).toMatchObject([{ state: "declared", received: "0" }]);
    expect(await standing(books, "2026-03-27")).toMatchObject([{ state: "received", received: "204.17" }]);
    expect(await findings(books)).toEqual([]);
  });

  test("never by its amount and date alone: those only suggest", async () => {
    const books = await booksWith({ ref: "PO-2026-03", net: "204.17" });
    await receive(books, [["2026-03-24", "204.17", "Share of March"]]);
    expect(await standing(books, "2026-03-25")).toMatchObject([{ state: "declared" }]);
    expect(await findings(books)).toEqual([
      {
        code: "payout_not_received",
        ref: "PO-2026-03",
        expected: "204.17",
        actual: "0",
        from: "2026-03-29",
        to: "infinity",
      },
      {
        code: "receipt_without_payout",
        ref: null,
        expected: "0",
        actual: "204.17",
        from: "2026-03-24",
        to: "infinity",
      },
    ]);
    const [line] = await linesOf(books);
    expect(await suggestPayouts(books.db, line?.id ?? 0)).toMatchObject([
      { payoutRef: "PO-2026-03", sameAmount: true },
    ]);
  });

  test("on chain by its hash, whatever its case", async () => {
    const hash = `0x${"ab".repeat(32)}`;
    const books = await booksWith({ ref: "X", net: "15.5", currency: "usdc", hash });
    const csv = `hash,asset,amount,time,to\n${"AB".repeat(32)},USDC,15.5,2026-03-24T10:00:00Z,0x1\n`;
    const { file } = await importReceipts(
      { database: books.db },
      sourceOf(csv, "chain.csv"),
      requestFor(books),
    );
    expect(file.format).toBe("chain_csv");
    expect(await standing(books)).toMatchObject([{ state: "received", received: "15.5" }]);
  });

  test("one line pays several payouts that it names, in the order of their dates", async () => {
    const books = await booksWith(
      { ref: "PO-A-2026", net: "100" },
      { ref: "PO-B-2026", net: "50.5", day: "2026-03-25" },
    );
    await receive(books, [["2026-03-26", "150.50", "PO-B-2026 and PO-A-2026"]]);
    expect(await standing(books)).toMatchObject([
      { state: "received", received: "100" },
      { state: "received", received: "50.5" },
    ]);
    expect(await findings(books)).toEqual([]);
  });

  test("several lines pay one payout: short until the last has come", async () => {
    const books = await booksWith({ ref: "PO-2026-03", net: "100" });
    await receive(books, [
      ["2026-03-25", "60", "PO-2026-03 part 1"],
      ["2026-03-27", "40", "PO-2026-03 part 2"],
    ]);
    expect(await findings(books)).toEqual([
      {
        code: "payout_short",
        ref: "PO-2026-03",
        expected: "100",
        actual: "60",
        from: "2026-03-25",
        to: "2026-03-27",
      },
    ]);
    expect(await standing(books, "2026-03-26")).toMatchObject([{ state: "short", received: "60" }]);
    expect(await standing(books, "2026-03-28")).toMatchObject([{ state: "received", received: "100" }]);
  });

  test("a name that two providers use proves nothing", async () => {
    const books = await booksWith(
      { ref: "PAYOUT-0001", net: "10" },
      { ref: "PAYOUT-0001", net: "10", provider: "banxa" },
    );
    await receive(books, [["2026-03-24", "10", "PAYOUT-0001"]]);
    expect(await findings(books)).toMatchObject([
      { code: "payout_not_received" },
      { code: "payout_not_received" },
      { code: "receipt_without_payout" },
    ]);
  });
});

describe("what disagrees:", () => {
  test("short, over, late and missing", async () => {
    const books = await booksWith(
      { ref: "PO-SHORT-1", net: "100" },
      { ref: "PO-TWICE-1", net: "100" },
      { ref: "PO-LATE-01", net: "100" },
      { ref: "PO-NEVER-1", net: "100" },
    );
    await receive(books, [
      ["2026-03-20", "-5", "Fee"],
      ["2026-03-25", "90", "PO-SHORT-1"],
      ["2026-03-25", "100", "PO-TWICE-1"],
      ["2026-03-26", "100", "PO-TWICE-1 again"],
      ["2026-04-20", "100", "PO-LATE-01"],
    ]);
    expect(await findings(books)).toEqual([
      {
        code: "payout_not_received",
        ref: "PO-LATE-01",
        expected: "100",
        actual: "0",
        from: "2026-03-29",
        to: "2026-04-20",
      },
      {
        code: "payout_not_received",
        ref: "PO-NEVER-1",
        expected: "100",
        actual: "0",
        from: "2026-03-29",
        to: "infinity",
      },
      {
        code: "payout_over",
        ref: "PO-TWICE-1",
        expected: "100",
        actual: "200",
        from: "2026-03-26",
        to: "infinity",
      },
      {
        code: "payout_short",
        ref: "PO-SHORT-1",
        expected: "100",
        actual: "90",
        from: "2026-03-25",
        to: "infinity",
      },
    ]);
    expect((await standing(books, "2026-04-01")).map(({ state }) => state)).toEqual([
      "overdue",
      "overdue",
      "short",
      "over",
    ]);
  });

  test("a payout of before the first bank file, or in a currency without one, is not missed", async () => {
    const books = await booksWith(
      { ref: "PO-EARLY-1", net: "1" },
      { ref: "PO-OTHER-1", net: "1", currency: "GBP" },
    );
    await receive(books, [["2026-04-01", "5", "Something else"]]);
    expect(await findings(books)).toMatchObject([{ code: "receipt_without_payout", actual: "5" }]);
  });

  test("money that the bank takes back is missing again", async () => {
    const books = await booksWith({ ref: "PO-2026-03", net: "100" });
    await receive(books, [
      beforeAll,
      ["2026-03-25", "100", "PO-2026-03"],
      ["2026-03-27", "-100", "Return of PO-2026-03"],
    ]);
    expect(await standing(books, "2026-03-26")).toMatchObject([{ state: "received" }]);
    expect(await findings(books)).toMatchObject([{ code: "payout_not_received", from: "2026-03-29" }]);
  });

  test("settings decide what is tolerated, when it is due and how grave it is; what is tolerated is the bank's fee", async () => {
    const books = await booksWith({ ref: "PO-FEE-001", net: "100" }, { ref: "PO-NEVER-1", net: "100" });
    await receive(books, [beforeAll, ["2026-03-25", "88", "PO-FEE-001"]]);
    expect(await findings(books)).toMatchObject([
      { code: "payout_not_received" },
      { code: "payout_short", actual: "88" },
    ]);
    const receipts = {
      due_days: 10,
      tolerances: [{ currency: "EUR", under: "15", over: "0" }],
      levels: { payout_not_received: "warning" },
    };
    await saveSettings(books.db, {
      accountId: books.accountId,
      provider: "moonpay",
      settings: { receipts },
      seenVersion: null,
      reason: "wire fees",
      actor: "alice",
      requestId: "r",
    });
    await reconcileAccount(books.db, books.accountId);
    expect(await findings(books)).toMatchObject([{ code: "payout_not_received", from: "2026-04-03" }]);
    expect(await standing(books)).toMatchObject([
      { state: "received", received: "88", fee: "12" },
      { state: "overdue" },
    ]);
  });
});

test("a payout that is due when banks are closed is due on the next business day", async () => {
  const books = await booksWith({ ref: "PO-NEVER-1", net: "100" });
  await receive(books, [beforeAll]);
  // Dated the 24th: five days end with Saturday, the 28th.
  expect(await findings(books)).toMatchObject([{ code: "payout_not_received", from: "2026-03-29" }]);
  const close = async (calendar: object) => {
    await saveSettings(books.db, {
      accountId: books.accountId,
      provider: "moonpay",
      settings: { calendar },
      seenVersion: null,
      reason: "bank holidays",
      actor: "alice",
      requestId: "r",
    });
    await reconcileAccount(books.db, books.accountId);
    return findings(books);
  };
  expect(await close({ closed_on_weekends: true, holidays: [] })).toMatchObject([{ from: "2026-03-31" }]);
  const holidays = [{ day: "2026-03-30", name: "Easter Monday, by another calendar" }];
  expect(await close({ closed_on_weekends: true, holidays })).toMatchObject([{ from: "2026-04-01" }]);
  expect(await close({ closed_on_weekends: false, holidays })).toMatchObject([{ from: "2026-03-29" }]);
});

describe("by hand", () => {
  test("a line is matched with a payout, with a fee, from the day of the decision on, and parted again for good", async () => {
    const books = await booksWith({ ref: "PO-2026-03", net: "100" });
    await receive(books, [beforeAll, ["2026-03-25", "95", "no name at all"]]);
    const [line] = await linesOf(books);
    const wanted = {
      lineId: line?.id ?? 0,
      payoutId: await payoutId(books, "PO-2026-03"),
      bankFee: decimal("5"),
      reason: "seen by mail",
    };
    const match = await matchReceipt(books.db, everyone, wanted, author);
    expect(match).toMatchObject({
      rule: "person",
      amount: "95",
      bankFee: "5",
      state: "active",
      madeBy: "alice",
    });
    expect(await standing(books)).toMatchObject([{ state: "received", received: "95", fee: "5" }]);
    expect(await standing(books, "2026-04-15")).toMatchObject([{ state: "overdue", received: "0" }]);
    await reconcileAccount(books.db, books.accountId, { full: true });
    expect(await listReceiptMatches(books.db, { lineId: line?.id ?? 0 })).toHaveLength(1);

    await unmatchReceipt(books.db, everyone, { matchId: match.id, reason: "wrong one" }, author);
    expect(await standing(books)).toMatchObject([{ state: "overdue", received: "0" }]);
    const audited = await books.db.query(
      "select action from tieout.audit_log where action like 'receipt_match%' order by number",
    );
    expect(audited.map((row) => (row as { action: string }).action)).toEqual([
      "receipt_match.made",
      "receipt_match.ended",
    ]);
  });

  test("what a person has parted no rule matches again; what is left of a line goes by rule", async () => {
    const books = await booksWith({ ref: "PO-A-2026", net: "60" }, { ref: "PO-B-2026", net: "40" });
    await receive(books, [beforeAll, ["2026-03-25", "100", "PO-A-2026"]]);
    expect(await findings(books)).toMatchObject([
      { code: "payout_not_received", ref: "PO-B-2026" },
      { code: "payout_over", ref: "PO-A-2026" },
    ]);
    const [line] = await linesOf(books);
    const lineId = line?.id ?? 0;
    const wanted = {
      lineId,
      payoutId: await payoutId(books, "PO-B-2026"),
      amount: decimal("40"),
      reason: "both",
    };
    await matchReceipt(books.db, everyone, wanted, author);
    expect((await standing(books)).map(({ state }) => state)).toEqual(["received", "received"]);
    const byRule = (await listReceiptMatches(books.db, { lineId })).find(
      ({ rule, state }) => rule === "reference" && state === "active",
    );
    await unmatchReceipt(books.db, everyone, { matchId: byRule?.id ?? 0, reason: "not this" }, author);
    await reconcileAccount(books.db, books.accountId, { full: true });
    expect((await standing(books)).map(({ state }) => state)).toEqual(["overdue", "received"]);
  });

  test("an amount finer than its currency is refused, unless the bank or the provider is as fine", async () => {
    const books = await booksWith({ ref: "PO-2026-03", net: "100" }, { ref: "PO-FINE-26", net: "60.125" });
    await receive(books, [beforeAll, ["2026-03-25", "160", "both"]]);
    const [line] = await linesOf(books);
    const match = async (ref: string, given: { amount: string; bankFee?: string }) => {
      const { amount, bankFee } = given;
      const wanted = { lineId: line?.id ?? 0, payoutId: await payoutId(books, ref), reason: "r" };
      const amounts = { amount: decimal(amount), ...(bankFee ? { bankFee: decimal(bankFee) } : {}) };
      return matchReceipt(books.db, everyone, { ...wanted, ...amounts }, author);
    };
    const refusal = /99\.995 has more decimals than EUR has here: at most 2/;
    await expect(match("PO-2026-03", { amount: "99.995" })).rejects.toThrow(refusal);
    await expect(match("PO-2026-03", { amount: "99", bankFee: "0.005" })).rejects.toThrow(/0\.005 has more/);
    expect(await match("PO-2026-03", { amount: "99.99" })).toMatchObject({ amount: "99.99" });
    expect(await match("PO-FINE-26", { amount: "60.005" })).toMatchObject({ amount: "60.005" });
  });

  test("what is left of a line is without payout, also where the bank states another amount as sent", async () => {
    const books = await booksWith({ ref: "PO-A-2026", net: "40" });
    const csv =
      "Account,Booking date,Amount,Currency,Description,Original amount,Original currency\n" +
      "DE1,2026-03-25,100,EUR,sent in dollars,110,USD\n";
    await importReceipts({ database: books.db }, sourceOf(csv), requestFor(books));
    const [line] = await linesOf(books);
    const lineId = line?.id ?? 0;
    const wanted = { lineId, payoutId: await payoutId(books, "PO-A-2026"), reason: "ours" };
    await matchReceipt(books.db, everyone, wanted, author);
    expect(await linesOf(books)).toMatchObject([{ unmatched: "60" }]);
    expect((await findings(books)).filter(({ to }) => to === "infinity")).toMatchObject([
      { code: "receipt_without_payout", actual: "60" },
    ]);
    const report = parseCsv(
      await readReport(books.db, requestForReport("receipts", { account: [books.name] })),
    );
    expect(report).toMatchObject([{ settled: "40", unmatched: "60" }]);
  });

  test("a line in another currency, of another account or that does not count is refused", async () => {
    const books = await booksWith({ ref: "PO-GBP-001", net: "100", currency: "GBP" });
    const { file } = await receive(books, [["2026-03-25", "100", "x"]]);
    const [line] = await linesOf(books);
    const wanted = { lineId: line?.id ?? 0, payoutId: await payoutId(books, "PO-GBP-001"), reason: "r" };
    await expect(matchReceipt(books.db, everyone, wanted, author)).rejects.toThrow(
      /is in GBP, and .* in EUR/,
    );
    await expect(matchReceipt(books.db, { accountIds: [] }, wanted, author)).rejects.toThrow(
      /there is no bank line/,
    );
    await withdrawReceipts(books.db, { fileId: file.id, reason: "wrong file", actor: "alice" });
    await expect(matchReceipt(books.db, everyone, wanted, author)).rejects.toThrow(/does not count/);
  });
});

describe("two times:", () => {
  test("what was known before an import stays what it was, and a withdrawal takes everything back", async () => {
    const books = await booksWith({ ref: "PO-2026-03", net: "100" });
    const { file } = await receive(books, [["2026-03-26", "100", "PO-2026-03"]]);
    const [{ at } = { at: "" }] = await books.db.query<{ at: string }>(
      "select clock_timestamp()::text as at",
    );
    await withdrawReceipts(books.db, { fileId: file.id, reason: "wrong file", actor: "alice" });
    expect(await standing(books, "2026-04-20")).toMatchObject([{ state: "declared", received: "0" }]);
    expect(await standing(books, "2026-04-20", at)).toMatchObject([{ state: "received", received: "100" }]);
    expect(await findings(books)).toEqual([]);
  });

  test("a second run writes nothing, and an incremental one equals a full one", async () => {
    const books = await booksWith({ ref: "PO-A-2026", net: "100" }, { ref: "PO-B-2026", net: "50" });
    await receive(books, [
      ["2026-03-25", "150", "PO-A-2026 PO-B-2026"],
      ["2026-03-26", "7", "foreign"],
    ]);
    await declarePayouts(books, [{ ref: "PO-C-2026", net: "7" }]);
    await receive(books, [["2026-03-27", "9", "PO-C-2026"]]);
    const before = await snapshot(books);
    await reconcileAccount(books.db, books.accountId);
    await reconcileAccount(books.db, books.accountId, { full: true });
    expect(await snapshot(books)).toEqual(before);
    expect((await standing(books)).map(({ state }) => state)).toEqual(["received", "received", "over"]);
  });

  test("a name that only one provider uses, since the other's file was withdrawn, settles at once", async () => {
    const books = await booksWith(
      { ref: "PAYOUT-0001", net: "10" },
      { ref: "PAYOUT-0001", net: "10", provider: "banxa" },
    );
    await receive(books, [["2026-03-24", "10", "PAYOUT-0001"]]);
    const [file] = await books.db.query<{ id: number }>(
      "select id::int from tieout.statements where account_id = $1 and provider = 'banxa'",
      [books.accountId],
    );
    await withdraw(books, file?.id ?? 0);
    await reconcileAccount(books.db, books.accountId);
    expect((await standing(books)).map(({ state }) => state)).toEqual(["withdrawn", "received"]);
    expect(await findings(books)).toEqual([]);
  });

  test("a payout that is declared after its money came is settled by the import that declares it", async () => {
    const books = await booksWith({ ref: "PO-A-2026", net: "100" });
    await receive(books, [["2026-03-25", "30", "PO-NEW-2026"]]);
    await declarePayouts(books, [{ ref: "PO-NEW-2026", net: "30" }]);
    expect((await standing(books)).find(({ ref }) => ref === "PO-NEW-2026")).toMatchObject({
      state: "received",
    });
  });
});

describe("files:", () => {
  test("a preview shows what an import does, and writes nothing", async () => {
    const books = await booksWith({ ref: "PO-2026-03", net: "100" });
    const shown = await preview(books, [["2026-03-26", "100", "PO-2026-03"]]);
    expect(shown).toMatchObject({ state: "previewed", counts: { matched: 1 }, file: { rowsAccepted: 1 } });
    expect(await linesOf(books)).toEqual([]);
    expect(await standing(books, "2026-03-27")).toMatchObject([{ state: "declared" }]);
  });

  test("the same file again, and an overlapping one, double nothing; a restated line is a new version", async () => {
    const books = await booksWith({ ref: "PO-2026-03", net: "100" });
    const rows = [
      ["2026-03-25", "50", "twin", "EUR", ""],
      ["2026-03-25", "50", "twin", "EUR", ""],
      ["2026-03-26", "100", "unclear", "EUR", "BK-1"],
    ] as const;
    await receive(books, rows);
    expect(await receive(books, rows)).toMatchObject({ state: "already_imported" });
    const corrected = [...rows.slice(0, 2), ["2026-03-26", "100", "PO-2026-03", "EUR", "BK-1"]] as const;
    expect(await receive(books, corrected)).toMatchObject({
      file: { rowsAccepted: 1, rowsRestated: 1, rowsDuplicate: 2, rowsRejected: 0 },
    });
    expect((await linesOf(books)).map(({ amount }) => amount)).toEqual(["100", "50", "50"]);
    expect(await standing(books)).toMatchObject([{ state: "received", received: "100" }]);
  });
});

async function snapshot(books: Books) {
  return books.db.query(
    `select 'match' as kind, m.id::text as id, m.xmin::text from tieout.receipt_matches as m where m.account_id = $1
     union all
     select 'finding', f.id::text, f.xmin::text from tieout.findings as f where f.account_id = $1
     order by 1, 2`,
    [books.accountId],
  );
}
