import { generateKeyPairSync } from "node:crypto";
import { findPeriod, type Period } from "../../src/close/period.ts";
import { reconcileAccount } from "../../src/reconcile/reconcile.ts";
import type { Database } from "../../src/store/database.ts";
import { addRecords, addStatement, type Books, openBooks } from "../reconcile/books.ts";

export const alice = { actor: "person:1", name: "Alice Example" };
export const bob = { actor: "person:2", name: "Bob Example" };
export const signingKey = generateKeyPairSync("ed25519").privateKey;

/** A year of which every month but the last can be closed. */
const readTo = "2026-11-01T00:00:00Z";

/** Books whose March is in order: two orders, both settled and paid out, and everything read twice. */
export async function openMonth(db: Database): Promise<Books> {
  const books = await openBooks(db, { readFrom: "2026-03-01T00:00:00Z", readTo });
  await addRecords(books, [
    { id: `${books.name} A`, at: "2026-03-10T12:00:00Z" },
    { id: `${books.name} B`, at: "2026-03-11T12:00:00Z" },
  ]);
  await addStatement(books, {
    lines: [
      lineOf(`${books.name} A`, "3", "2026-03-10T12:00:00Z"),
      lineOf(`${books.name} B`, "2", "2026-03-11T12:00:00Z"),
      {
        key: "payout",
        type: "payout",
        payout_ref: "P1",
        net_amount: "5",
        net_currency: "EUR",
        effective_at: "2026-03-20T00:00:00Z",
      },
    ],
  });
  await readAgain(books, "2026-03-01T00:00:00Z", readTo);
  await reconcileAccount(db, books.accountId);
  return books;
}

function lineOf(of: string, net: string, at: string) {
  return { of, net_amount: net, payout_ref: "P1", effective_at: at };
}

/** As if the workers had read it again and found nothing else. */
export async function readAgain({ db, accountId }: Books, from: string, to: string): Promise<void> {
  await db.query(
    `insert into tieout.sync_windows (account_id, kind, range_from, range_to, state, started_at, sealed_at, ended_by)
     values ($1, 'deep', $2, $3, 'sealed', clock_timestamp(), clock_timestamp(), 'absent')`,
    [accountId, from, to],
  );
}

/** A payout of March that no line of its provider adds up to. */
export async function addUntiedPayout(books: Books): Promise<void> {
  const payout = { key: "untied payout", type: "payout", payout_ref: "P-SHORT-1" } as const;
  const declared = { net_amount: "50", net_currency: "EUR", effective_at: "2026-03-21T00:00:00Z" };
  await addStatement(books, { lines: [{ ...payout, ...declared }] });
  await reconcileAccount(books.db, books.accountId);
}

/** An order of March that no statement tells of, and so an error once someone has looked. */
export async function addMissingOrder(books: Books, id: string): Promise<void> {
  await addRecords(books, [{ id, at: "2026-03-15T12:00:00Z" }]);
  await reconcileAccount(books.db, books.accountId);
}

export async function monthOfBooks(books: Books, month = "2026-03"): Promise<Period> {
  return findPeriod({ database: books.db, accountIds: null }, { account: books.name, month });
}
