import { expect, test } from "vitest";
import { preparePeriod } from "../../src/close/prepare.ts";
import { approvePeriod, lapseIfChanged, reopenPeriod } from "../../src/close/sign.ts";
import { withdrawReceipts } from "../../src/reconcile/receipts/withdraw-receipts.ts";
import { saveRates } from "../../src/store/fees/rates.ts";
import { listChanges, listPeriodEvents } from "../../src/store/periods/period-reads.ts";
import type { Books } from "../reconcile/books.ts";
import { declarePayouts, receive } from "../reconcile/receipts/bank.ts";
import { bindNamed } from "../../src/store/named.ts";
import { changedNames } from "../../src/store/periods/changed-facts.ts";
import { useTestDatabase } from "../support/test-database.ts";
import { alice, bob, monthOfBooks, openMonth } from "./a-month.ts";
import { set } from "./set.ts";

const database = useTestDatabase();

/** A day's money with the name of a payout that was declared: it is matched as it arrives. */
async function receiveNamed(books: Books) {
  return receive(books, [["2026-03-25", "7", "Share PO-2026-03"]]);
}

async function rateOf(books: Books, day: string, rate: string): Promise<void> {
  await saveRates(books.db, {
    rates: [{ day, base: "EUR", quote: "USD", rate, source: books.name }],
    fileName: "rates.csv",
    sha256: Buffer.alloc(32),
    actor: "test",
  });
}

async function feesFrom(books: Books, validFrom: string): Promise<void> {
  await books.db.query(
    `insert into tieout.fee_schedules (account_id, provider, version, valid_from, sha256, imported_by, reason)
     values ($1, 'moonpay', 1, $2, '\\x00', 'test', 'test')`,
    [books.accountId, validFrom],
  );
}

interface Change {
  before?: (books: Books) => Promise<unknown>;
  change: (books: Books) => Promise<unknown>;
  /** What is told of it; nothing where it leaves the month as it was. */
  facts: string[];
}

const inDollars = (books: Books) => set(books, "functional_currency", "USD");

const cases: Record<string, Change> = {
  "a bank line of the month": {
    change: (books) => receive(books, [["2026-03-25", "-1", "Fee"]]),
    facts: ["receipt_lines"],
  },
  "a bank line after the month": {
    change: (books) => receive(books, [["2026-04-25", "-1", "Fee"]]),
    facts: [],
  },
  "a bank line that settles a payout": {
    before: (books) => declarePayouts(books, [{ ref: "PO-2026-03", net: "7" }]),
    change: receiveNamed,
    facts: ["receipt_lines", "receipt_matches"],
  },
  "a bank's file that is withdrawn": {
    before: (books) => receive(books, [["2026-03-25", "-1", "Fee"]]),
    change: async (books) => {
      const [file] = await books.db.query<{ id: number }>(
        "select id::int from tieout.receipt_files where account_id = $1",
        [books.accountId],
      );
      await withdrawReceipts(books.db, { fileId: file?.id ?? 0, reason: "test", actor: "test" });
    },
    facts: ["receipt_retirements"],
  },
  "a rate of the month, where the books are kept in a currency": {
    before: inDollars,
    change: (books) => rateOf(books, "2026-03-31", "1.1"),
    facts: ["rates"],
  },
  "a rate after the month": {
    before: inDollars,
    change: (books) => rateOf(books, "2026-04-01", "1.1"),
    facts: [],
  },
  "a rate of the month, where nothing is converted": {
    change: (books) => rateOf(books, "2026-03-31", "1.2"),
    facts: [],
  },
  "fees that were agreed from a day of the month on": {
    change: (books) => feesFrom(books, "2026-03-15T00:00:00Z"),
    facts: ["fee_schedules"],
  },
  "fees that were agreed from the next month on": {
    change: (books) => feesFrom(books, "2026-04-01T00:00:00Z"),
    facts: [],
  },
  "another currency of the books": { change: inDollars, facts: ["account_settings"] },
  "another calendar, because a signed month stays where it is": {
    change: (books) => set(books, "calendar", { zone: "Europe/Berlin", first_month: null }),
    facts: [],
  },
};

for (const [what, { before, change, facts }] of Object.entries(cases)) {
  const says = facts.length === 0 ? "stays" : "lapses";
  test(`a prepared month ${says} after ${what}`, async () => {
    const books = await openMonth(database.db);
    await before?.(books);
    const { knownAt } = await preparePeriod(database.db, await monthOfBooks(books), everything, alice);
    await change(books);
    const { accountId, to } = await monthOfBooks(books);
    const changes = await listChanges(database.db, { accountId, to, knownAt });
    expect(changes.map(({ fact }) => fact).filter((fact) => told.has(fact))).toEqual(facts);
    const lapsed = await lapseIfChanged(database.db, await monthOfBooks(books));
    expect(lapsed.map(({ fact }) => fact)).toEqual(changes.map(({ fact }) => fact));
    expect(lapsed.filter(({ first = [] }) => first.length === 0)).toEqual([]);
  });
}

test("whatever makes a month lapse can be named", async () => {
  const [{ body } = { body: "" }] = await database.db.query<{ body: string }>(
    "select pg_get_functiondef('tieout.changes_since'::regproc) as body",
  );
  const counted = [...body.matchAll(/select '(\w+)', count/g)].map(([, fact]) => fact);
  expect(Object.keys(changedNames)).toEqual(counted);
  const values = { account_id: 0, to: "2026-04-01T00:00:00Z", known_at: "2126-01-01T00:00:00Z" };
  for (const statement of Object.values(changedNames)) {
    const { text, values: bound } = bindNamed(statement, values);
    expect(await database.db.query(text, bound)).toEqual([]);
  }
});

/** The books need not be in order here. */
const everything = ["discrepancies", "payouts", "statements"].map((line) => ({ line, reason: "a test" }));
const told = new Set([
  "account_settings",
  "earlier_periods",
  "fee_schedules",
  "rates",
  "receipt_lines",
  "receipt_matches",
  "receipt_retirements",
]);

test("a prepared month lapses when the month before it is reopened", async () => {
  const books = await openMonth(database.db);
  await preparePeriod(database.db, await monthOfBooks(books), [], alice);
  await approvePeriod(database.db, await monthOfBooks(books), bob);
  await preparePeriod(database.db, await monthOfBooks(books, "2026-04"), [], alice);
  await reopenPeriod(database.db, await monthOfBooks(books), "a late refund", alice);
  expect(await lapseIfChanged(database.db, await monthOfBooks(books, "2026-04"))).toEqual([]);
  await reopenPeriod(database.db, await monthOfBooks(books), "agreed", bob);
  expect(await lapseIfChanged(database.db, await monthOfBooks(books, "2026-04"))).toHaveLength(1);
  const events = await listPeriodEvents(database.db, await monthOfBooks(books, "2026-04"));
  expect(events.at(-1)?.changes).toEqual([{ fact: "earlier_periods", changes: 1, first: ["2026-03"] }]);
});
