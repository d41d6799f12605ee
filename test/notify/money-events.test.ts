import { readFile } from "node:fs/promises";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { eventTypeNames } from "../../src/core/event-types.ts";
import { preparePeriod } from "../../src/close/prepare.ts";
import { approvePeriod, lapseIfChanged, reopenPeriod } from "../../src/close/sign.ts";
import { matchReceipt } from "../../src/reconcile/receipts/match-receipt.ts";
import { withdrawReceipts } from "../../src/reconcile/receipts/withdraw-receipts.ts";
import { reconcileAccount } from "../../src/reconcile/reconcile.ts";
import { listReceiptLines } from "../../src/store/receipts/receipt-reads.ts";
import { addMissingOrder, alice, bob, monthOfBooks, openMonth } from "../close/a-month.ts";
import { type Books, openBooks } from "../reconcile/books.ts";
import { declarePayouts, preview, receive } from "../reconcile/receipts/bank.ts";
import { type ScriptedServer, startHttpServer } from "../support/http-server.ts";
import { useTestDatabase } from "../support/test-database.ts";
import { waitFor } from "../support/wait-for.ts";
import { anEndpoint, aSender, eventIn, type ReceivedEvent, type SenderOfTest } from "./an-endpoint.ts";

const database = useTestDatabase();
let receiver: ScriptedServer;
let sender: SenderOfTest;

beforeEach(async () => {
  receiver = await startHttpServer(() => ({ status: 204, body: "" }));
  sender = aSender(database.db);
});

afterEach(async () => {
  await sender.stop();
  await receiver.close();
  await database.db.query("delete from tieout.webhook_endpoints");
  await database.db.query("delete from tieout.events");
});

/** Everything that was written is delivered; what came, in its order. */
async function told(): Promise<ReceivedEvent[]> {
  await waitFor("everything is delivered", async () => {
    const [row] = await database.db.query<{ n: number }>(
      "select count(*)::int as n from tieout.webhook_deliveries where state = 'pending'",
    );
    return row?.n === 0;
  });
  return receiver.requests.map(eventIn);
}

const short = async () =>
  (await told()).map(({ type, data }) => [
    type,
    data["payout_ref"],
    data["received"],
    data["expected"],
    data["state"],
  ]);

describe("payouts", () => {
  async function booksWith(...payouts: Parameters<typeof declarePayouts>[1]): Promise<Books> {
    const books = await openBooks(database.db);
    await declarePayouts(books, payouts);
    await anEndpoint(database.db, receiver.url, { events: ["payout.received", "payout.short"] });
    return books;
  }

  test("are told as received, with what came and what the bank kept, and only once", async () => {
    const books = await booksWith({ ref: "PO-2026-03", net: "204.17" }, { ref: "PO-2026-04", net: "10" });
    await receive(books, [["2026-03-26", "204.17", "Share of March PO-2026-03"]]);
    await reconcileAccount(books.db, books.accountId, { full: true });
    const [event, ...others] = await told();
    expect(others).toEqual([]);
    expect(event).toMatchObject({
      type: "payout.received",
      data: {
        account: books.name,
        provider: "moonpay",
        payout_ref: "PO-2026-03",
        currency: "EUR",
        expected: "204.17",
        received: "204.17",
        bank_fee: "0",
        state: "received",
      },
    });
    expect(event?.data["id"]).toMatch(/^po_\d+$/);
  });

  test("are short until the rest has come, and short again when a file is withdrawn", async () => {
    const books = await booksWith({ ref: "PO-2026-03", net: "100" });
    await receive(books, [["2026-03-25", "60", "PO-2026-03 part one"]]);
    const { file } = await receive(books, [["2026-03-26", "40", "PO-2026-03 part two"]]);
    await withdrawReceipts(database.db, { fileId: file?.id ?? 0, reason: "wrong account", actor: "test" });
    expect(await short()).toEqual([
      ["payout.short", "PO-2026-03", "60", "100", "short"],
      ["payout.received", "PO-2026-03", "100", "100", "received"],
      ["payout.short", "PO-2026-03", "60", "100", "short"],
    ]);
  });

  test("that lose all that had arrived are short, and more than was declared is received", async () => {
    const books = await booksWith({ ref: "PO-2026-03", net: "100" });
    const { file } = await receive(books, [["2026-03-25", "130", "PO-2026-03"]]);
    await withdrawReceipts(database.db, { fileId: file?.id ?? 0, reason: "wrong account", actor: "test" });
    expect(await short()).toEqual([
      ["payout.received", "PO-2026-03", "130", "100", "over"],
      ["payout.short", "PO-2026-03", "0", "100", "declared"],
    ]);
  });

  test("that a person matches are told as well; a preview tells nothing", async () => {
    const books = await booksWith({ ref: "PO-2026-03", net: "100" });
    await preview(books, [["2026-03-25", "100", "PO-2026-03"]]);
    await receive(books, [["2026-03-25", "95", "no name"]]);
    expect(await told()).toEqual([]);
    const reader = { database: books.db, accountIds: [books.accountId] };
    const { rows } = await listReceiptLines(reader, {}, { limit: 1, after: null });
    const [payout] = await books.db.query<{ id: number }>(
      "select id::int from tieout.payouts where account_id = $1",
      [books.accountId],
    );
    const wanted = { lineId: rows[0]?.id ?? 0, payoutId: payout?.id ?? 0, reason: "seen by mail" };
    await matchReceipt(books.db, { accountIds: null }, wanted, { actor: "alice" });
    expect(await short()).toEqual([["payout.short", "PO-2026-03", "95", "100", "short"]]);
  });
});

