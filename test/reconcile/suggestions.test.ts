import fc from "fast-check";
import { expect, test } from "vitest";
import { reconcileAccount } from "../../src/reconcile/reconcile.ts";
import { useTestDatabase } from "../support/test-database.ts";
import {
  addRecords,
  addStatement,
  type ALine,
  type ARecord,
  type Books,
  matchesOf,
  openBooks,
  withdraw,
} from "./books.ts";

const database = useTestDatabase();
/** More of them on demand. */
const runs = Number(process.env["RECONCILE_RUNS"] ?? 2);

const start = Date.UTC(2026, 2, 1);
const hours = (count: number) => new Date(start + count * 3_600_000).toISOString();

/** Nothing but amount and time to go by. */
const nameless: Partial<ALine> = { wallet_address: null, transaction_hash: null, our_reference: null };
const aLine = (key: string, at: number): ALine => ({ ...nameless, key, effective_at: hours(at) });
const aRecord = (id: string, at: number, status = "completed"): ARecord => ({
  id,
  status,
  at: hours(at),
  walletAddress: "",
});

/** A file of one line that tells of that hour only: it touches no transaction beside. */
const fileOf = (key: string, at: number) => ({ from: hours(at), to: hours(at + 1), lines: [aLine(key, at)] });

async function suggestedIn(books: Books): Promise<string[]> {
  const found = await matchesOf(books);
  return found
    .filter(({ state }) => state === "suggested")
    .map(({ line, transaction }) => `${line} ${transaction}`);
}

test("a line is suggested its only transaction, until another comes between, and again when that one moves away", async () => {
  const books = await openBooks(database.db);
  const run = async () => {
    await reconcileAccount(database.db, books.accountId);
    return suggestedIn(books);
  };
  await addStatement(books, { lines: [aLine("near", 10), aLine("far away", 400)] });
  await addRecords(books, [aRecord("A", 20), aRecord("Z", 410)]);
  expect(await run()).toEqual(["far away Z", "near A"]);
  await addRecords(books, [aRecord("B", 30)]);
  expect(await run()).toEqual(["far away Z"]);
  await addRecords(books, [aRecord("B", 700)]);
  expect(await run()).toEqual(["far away Z", "near A"]);
  const other = await addStatement(books, fileOf("between", 60));
  expect(await run()).toEqual(["far away Z"]);
  await withdraw(books, other);
  expect(await run()).toEqual(["far away Z", "near A"]);
});

const step = fc.oneof(
  fc.record({
    kind: fc.constant("record" as const),
    id: fc.constantFrom("A", "B", "C", "D"),
    at: fc.integer({ min: 0, max: 16 }).map((n) => n * 23),
    status: fc.constantFrom("completed", "completed", "completed", "failed"),
  }),
  fc.record({ kind: fc.constant("line" as const), at: fc.integer({ min: 0, max: 16 }).map((n) => n * 23) }),
  fc.record({ kind: fc.constant("withdraw" as const), which: fc.nat(5) }),
);

test("a run over what was touched suggests what a run over everything would", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 6, maxLength: 14 }), async (steps) => {
      const books = await openBooks(database.db);
      const files = [await addStatement(books, { lines: [] })];
      await reconcileAccount(database.db, books.accountId);
      for (const [n, one] of steps.entries()) {
        if (one.kind === "record") await addRecords(books, [aRecord(one.id, one.at, one.status)]);
        if (one.kind === "line") files.push(await addStatement(books, fileOf(`line ${n}`, one.at)));
        if (one.kind === "withdraw") {
          const [file] = files.splice(1 + (one.which % Math.max(1, files.length - 1)), 1);
          if (file !== undefined) await withdraw(books, file);
        }
        await reconcileAccount(database.db, books.accountId);
        const found = await suggestedIn(books);
        await reconcileAccount(database.db, books.accountId, { full: true });
        expect(found).toEqual(await suggestedIn(books));
      }
    }),
    { numRuns: runs, endOnFailure: true },
  );
});
