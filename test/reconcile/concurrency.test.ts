import { expect, test } from "vitest";
import { builtInProfiles } from "../../src/reconcile/profiles/built-in.ts";
import { reconcileAccount, reconcileInside } from "../../src/reconcile/reconcile.ts";
import { importReceipts } from "../../src/reconcile/receipts/import-receipts.ts";
import { importStatement } from "../../src/reconcile/statement/import-statement.ts";
import { verifyBooks } from "../../src/reconcile/verify-books.ts";
import { lockProvider } from "../../src/store/books/provider-lock.ts";
import type { Database, Queryable } from "../../src/store/database.ts";
import { recordAudit } from "../../src/store/people/audit-log.ts";
import { receiptsOfAccount } from "../../src/store/receipts/receipt-run.ts";
import { useTestDatabase } from "../support/test-database.ts";
import { wrapDatabase } from "../support/wrap-database.ts";
import {
  addRecords,
  addStatement,
  type Books,
  codesOf,
  discrepanciesOf,
  matchesOf,
  openBooks,
} from "./books.ts";
import { requestFor, sourceOf } from "./receipts/bank.ts";

const database = useTestDatabase();
const ids = Array.from({ length: 30 }, (_, at) => `T${String(at).padStart(2, "0")}`);

test("a record that arrives during a run, in a currency not met before, has its value in that currency after the next", async () => {
  const books = await openBooks(database.db);
  let transactions = 0;
  const meanwhile: Database = {
    ...database.db,
    transaction: async (work) => {
      // The first gathers what currency words mean; the second judges the provider.
      if (++transactions === 2) {
        await addRecords(books, [{ id: "late", status: "paid", sourceCurrency: "huf", inAmount: "55000" }]);
      }
      return database.db.transaction(work);
    },
  };
  await reconcileAccount(meanwhile, books.accountId, { provider: "moonpay" });
  await reconcileAccount(database.db, books.accountId);
  expect(
    await database.db.query(
      "select code, value::text, value_currency from tieout.discrepancies where account_id = $1",
      [books.accountId],
    ),
  ).toEqual([{ code: "stale_open", value: "55000", value_currency: "HUF" }]);
});

test("runs and imports at the same moment end as one after the other", async () => {
  const alone = await openBooks(database.db);
  await addRecords(
    alone,
    ids.map((id) => ({ id })),
  );
  for (const file of files) await importGeneric(alone, file);
  await reconcileAccount(database.db, alone.accountId);

  const crowded = await openBooks(database.db);
  await addRecords(
    crowded,
    ids.map((id) => ({ id })),
  );
  await Promise.all([
    ...files.map((file) => importGeneric(crowded, file)),
    ...[1, 2, 3].map(() => reconcileAccount(database.db, crowded.accountId)),
  ]);
  await reconcileAccount(database.db, crowded.accountId);
  expect(await outcomeOf(crowded)).toEqual(await outcomeOf(alone));
  const settled = (await matchesOf(crowded)).filter(
    ({ state, role }) => state === "active" && role === "settles",
  );
  expect(new Set(settled.map(({ transaction }) => transaction)).size).toBe(settled.length);
  expect(settled.length).toBe(ids.length - 1);
});

test("a run that dies just before its commit leaves nothing, and the next one does all of it", async () => {
  const books = await openBooks(database.db);
  await addRecords(books, [{ id: "A" }, { id: "B" }]);
  await addStatement(books, { lines: [{ of: "A" }] });
  const dying = wrapDatabase(database.db, (next, text, values, name) => {
    // The note about a run is the last thing that it writes; that of the keys is another, and is let through.
    const isLast = /^(insert|update).*reconcile_runs/s.test(text) && values?.includes("moonpay");
    if (isLast) throw new Error("killed");
    return next(text, values, name);
  });
  await expect(reconcileAccount(dying, books.accountId)).rejects.toThrow("killed");
  expect(await matchesOf(books)).toEqual([]);
  expect(await codesOf(books)).toEqual([]);
  await reconcileAccount(database.db, books.accountId);
  expect(await matchesOf(books)).toMatchObject([{ transaction: "A", state: "active" }]);
  expect(await codesOf(books)).toEqual(["missing_from_statement B"]);
});

test("an import whose matching fails keeps neither lines nor matches", async () => {
  const books = await openBooks(database.db);
  await addRecords(
    books,
    ids.map((id) => ({ id })),
  );
  const failing = importGeneric(books, files[0] ?? "", () => Promise.reject(new Error("killed")));
  await expect(failing).rejects.toThrow("killed");
  const [row] = await database.db.query(
    `select (select count(*)::int from tieout.statements where account_id = $1) as statements,
            (select count(*)::int from tieout.statement_lines where account_id = $1) as lines`,
    [books.accountId],
  );
  expect(row).toEqual({ statements: 0, lines: 0 });
});

