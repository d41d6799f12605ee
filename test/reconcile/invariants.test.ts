import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { addDecimals, decimal, zero } from "../../src/core/decimal.ts";
import { reconcileAccount } from "../../src/reconcile/reconcile.ts";
import { summariseAccount } from "../../src/reconcile/summarise.ts";
import { classes, type ClassSum } from "../../src/store/books/summary.ts";
import { refreshDailyTotals } from "../../src/store/transactions/daily-totals.ts";
import {
  type LineClass,
  type LineOfStatement,
  linesPaging,
  listLines,
} from "../../src/store/statements/lines-of-statement.ts";
import type { Page } from "../../src/store/keyset.ts";
import { listTransactions } from "../../src/store/transactions/transaction-reads.ts";
import { parseCsv, readReport, requestFor } from "../report/books.ts";
import { useTestDatabase } from "../support/test-database.ts";
import {
  addRecords,
  addStatement,
  type ALine,
  type ARecord,
  type Books,
  discrepanciesOf,
  matchesOf,
  openBooks,
  withdraw,
} from "./books.ts";
import { type RandomBooks, randomBooks } from "./random-books.ts";

const database = useTestDatabase();
/** Each is some dozen runs over a database; more of them on demand. */
const runs = Number(process.env["RECONCILE_RUNS"] ?? 3);

