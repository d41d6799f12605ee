import { appendFileSync, mkdtempSync, rmSync, truncateSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { decimal } from "../../../src/core/decimal.ts";
import { openJournal } from "../../../src/sandbox/checkout/journal.ts";
import type { Purchase } from "../../../src/sandbox/checkout/purchase.ts";
import { writeRecord } from "../../../src/sandbox/record.ts";

let folder = "";
let warnings: string[] = [];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "journal-"));
  warnings = [];
});
afterEach(() => rmSync(folder, { recursive: true }));

const open = (extraFields = false) =>
  openJournal({ dataDir: folder, extraFields, warn: (message) => warnings.push(message) });
const file = () => join(folder, "checkouts.jsonl");
const apiKey = "pk_sandbox";
const far = { now: 9_000_000, apiKey };

function aPurchase(number: number): Purchase {
  return {
    transactionId: `T${number}`,
    sessionId: `S${number}`,
    createdMs: 1000 * number,
    expiresMs: 1000 * number + 600_000,
    apiKey: "pk_sandbox",
    country: "DE",
    side: "buy",
    providerId: "moonpay",
    providerTransactionId: `P${number}`,
    method: "creditcard",
    source: "eur",
    target: "eth",
    inAmount: decimal("100.50"),
    outAmount: decimal("0.031065337770278494"),
    transactionHash: `0x${number}`,
    walletAddress: "0xabc",
    partnerContext: "order",
  };
}

const paid = (number: number) => ({
  transactionId: `T${number}`,
  decision: "pay" as const,
  statuses: [
    { status: "pending", atMs: 20_000 },
    { status: "completed", atMs: 30_000 },
  ],
});

describe("the journal", () => {
  test("shows a status when its time has come, oldest first", () => {
    const journal = open();
    journal.add(aPurchase(1));
    journal.decide(paid(1));
    const at = (now: number) => journal.records({ now, apiKey }).map(({ status }) => status);
    expect(at(999)).toEqual([]);
    expect(at(1000)).toEqual(["new"]);
    expect(at(29_999)).toEqual(["new", "pending"]);
    expect(at(30_000)).toEqual(["new", "pending", "completed"]);
    expect(at(20_000)).toEqual(["new", "pending"]);
    journal.close();
  });

  test("hands out the same array until something comes true or is added", () => {
    const journal = open();
    journal.add(aPurchase(1));
    const first = journal.records({ now: 2000, apiKey });
    expect(journal.records({ now: 600_999, apiKey })).toBe(first);
    expect(journal.records({ now: 601_000, apiKey })).not.toBe(first);
    journal.close();
  });

  test("is the same after a restart", () => {
    const before = open();
    before.add(aPurchase(1));
    before.add(aPurchase(2));
    before.decide(paid(1));
    const records = before.records(far).map(writeRecord);
    before.close();
    const after = open();
    expect(after.records(far).map(writeRecord)).toEqual(records);
    expect(after.bySession("S2")?.purchase.transactionId).toBe("T2");
    expect(() => after.decide(paid(1))).toThrow(/used/);
    expect(warnings).toEqual([]);
    after.close();
  });

  test("drops a line torn by a crash at any byte, says so, and goes on cleanly", () => {
    const before = open();
    before.add(aPurchase(1));
    const whole = statSync(file()).size;
    before.add(aPurchase(2));
    before.close();
    const size = statSync(file()).size;
    for (const cut of [size - 1, size - 10, whole + 1]) {
      truncateSync(file(), cut);
      const journal = open();
      expect(journal.records(far).map(({ transactionId }) => transactionId)).toEqual(["T1", "T1"]);
      expect(warnings.pop()).toContain("unfinished last line");
      journal.add(aPurchase(2));
      journal.close();
      const again = open();
      expect(again.byTransaction("T2")).toBeDefined();
      expect(warnings).toEqual([]);
      again.close();
    }
  });

  test("leaves out a line it does not understand, and keeps the rest", () => {
    const before = open();
    before.add(aPurchase(1));
    before.close();
    appendFileSync(
      file(),
      'not json\n{"outcome":{"transactionId":"T9","decision":"pay","statuses":[]}}\n{"other":1}\n',
    );
    const journal = open();
    expect(warnings).toHaveLength(3);
    expect(journal.byTransaction("T1")).toBeDefined();
    journal.close();
  });

  test("keeps the orders of each account apart", () => {
    const journal = open();
    journal.add(aPurchase(1));
    journal.add({ ...aPurchase(2), apiKey: "pk_other" });
    const idsOf = (key: string) =>
      new Set(journal.records({ ...far, apiKey: key }).map(({ transactionId }) => transactionId));
    expect([...idsOf(apiKey)]).toEqual(["T1"]);
    expect([...idsOf("pk_other")]).toEqual(["T2"]);
    expect(idsOf("pk_third").size).toBe(0);
    journal.close();
  });

  test("keeps what an order said before it was corrected, after a restart too", () => {
    const before = open();
    before.add(aPurchase(1));
    before.amend({ ...aPurchase(1), walletAddress: "0xdef", amendedMs: 5000 });
    before.decide(paid(1));
    before.close();
    const after = open();
    const told = after
      .records(far)
      .map(({ status, statusDate, walletAddress }) => [status, Date.parse(statusDate), walletAddress]);
    expect(told).toEqual([
      ["new", 1000, "0xabc"],
      ["new", 5000, "0xdef"],
      ["pending", 20_000, "0xdef"],
      ["completed", 30_000, "0xdef"],
    ]);
    after.close();
  });

  test("keeps how far the person has come, through corrections and a restart", () => {
    const before = open();
    before.add(aPurchase(1));
    before.note({ transactionId: "T1", emailHint: "a•••@example.org" });
    before.note({ transactionId: "T1", emailHint: "a•••@example.org", isEmailConfirmed: true });
    before.amend({ ...aPurchase(1), outAmount: decimal("0.03"), amendedMs: 5000 });
    const { progress } = before.byTransaction("T1") ?? {};
    expect(progress).toEqual({ transactionId: "T1", emailHint: "a•••@example.org", isEmailConfirmed: true });
    expect(() => before.note({ transactionId: "T9" })).toThrow(/no such checkout/);
    before.close();
    const after = open();
    expect(after.byTransaction("T1")?.progress).toEqual(progress);
    expect(warnings).toEqual([]);
    after.close();
  });

  test("gives no provider's id to an order that the provider never heard of", () => {
    const journal = open();
    journal.add(aPurchase(1));
    expect(
      journal.records(far).map(({ status, onrampTransactionId }) => [status, onrampTransactionId]),
    ).toEqual([
      ["new", ""],
      ["canceled", ""],
    ]);
    journal.close();
  });

  test("sends partnerContext only when told to, and every digit always", () => {
    const plain = open();
    plain.add(aPurchase(1));
    const [record] = plain.records(far).map(writeRecord);
    expect(record).toContain('"inAmount":100.5,"outAmount":0.031065337770278494,');
    expect(record).not.toContain("partnerContext");
    plain.close();
    const talkative = open(true);
    expect(talkative.records(far).map(writeRecord)[0]).toContain('"partnerContext":"order"');
    talkative.close();
  });
});
