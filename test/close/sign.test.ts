import { describe, expect, test } from "vitest";
import { carryForward } from "../../src/close/carry-forward.ts";
import { checkPeriod, NotInOrder, preparePeriod } from "../../src/close/prepare.ts";
import { approvePeriod, lapseIfChanged, reopenPeriod } from "../../src/close/sign.ts";
import { listPeriodEvents } from "../../src/store/periods/period-reads.ts";
import { withdraw } from "../reconcile/books.ts";
import { useTestDatabase } from "../support/test-database.ts";
import { addMissingOrder, alice, bob, monthOfBooks, openMonth } from "./a-month.ts";

const database = useTestDatabase();

async function closedMonth() {
  const books = await openMonth(database.db);
  await preparePeriod(database.db, await monthOfBooks(books), [], alice);
  await approvePeriod(database.db, await monthOfBooks(books), bob);
  return books;
}

test("the checklist of a month in order is green in every line", async () => {
  const books = await openMonth(database.db);
  const checklist = await checkPeriod(database.db, await monthOfBooks(books));
  expect(checklist.lines.map(({ line, state, says }) => ({ line, state, says }))).toEqual(
    checklist.lines.map(({ line, says }) => ({ line, state: "green", says })),
  );
  expect(checklist.lines.find(({ line }) => line === "payouts")?.says).toBe(
    "1 tied, 0 not tied, 0 not declared yet.",
  );
});

test("two people close a month, and it keeps what it was closed with", async () => {
  const books = await openMonth(database.db);
  const { packSha256, knownAt } = await preparePeriod(database.db, await monthOfBooks(books), [], alice);
  expect(await monthOfBooks(books)).toMatchObject({ state: "prepared" });
  await approvePeriod(database.db, await monthOfBooks(books), bob);
  const { state, row } = await monthOfBooks(books);
  expect(state).toBe("closed");
  expect(row).toMatchObject({ preparedByName: alice.name, closedByName: bob.name });
  expect(row?.packSha256?.toString("hex")).toBe(packSha256);
  expect(new Date(row?.knownAt ?? 0).toISOString().slice(0, 22)).toBe(knownAt.slice(0, 22));
});

test("whoever waits is told of every file of the pack", async () => {
  const books = await openMonth(database.db);
  const told: string[] = [];
  const onFile = (written: number, files: number) => void told.push(`${written} of ${files}`);
  await preparePeriod(database.db, await monthOfBooks(books), [], alice, { onFile });
  expect(told).toEqual(Array.from({ length: 21 }, (_, at) => `${at + 3} of 23`));
});

test("the person who prepared a month cannot approve it", async () => {
  const books = await openMonth(database.db);
  await preparePeriod(database.db, await monthOfBooks(books), [], alice);
  await expect(approvePeriod(database.db, await monthOfBooks(books), alice)).rejects.toThrow(
    "Alice Example prepared 2026-03: another person has to approve it",
  );
  expect(await monthOfBooks(books)).toMatchObject({ state: "prepared" });
});

test("a month that nobody prepared cannot be approved", async () => {
  const books = await openMonth(database.db);
  await expect(approvePeriod(database.db, await monthOfBooks(books), bob)).rejects.toThrow(
    "prepare it before it can be approved",
  );
});

test("what the approver did not see is not approved", async () => {
  const books = await openMonth(database.db);
  await preparePeriod(database.db, await monthOfBooks(books), [], alice);
  const another = { packSha256: "00".repeat(32) };
  await expect(approvePeriod(database.db, await monthOfBooks(books), bob, another)).rejects.toThrow(
    "prepared with another pack",
  );
});

describe("a red line", () => {
  test("keeps a month from being prepared, unless someone accepts it with a reason", async () => {
    const books = await openMonth(database.db);
    await addMissingOrder(books, "lost-1");
    const period = await monthOfBooks(books);
    const refused = await preparePeriod(database.db, period, [], alice).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(NotInOrder);
    expect((refused as NotInOrder).lines.map(({ line }) => line)).toEqual(["discrepancies"]);
    await expect(
      preparePeriod(database.db, period, [{ line: "discrepancies", reason: " " }], alice),
    ).rejects.toThrow("not in order");
    const accepted = [{ line: "discrepancies", reason: "the provider looks into it" }];
    await preparePeriod(database.db, period, accepted, alice);
    const [prepared] = await listPeriodEvents(database.db, period);
    expect(prepared?.accepted).toEqual(accepted);
  });

  test("is in order when every error behind it is carried forward", async () => {
    const books = await openMonth(database.db);
    await addMissingOrder(books, "lost-2");
    const period = await monthOfBooks(books);
    const given = { owner: alice.name, reason: "asked the provider" };
    const carry = async (order = {}) =>
      (await carryForward(database.db, period, { ...given, ...order }, alice)).carried;
    expect(await carry({ provider: "other" })).toBe(0);
    expect(await carry()).toBe(1);
    expect(await carry()).toBe(0);
    const { lines } = await checkPeriod(database.db, period);
    expect(lines.find(({ line }) => line === "discrepancies")).toMatchObject({ state: "amber", left: 0 });
    await preparePeriod(database.db, period, [], alice);
  });

  test("that the checklist does not have cannot be accepted", async () => {
    const books = await openMonth(database.db);
    await expect(
      preparePeriod(database.db, await monthOfBooks(books), [{ line: "weather", reason: "rain" }], alice),
    ).rejects.toThrow('no line "weather"');
  });
});