describe("on generated books", () => {
  test("an incremental run after every piece ends as one full run over everything", async () => {
    await fc.assert(
      fc.asyncProperty(randomBooks, fc.infiniteStream(fc.nat(1000)), async (random, luck) => {
        const whole = await openBooks(database.db);
        await addRecords(whole, random.records);
        await addStatement(whole, { lines: random.lines });
        await reconcileAccount(database.db, whole.accountId, { full: true });

        const piecemeal = await openBooks(database.db);
        // The first statement stands from the beginning: what lies before it would be nobody's business.
        await addStatement(piecemeal, { lines: [] });
        for (const piece of shuffled(piecesOf(random), luck)) {
          if (piece.kind === "record") await addRecords(piecemeal, [piece.record]);
          else await addStatement(piecemeal, { lines: [piece.line] });
          if ((luck.next().value ?? 0) % 3 > 0) await reconcileAccount(database.db, piecemeal.accountId);
        }
        await reconcileAccount(database.db, piecemeal.accountId);
        expect(await outcomeOf(piecemeal)).toEqual(await outcomeOf(whole));
      }),
      { numRuns: runs, endOnFailure: true },
    );
  });

  test("a second run changes no row, and writes no event", async () => {
    await fc.assert(
      fc.asyncProperty(randomBooks, async (random) => {
        const books = await booksFrom(random);
        await reconcileAccount(database.db, books.accountId);
        const before = await rowVersions(books);
        await reconcileAccount(database.db, books.accountId);
        await reconcileAccount(database.db, books.accountId, { full: true });
        expect(await rowVersions(books)).toEqual(before);
      }),
      { numRuns: runs, endOnFailure: true },
    );
  });

  test("every completed transaction is in one class, and the classes add up to the total in each currency", async () => {
    await fc.assert(
      fc.asyncProperty(randomBooks, async (random) => {
        const books = await booksFrom(random);
        await reconcileAccount(database.db, books.accountId);
        const now = await nowOf(books);
        const sums = await summariseAccount(database.db, books.accountId, { provider: "moonpay" });
        const totals = await completedOf(books);
        expect(addedUp(sums)).toEqual(totals);
        const moment = { provider: null, asAt: now, knownAt: now };
        const then = await summariseAccount(database.db, books.accountId, moment);
        expect(then).toEqual(sums);
        // And what the overview shows is the same.
        await refreshDailyTotals(database.db);
        const shown = await database.db.query<{ class: string; transactions: number }>(
          `select class, sum(transactions)::int as transactions
           from tieout.daily_totals
           where zone = 'UTC' and account_id = $1 and class is not null
           group by class`,
          [books.accountId],
        );
        expect(Object.fromEntries(shown.map((row) => [row.class, row.transactions]))).toEqual(countsOf(sums));
        expect(await listedByClass(books)).toEqual(countsOf(sums));
        // And so is what readers see in SQL, transaction by transaction.
        const [differing] = await database.db.query<{ rows: number }>(
          `select count(*)::int as rows
           from tieout.transaction_classes(array[$1::int], now(), 'infinity') as c
           full join (select * from reporting.transactions where account = $2 and class is not null) as v using (transaction_id)
           where c.class is distinct from v.class`,
          [books.accountId, books.name],
        );
        expect(differing).toEqual({ rows: 0 });
      }),
      { numRuns: runs, endOnFailure: true },
    );
  });

  test("every line that counts is in one class, and the report and the view name the same", async () => {
    const halfRead = { readTo: "2026-03-15T00:00:00Z" };
    await fc.assert(
      fc.asyncProperty(randomBooks, fc.constantFrom({}, halfRead), async (random, read) => {
        const books = await booksFrom(random, read);
        await reconcileAccount(database.db, books.accountId);
        const columns = ["line_no,class,pending_code"];
        const reported = parseCsv(
          await readReport(database.db, requestFor("itemised", { account: [books.name], columns })),
        );
        const viewed = await database.db.query(
          `select line_no::text, class, coalesce(pending_code, '') as pending_code
           from reporting.statement_lines as l
           where account = $1
           order by l.line_no`,
          [books.name],
        );
        const byLine = reported.toSorted((a, b) => Number(a["line_no"]) - Number(b["line_no"]));
        expect(byLine).toEqual(viewed);
        expect(viewed).toHaveLength(random.lines.length);
        for (const { class: found } of byLine) expect(classes).toContain(found);
        for (const only of [undefined, ...classes]) {
          expect(await listedLines(books, only)).toEqual(
            viewed.filter((line) => only === undefined || line["class"] === only),
          );
        }
      }),
      { numRuns: runs, endOnFailure: true },
    );
  });

  test("what was known at a time is found unchanged later, whatever has come since", async () => {
    await fc.assert(
      fc.asyncProperty(randomBooks, randomBooks, async (random, more) => {
        const books = await booksFrom(random);
        await reconcileAccount(database.db, books.accountId);
        const then = await nowOf(books);
        const moment = { provider: null, asAt: "2026-05-20T00:00:00Z", knownAt: then };
        const before = await summariseAccount(database.db, books.accountId, moment);
        await addRecords(books, more.records);
        await addStatement(books, {
          lines: more.lines.map((line) => ({ ...line, key: `more ${String(line.key)}` })),
        });
        await reconcileAccount(database.db, books.accountId);
        expect(await summariseAccount(database.db, books.accountId, moment)).toEqual(before);
      }),
      { numRuns: runs, endOnFailure: true },
    );
  });

  test("import, then withdraw, leaves matches and discrepancies as before", async () => {
    await fc.assert(
      fc.asyncProperty(randomBooks, randomBooks, async (random, more) => {
        const books = await booksFrom(random);
        await reconcileAccount(database.db, books.accountId);
        const before = await outcomeOf(books);
        const lines = more.lines.map((line) => ({ ...line, key: `more ${String(line.key)}` }));
        const statement = await addStatement(books, { lines });
        await reconcileAccount(database.db, books.accountId);
        await withdraw(books, statement);
        await reconcileAccount(database.db, books.accountId);
        expect(await outcomeOf(books)).toEqual(before);
      }),
      { numRuns: runs, endOnFailure: true },
    );
  });
});

type Piece = { kind: "record"; record: ARecord } | { kind: "line"; line: ALine };

function piecesOf({ records, lines }: RandomBooks): Piece[] {
  return [
    ...records.map((record) => ({ kind: "record" as const, record })),
    ...lines.map((line) => ({ kind: "line" as const, line })),
  ];
}

function shuffled<T>(items: T[], luck: fc.Stream<number>): T[] {
  return items
    .map((item) => ({ item, at: luck.next().value ?? 0 }))
    .toSorted((a, b) => a.at - b.at)
    .map(({ item }) => item);
}

async function booksFrom(
  { records, lines }: RandomBooks,
  options: Parameters<typeof openBooks>[1] = {},
): Promise<Books> {
  const books = await openBooks(database.db, options);
  await addRecords(books, records);
  await addStatement(books, { lines });
  return books;
}