test("an import that is being matched keeps nobody from an audited action, and is audited itself", async () => {
  const books = await openBooks(database.db);
  await addRecords(books, [{ id: "T00" }]);
  await importGeneric(books, files[0] ?? "", async (tx, touched) => {
    await database.db.transaction(async (other) => {
      await other.query("set local lock_timeout = '5s'");
      await recordAudit(other, { actor: "Ada", action: "test.meanwhile", subject: books.name });
    });
    return reconcileInside(tx, touched);
  });
  const audited = await database.db.query<{ action: string }>(
    `select action
     from tieout.audit_log
     where subject = $1 or after ->> 'account' = $1
     order by number`,
    [books.name],
  );
  expect(audited.map(({ action }) => action)).toEqual(["test.meanwhile", "statement.imported"]);
});

test("an import and a verification never wait for each other for good", async () => {
  const books = await openBooks(database.db);
  await addRecords(books, [{ id: "T00" }]);
  await reconcileAccount(database.db, books.accountId);
  let verified: ReturnType<typeof verifyBooks> | undefined;
  await importGeneric(books, files[0] ?? "", async (tx, touched) => {
    // By now the import holds its provider.
    verified = verifyBooks(database.db, { accountId: books.accountId });
    await expect.poll(() => isAnyoneWaiting(tx)).toBe(true);
    return reconcileInside(tx, touched);
  });
  expect(await verified).toEqual([]);
});

test("what arrives while the books are verified is no fault of theirs", async () => {
  const books = await openBooks(database.db);
  await addRecords(books, [{ id: "T00" }]);
  await importGeneric(books, files[0] ?? "");
  await reconcileAccount(database.db, books.accountId);
  let arrived = 0;
  const meanwhile: Database = {
    ...database.db,
    rehearse: (work) =>
      database.db.rehearse((tx, client) =>
        work(
          {
            ...tx,
            query: async (text, ...rest) => {
              // Between the run that catches up and the one over everything.
              if (text === "discard temp") await addRecords(books, [{ id: `T0${++arrived}` }]);
              return tx.query(text, ...rest);
            },
          },
          client,
        ),
      ),
  };
  expect(await verifyBooks(meanwhile, { accountId: books.accountId })).toEqual([]);
  expect(arrived).toBe(1);
  await reconcileAccount(database.db, books.accountId);
  expect(await verifyBooks(database.db, { accountId: books.accountId })).toEqual([]);
});

async function isAnyoneWaiting(tx: Queryable): Promise<boolean> {
  const waiting = await tx.query(
    `select
     from pg_locks
     where locktype = 'advisory'
       and not granted
       and database = (select oid from pg_database where datname = current_database())`,
  );
  return waiting.length > 0;
}

/** Overlapping: the lines in the middle stand in both, and one transaction in neither. */
const header =
  "provider_transaction_id,status,side,fiat_currency,fiat_gross,fiat_net,asset,network,crypto_amount,effective_at";
const row = (id: string) => `mp-${id},settled,buy,EUR,100,97,btc,bitcoin,0.002,2026-03-10T12:01:00Z`;
const files = [ids.slice(0, 20), ids.slice(10, 29)].map((part) => [header, ...part.map(row), ""].join("\n"));

test.each(["statement", "bank file"])(
  "a %s that waits for its turn lets go of its connection when its caller leaves",
  async (kind) => {
    const books = await openBooks(database.db);
    const gone = new AbortController();
    await database.db.transaction(async (other) => {
      const provider = kind === "statement" ? "moonpay" : receiptsOfAccount;
      await lockProvider(other, { accountId: books.accountId, provider });
      const waiting =
        kind === "statement"
          ? importGeneric(books, files[0] ?? "", reconcileInside, gone.signal)
          : importReceipts(
              { database: database.db, signal: gone.signal },
              sourceOf(
                "Account,Booking date,Amount,Currency,Description\nDE1,2026-03-24,1,EUR,x\n",
                "bank.csv",
              ),
              requestFor(books),
            );
      setTimeout(() => gone.abort(new Error("the caller has left")), 200);
      await expect(waiting).rejects.toThrow("the caller has left");
    });
  },
);

async function importGeneric(
  { accountId, name }: Books,
  text: string,
  afterLines: typeof reconcileInside = reconcileInside,
  signal?: AbortSignal,
): Promise<void> {
  const at = (day: string) => `2026-0${day}T00:00:00.000Z` as never;
  await importStatement(
    { database: database.db, profiles: builtInProfiles, afterLines, signal },
    {
      name: "generic.csv",
      async *bytes() {
        yield Buffer.from(text);
      },
    },
    {
      account: { id: accountId, name },
      provider: "moonpay",
      profileName: "generic",
      replaces: null,
      acceptReason: null,
      actor: "test",
      generatedAt: at("4-01"),
      periodFrom: at("3-01"),
      periodTo: at("4-01"),
    },
  );
}

async function outcomeOf(books: Books): Promise<object> {
  return { matches: await matchesOf(books), discrepancies: await discrepanciesOf(books) };
}