describe("a preparation lapses", () => {
  test("when anything beneath it changes, and can then not be approved", async () => {
    const books = await openMonth(database.db);
    await preparePeriod(database.db, await monthOfBooks(books), [], alice);
    expect(await lapseIfChanged(database.db, await monthOfBooks(books))).toEqual([]);
    const stale = await monthOfBooks(books);
    await addMissingOrder(books, "late-1");
    await expect(approvePeriod(database.db, stale, bob)).rejects.toThrow(
      /has lapsed: prepare it again. Changed: .*1 record \(late-1\)/,
    );
    expect(await monthOfBooks(books)).toMatchObject({ state: "open" });
    const events = await listPeriodEvents(database.db, stale);
    expect(events.map(({ event }) => event)).toEqual(["prepared", "lapsed"]);
    expect(events[1]?.changes).toContainEqual({ fact: "records", changes: 1, first: ["late-1"] });
    expect(events[1]?.reason).toBe("changed since it was prepared: 1 record (late-1)");
  });

  test("when a statement is withdrawn", async () => {
    const books = await openMonth(database.db);
    await preparePeriod(database.db, await monthOfBooks(books), [], alice);
    const [file] = await database.db.query<{ id: number }>(
      "select id::int from tieout.statements where account_id = $1",
      [books.accountId],
    );
    await withdraw(books, file?.id ?? 0);
    expect(await lapseIfChanged(database.db, await monthOfBooks(books))).not.toEqual([]);
  });

  test("once, if two workers and an approver find the change at the same moment", async () => {
    const books = await openMonth(database.db);
    await preparePeriod(database.db, await monthOfBooks(books), [], alice);
    const seen = await monthOfBooks(books);
    await addMissingOrder(books, "late-2");
    const [first, second, approved] = await Promise.allSettled([
      lapseIfChanged(database.db, seen),
      lapseIfChanged(database.db, seen),
      approvePeriod(database.db, seen, bob),
    ]);
    const changed = expect.arrayContaining([{ fact: "records", changes: 1, first: ["late-2"] }]) as object;
    expect([first, second]).toEqual(
      Array.from({ length: 2 }, () => ({ status: "fulfilled", value: changed })),
    );
    expect(String((approved as PromiseRejectedResult).reason)).toContain("its signature has lapsed");
    const events = await listPeriodEvents(database.db, seen);
    expect(events.map(({ event }) => event)).toEqual(["prepared", "lapsed"]);
  });

  test("not if the month has been prepared again meanwhile; what the approver saw stands no more", async () => {
    const books = await openMonth(database.db);
    await preparePeriod(database.db, await monthOfBooks(books), [], alice);
    const seen = await monthOfBooks(books);
    await addMissingOrder(books, "late-3");
    await lapseIfChanged(database.db, seen);
    const because = [{ line: "discrepancies", reason: "asked" }];
    await preparePeriod(database.db, await monthOfBooks(books), because, alice);
    expect(await lapseIfChanged(database.db, seen)).toEqual([]);
    await expect(approvePeriod(database.db, seen, bob)).rejects.toThrow(
      "2026-03 has changed since it was read (1 record): prepare it again",
    );
    expect(await monthOfBooks(books)).toMatchObject({ state: "prepared" });
  });

  test("but not because of what happens after the month", async () => {
    const books = await openMonth(database.db);
    await preparePeriod(database.db, await monthOfBooks(books), [], alice);
    const { addRecords } = await import("../reconcile/books.ts");
    await addRecords(books, [{ id: "april-1", at: "2026-04-02T12:00:00Z" }]);
    expect(await lapseIfChanged(database.db, await monthOfBooks(books))).toEqual([]);
    await approvePeriod(database.db, await monthOfBooks(books), bob);
  });
});