async function outcomeOf(books: Books): Promise<object> {
  const payouts = await database.db.query(
    `select payout_ref, currency, line_count, gross, fees, refunds, chargebacks, commissions, adjustments, net_computed
     from tieout.payouts
     where account_id = $1
       and line_count > 0
     order by 1, 2`,
    [books.accountId],
  );
  return { matches: await matchesOf(books), discrepancies: await discrepanciesOf(books), payouts };
}

/** How many transactions the list shows of each class, where it shows any. */
async function listedByClass({ accountId }: Books): Promise<object> {
  const reader = { database: database.db, accountIds: [accountId] };
  const page = { limit: 100, after: null };
  const counts = await Promise.all(
    classes.map(async (name) => {
      const filters = { ranges: [], class: name };
      const { rows } = await listTransactions(reader, { filters, sort: "-status_date", page });
      return [name, rows.length] as const;
    }),
  );
  return Object.fromEntries(counts.filter(([, count]) => count > 0));
}

/** What the workspace lists of all statements, in pages of three. */
async function listedLines({ accountId }: Books, only: LineClass | undefined): Promise<object[]> {
  const reader = { database: database.db, accountIds: [accountId] };
  const statements = await database.db.query<{ id: number }>(
    "select id::int from tieout.statements where account_id = $1",
    [accountId],
  );
  const listed: object[] = [];
  for (const { id } of statements) {
    let after: string[] | null = null;
    do {
      const page: Page<LineOfStatement> = await listLines(
        reader,
        { id, accountId },
        { class: only },
        { limit: 3, after },
      );
      for (const { line_no, class: found, pending_code } of page.rows) {
        listed.push({ line_no: String(line_no), class: found, pending_code: pending_code ?? "" });
      }
      after = page.hasMore ? linesPaging.positionOf(page.rows.at(-1) as LineOfStatement) : null;
    } while (after !== null);
  }
  return listed;
}

/** Where each row lies and which transaction wrote it: even a lock would show. */
async function rowVersions(books: Books): Promise<object> {
  const rows = (table: string) =>
    database.db.query(
      `select ctid::text, xmin::text, xmax::text from tieout.${table} where account_id = $1 order by id`,
      [books.accountId],
    );
  const events = await database.db.query(
    `select e.id::text
     from tieout.discrepancy_events as e
     join tieout.discrepancies as d on d.id = e.discrepancy_id
     where d.account_id = $1
     order by e.id`,
    [books.accountId],
  );
  return {
    matches: await rows("matches"),
    discrepancies: await rows("discrepancies"),
    payouts: await rows("payouts"),
    events,
  };
}

async function nowOf(books: Books): Promise<string> {
  const [row] = await books.db.query<{ now: string }>("select clock_timestamp()::text as now");
  return row?.now ?? "";
}

async function completedOf(books: Books): Promise<Record<string, string>> {
  const rows = await books.db.query<{ currency: string; transactions: number; amount: string }>(
    `select upper(source_currency) as currency, count(*)::int as transactions, trim_scale(sum(in_amount))::text as amount
     from tieout.transactions
     where account_id = $1
       and status = 'completed'
     group by 1`,
    [books.accountId],
  );
  return Object.fromEntries(
    rows.map(({ currency, transactions, amount }) => [currency, `${transactions} ${amount}`]),
  );
}

function countsOf(sums: readonly ClassSum[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { class: name, transactions } of sums) counts[name] = (counts[name] ?? 0) + transactions;
  return counts;
}

function addedUp(sums: readonly ClassSum[]): Record<string, string> {
  const totals = new Map<string, { transactions: number; amount: ReturnType<typeof decimal> }>();
  for (const { currency, transactions, amount } of sums) {
    const held = totals.get(currency) ?? { transactions: 0, amount: zero };
    totals.set(currency, {
      transactions: held.transactions + transactions,
      amount: addDecimals(held.amount, decimal(amount)),
    });
  }
  return Object.fromEntries(
    [...totals].map(([currency, { transactions, amount }]) => [currency, `${transactions} ${amount}`]),
  );
}
