import fc from "fast-check";
import { expect, test } from "vitest";
import { decimal } from "../../src/core/decimal.ts";
import { splitLine } from "../../src/reconcile/split-by-hand.ts";
import { reconcileAccount } from "../../src/reconcile/reconcile.ts";
import { changeDiscrepancies } from "../../src/store/books/discrepancy-changes.ts";
import {
  addRecords,
  addStatement,
  type ALine,
  type ARecord,
  type Books,
  openBooks,
} from "../reconcile/books.ts";
import { randomBooks } from "../reconcile/random-books.ts";
import { aPerson, liftLimits } from "../support/people.ts";
import { useTestDatabase } from "../support/test-database.ts";
import { parseCsv, readReport, requestFor } from "./books.ts";
import { databaseNow, rowsOf, sum } from "./claims.ts";

/** One for all accounts: the same history has the same names in it. */
let controller: Promise<number> | undefined;

const database = useTestDatabase();
/** Each builds one history, and a fresh one for every step of it; more of them on demand. */
const runs = Number(process.env["RECONCILE_RUNS"] ?? 2);

/** Everything but our own numbers and the times at which things were stored, which no two databases share. */
const reports = {
  "payout-reconciliation": [],
  itemised: [],
  discrepancies: ["discrepancy_id", "first_seen_at", "resolved_at", "age_days", "bucket"],
  ageing: [],
  position: [],
  unsettled: [],
  receivable: [],
  journal: ["entry", "line", "discrepancy"],
  transactions: ["first_seen_at", "last_changed_at"],
  "provider-summary": [],
} as const;

type Step =
  | { kind: "records"; records: readonly ARecord[] }
  | { kind: "file"; name: string; lines: readonly ALine[] }
  | { kind: "split" }
  | { kind: "write off" };

/**
 * The test that keeps two times honest: what was known at a time, asked of a database that has learnt much since, is
 * what a fresh database says that was given only what was known then.
 */
test("a question about the past has the answer that it would have had then", async () => {
  await fc.assert(
    fc.asyncProperty(randomBooks, fc.integer({ min: 0, max: 80 }), async ({ records, lines }, days) => {
      const asAt = new Date(Date.UTC(2026, 2, 5) + days * 86_400_000).toISOString();
      const steps: Step[] = [
        { kind: "records", records: records.filter((_, at) => at % 2 === 0) },
        { kind: "file", name: "first.csv", lines: lines.filter((_, at) => at % 2 === 0) },
        { kind: "split" },
        { kind: "write off" },
        { kind: "records", records: records.filter((_, at) => at % 2 === 1) },
        { kind: "file", name: "second.csv", lines: lines.filter((_, at) => at % 2 === 1) },
      ];
      const grown = await openBooks(database.db);
      const known: string[] = [];
      for (const step of steps) {
        await take(grown, step);
        known.push(await databaseNow(grown));
      }
      for (const [at, knownAt] of known.entries()) {
        const fresh = await openBooks(database.db);
        for (const step of steps.slice(0, at + 1)) await take(fresh, step);
        const then = await ask(grown, { as_at: [asAt], known_at: [knownAt] });
        expect(then, `after step ${at + 1}, as at ${asAt}`).toEqual(await ask(fresh, { as_at: [asAt] }));
      }
      for (const [at, knownAt] of known.entries())
        await expectPriorPeriodApart(grown, known[at - 1], knownAt);
    }),
    { numRuns: runs, endOnFailure: true },
  );
});