describe("reopening", () => {
  test("takes two people, and the earlier close stays readable", async () => {
    const books = await closedMonth();
    expect(await reopenPeriod(database.db, await monthOfBooks(books), "a late refund", alice)).toBe(
      "reopen_asked",
    );
    expect(await monthOfBooks(books)).toMatchObject({ state: "closed" });
    await expect(
      reopenPeriod(database.db, await monthOfBooks(books), "a late refund", alice),
    ).rejects.toThrow("another person has to agree");
    expect(await reopenPeriod(database.db, await monthOfBooks(books), "agreed", bob)).toBe("reopened");
    expect(await monthOfBooks(books)).toMatchObject({ state: "reopened", row: { knownAt: null } });
    const events = await listPeriodEvents(database.db, await monthOfBooks(books));
    expect(events.map(({ event }) => event)).toEqual(["prepared", "approved", "reopen_asked", "reopened"]);
    expect(events[1]?.packSha256).not.toBeNull();
    await preparePeriod(database.db, await monthOfBooks(books), [], bob);
    await approvePeriod(database.db, await monthOfBooks(books), alice);
    expect(await monthOfBooks(books)).toMatchObject({ state: "closed" });
  });

  test("is asked for once, however many requests come together", async () => {
    const books = await closedMonth();
    const seen = await monthOfBooks(books);
    const asked = await Promise.allSettled(
      ["one", "two", "three"].map((reason) => reopenPeriod(database.db, seen, reason, alice)),
    );
    expect(asked.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    const events = await listPeriodEvents(database.db, await monthOfBooks(books));
    expect(events.filter(({ event }) => event === "reopen_asked")).toHaveLength(1);
  });

  test("is not agreed to by someone who was let in by whoever asked, and says why", async () => {
    const books = await closedMonth();
    await reopenPeriod(database.db, await monthOfBooks(books), "a late refund", alice);
    const letIn = { ...bob, vouchedBy: alice.actor };
    await expect(reopenPeriod(database.db, await monthOfBooks(books), "agreed", letIn)).rejects.toThrow(
      "one of you signed in through a link that the other could have used",
    );
  });

  test("is asked for again by someone who has signed in another way since, and then agreed to", async () => {
    const books = await closedMonth();
    const reopen = async (signer: Parameters<typeof reopenPeriod>[3]) =>
      reopenPeriod(database.db, await monthOfBooks(books), "a late refund", signer);
    await reopen({ ...alice, vouchedBy: bob.actor });
    await expect(reopen(bob)).rejects.toThrow("one of you signed in through a link");
    expect(await reopen({ ...alice, vouchedBy: null })).toBe("reopen_asked");
    expect(await reopen(bob)).toBe("reopened");
  });

  test("is for closed months only", async () => {
    const books = await openMonth(database.db);
    await expect(reopenPeriod(database.db, await monthOfBooks(books), "why", alice)).rejects.toThrow(
      "is open, not closed",
    );
  });
});

test("months close in order", async () => {
  const books = await openMonth(database.db);
  await preparePeriod(database.db, await monthOfBooks(books), [], alice);
  await expect(preparePeriod(database.db, await monthOfBooks(books, "2026-04"), [], alice)).rejects.toThrow(
    "an earlier month than 2026-04 is not closed",
  );
  await approvePeriod(database.db, await monthOfBooks(books), bob);
  await expect(preparePeriod(database.db, await monthOfBooks(books, "2026-05"), [], alice)).rejects.toThrow(
    "the last closed month is 2026-03",
  );
  await preparePeriod(database.db, await monthOfBooks(books, "2026-04"), [], alice);
  await approvePeriod(database.db, await monthOfBooks(books, "2026-04"), bob);
  await expect(reopenPeriod(database.db, await monthOfBooks(books), "why", alice)).rejects.toThrow(
    "2026-04 is closed too",
  );
});

test("a month that is not over, has not begun or lies before the first cannot be prepared", async () => {
  const books = await openMonth(database.db);
  const [row] = await database.db.query<{ month: string }>("select to_char(now(), 'YYYY-MM') as month");
  const month = row?.month ?? "";
  await expect(preparePeriod(database.db, await monthOfBooks(books, month), [], alice)).rejects.toThrow(
    `${month} is not over yet`,
  );
  await expect(monthOfBooks(books, "2126-04")).rejects.toThrow("2126-04 has not begun");
  await expect(monthOfBooks(books, "2026-02")).rejects.toThrow("the first month of");
  await expect(monthOfBooks(books, "March")).rejects.toThrow("is not a month");
});