describe("periods", () => {
  test("are told as prepared, lapsed, closed and reopened, by whom, with what was signed", async () => {
    await anEndpoint(database.db, receiver.url, {
      events: ["period.prepared", "period.lapsed", "period.closed", "period.reopened"],
    });
    const books = await openMonth(database.db);
    const { packSha256 } = await preparePeriod(database.db, await monthOfBooks(books), [], alice);
    await addMissingOrder(books, `${books.name} late`);
    await lapseIfChanged(database.db, await monthOfBooks(books));
    const accepted = [{ line: "discrepancies", reason: "the provider looks into it" }];
    const again = await preparePeriod(database.db, await monthOfBooks(books), accepted, alice);
    await approvePeriod(database.db, await monthOfBooks(books), bob);
    await reopenPeriod(database.db, await monthOfBooks(books), "an order was missing", alice);
    await reopenPeriod(database.db, await monthOfBooks(books), "agreed", bob);
    const events = await told();
    expect(
      events.map(({ type, data }) => [type, data["state"], data["by"], data["pack_sha256"], data["reason"]]),
    ).toEqual([
      ["period.prepared", "prepared", alice.name, packSha256, null],
      [
        "period.lapsed",
        "open",
        "tieout",
        null,
        `changed since it was prepared: 1 record (${books.name} late)`,
      ],
      ["period.prepared", "prepared", alice.name, again.packSha256, null],
      ["period.closed", "closed", bob.name, again.packSha256, null],
      ["period.reopened", "reopened", bob.name, null, "agreed"],
    ]);
    expect(events[0]?.data).toMatchObject({
      account: books.name,
      month: "2026-03",
      timezone: "UTC",
      from: "2026-03-01T00:00:00.000Z",
      to: "2026-04-01T00:00:00.000Z",
    });
  });
});

test("every type of event is in the documentation", async () => {
  const text = await readFile("docs/webhooks.md", "utf8");
  const rows = text.split("\n").filter((line) => line.startsWith("| `"));
  const named = rows.flatMap((row) => [...(row.split("|")[1] ?? "").matchAll(/`([a-z]+\.[a-z]+)`/g)]);
  expect(named.map(([, name]) => name ?? "").toSorted()).toEqual(eventTypeNames.toSorted());
});