/** What became known of earlier days after they were closed is all that lies between their closing and the opening now. */
async function expectPriorPeriodApart(
  books: Books,
  closedAt: string | undefined,
  knownAt: string,
): Promise<void> {
  if (closedAt === undefined) return;
  const from = "2026-03-16";
  const period = { from, to: "2026-04-16", known_at: knownAt };
  const closed = await rowsOf(books, "receivable", { to: from, known_at: closedAt });
  const plain = await rowsOf(books, "receivable", period);
  const booked = await rowsOf(books, "journal", { ...period, prior_known_at: closedAt });
  for (const row of await rowsOf(books, "receivable", { ...period, prior_known_at: closedAt })) {
    const same = (it: Record<string, string>) =>
      it["provider"] === row["provider"] && it["currency"] === row["currency"];
    expect(row["unexplained"]).toBe("0");
    expect(row["opening"]).toBe(closed.find(same)?.["closing"] ?? "0");
    expect(row["closing"]).toBe(plain.find(same)?.["closing"] ?? "0");
    expect(sum([row["opening"], row["prior_period"]])).toBe(plain.find(same)?.["opening"] ?? "0");
    const claims = booked.filter((it) => same(it) && it["account_code"] === "1200");
    const moved = claims.map(({ debit, credit }) => debit || `-${credit}`);
    expect(sum([row["opening"], ...moved])).toBe(row["closing"]);
  }
}

async function take(books: Books, step: Step): Promise<void> {
  if (step.kind === "records") await addRecords(books, step.records);
  else if (step.kind === "file") await addStatement(books, { fileName: step.name, lines: step.lines });
  else if (step.kind === "split") await splitFirst(books);
  else await writeOffFirst(books);
  await reconcileAccount(database.db, books.accountId);
}

/** The first line that two free transactions could share, half of it each; which they are is decided by names alone. */
async function splitFirst({ db, accountId }: Books): Promise<void> {
  const [line] = await db.query<{ id: number; half: string }>(
    `select l.id::int, (l.fiat_gross / 2)::text as half
     from tieout.statement_lines as l
     where l.account_id = $1
       and l.line_type in ('charge', 'refund')
       and not exists (select from tieout.matches as m where m.line_id = l.id and m.state = 'active')
     order by l.line_key
     limit 1`,
    [accountId],
  );
  const free = await db.query<{ transaction_id: string }>(
    `select t.transaction_id
     from tieout.transactions as t
     where t.account_id = $1
       and not exists (
         select
         from tieout.matches as m
         where m.account_id = t.account_id and m.transaction_id = t.transaction_id and m.state = 'active'
       )
     order by t.transaction_id
     limit 2`,
    [accountId],
  );
  if (!line || free.length < 2) return;
  const parts = free.map((row) => ({ transactionId: row.transaction_id, amount: decimal(line.half) }));
  const author = { actor: `person:${await (controller ??= aPerson(db, "controller"))}`, requestId: "req_1" };
  await splitLine(db, { accountIds: null }, { lineId: line.id, parts, reason: "one for both" }, author);
}

/** By what it is about, not by our number for it. It is booked on a day of the spring, so that some questions lie before it. */
async function writeOffFirst({ db, accountId }: Books): Promise<void> {
  const [first] = await db.query<{ id: number; version: number }>(
    `select id::int, version
     from tieout.discrepancies
     where account_id = $1
       and state = 'open'
     order by code, transaction_id, since, value, currency
     limit 1`,
    [accountId],
  );
  if (!first) return;
  await liftLimits(db);
  await changeDiscrepancies(
    db,
    { accountIds: null },
    [first],
    { action: "write_off", reason: "too small", booked_at: "2026-04-10T00:00:00Z" },
    { actor: `person:${await (controller ??= aPerson(db, "controller"))}`, requestId: "req_1" },
  );
}

async function ask(books: Books, given: Record<string, string[]>): Promise<Record<string, unknown>> {
  const answers: Record<string, unknown> = {};
  for (const [name, own] of Object.entries(reports)) {
    const partial = { partial: ["true"] };
    const rows = parseCsv(
      await readReport(database.db, requestFor(name, { account: [books.name], ...partial, ...given })),
    );
    answers[name] = rows.map((row) => {
      const kept = Object.entries(row).filter(
        ([column]) => column !== "account" && !own.some((it) => it === column),
      );
      return JSON.stringify(Object.fromEntries(kept));
    });
    // Rows of one time stand in the order of their fingerprints, which hold our number of the account.
    answers[name] = (answers[name] as string[]).toSorted();
  }
  return answers;
}
