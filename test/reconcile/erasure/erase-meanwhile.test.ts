import { EventEmitter, once } from "node:events";
import { beforeAll, expect, test } from "vitest";
import { erase } from "../../../src/reconcile/erasure/erase.ts";
import { builtInProfiles } from "../../../src/reconcile/profiles/built-in.ts";
import { reconcileAccount } from "../../../src/reconcile/reconcile.ts";
import { importStatement } from "../../../src/reconcile/statement/import-statement.ts";
import type { Database } from "../../../src/store/database.ts";
import { cancelExport } from "../../../src/store/exports/exports.ts";
import { isAnyoneWaiting } from "../../support/anyone-waiting.ts";
import { useTestDatabase } from "../../support/test-database.ts";
import { waitFor } from "../../support/wait-for.ts";
import { wrapDatabase } from "../../support/wrap-database.ts";
import { addRecords, type Books, openBooks } from "../books.ts";
import { accountId, agreeOn, bookProblems, findEverywhere, key } from "./erased-world.ts";

const database = useTestDatabase();
const wallets = {
  T1: "0x52908400098527886E0F7030069857D2E4169EE7",
  T2: "0x8617E340B3D01FA5F11F306F4090FD50E238070D",
};
let books: Books;

beforeAll(async () => {
  // The first account, which `agreeOn` is about.
  books = await openBooks(database.db);
  await addRecords(
    books,
    Object.entries(wallets).map(([id, walletAddress]) => ({ id, walletAddress })),
  );
});

test("what a run has found, and nobody else sees yet, is erased as well", async () => {
  const wallet = wallets.T1;
  // The two name different wallets, so a discrepancy quotes both.
  await takeFile("mp-T1", "bc1qsomebodyelse");
  const erasure = await agreedErasure(wallet);
  let erased: Promise<unknown> | undefined;
  let isOver = false;
  const interrupted = wrapDatabase(database.db, async (next, text, values, name) => {
    // Matches and findings are written by now.
    if (text.includes("create temp table run_holding") && erased === undefined) {
      erased = erasure(database.db).finally(() => (isOver = true));
      await waitFor(
        "the erasure waits or is over",
        async () => isOver || (await isAnyoneWaiting(database.db)),
      );
    }
    return next(text, values, name);
  });
  await reconcileAccount(interrupted, accountId);
  await erased;
  await reconcileAccount(database.db, accountId);
  expect(await findEverywhere(database.db, wallet)).toEqual([]);
  expect(await bookProblems(database.db)).toEqual([]);
});

test("a file that is imported during an erasure is read again, without what was erased", async () => {
  const wallet = wallets.T2;
  const erasure = await agreedErasure(wallet);
  const steps = new EventEmitter();
  const held = once(steps, "held");
  const erasing = erasure(
    wrapDatabase(database.db, async (next, text, values, name) => {
      if (text.includes("select tieout.erase(")) {
        steps.emit("held");
        await waitFor("the import waits", () => isAnyoneWaiting(database.db));
      }
      return next(text, values, name);
    }),
  );
  await Promise.race([held, erasing]);
  const [{ state }] = await Promise.all([takeFile("mp-T2", wallet), erasing]);
  await reconcileAccount(database.db, accountId);
  expect(state).toBe("imported");
  expect(await findEverywhere(database.db, wallet)).toEqual([]);
  expect(await bookProblems(database.db)).toEqual([]);
});

test("an export that someone cancels meanwhile, and the erasure, come to their end", async () => {
  const erasure = await agreedErasure(wallets.T2.replace("0x", ""));
  const [running] = await database.db.query<{ id: string }>(
    `insert into tieout.exports (id, report, format, parameters, actor, wallets, link_secret, state, attempt, started_at, lease_until)
     values ('exp_cancelled', 'transactions.v1', 'csv', '{}', 'test', true, '', 'running', 1, now(), now() + interval '1 hour')
     returning id`,
  );
  let cancelled: Promise<boolean> | undefined;
  await erasure(
    wrapDatabase(database.db, async (next, text, values, name) => {
      const rows = await next(text, values, name);
      if (text.includes("select tieout.erase(")) {
        cancelled = cancelExport(database.db, running?.id ?? "", { actor: "test", requestId: null });
        await waitFor("the other waits", () => isAnyoneWaiting(database.db));
      }
      return rows;
    }),
  );
  expect(await cancelled).toBe(true);
});

/** What two people have agreed on, and nobody has carried out yet. */
async function agreedErasure(wallet: string): Promise<(db: Database) => Promise<unknown>> {
  const subject = { kind: "wallet", value: wallet } as const;
  const { approvalId } = await agreeOn(database.db, subject);
  return (db) => erase({ database: db, key }, { accountId, ...subject, approvalId });
}

/** Matched by the next run. */
async function takeFile(id: string, wallet: string) {
  const text = `provider_transaction_id,status,side,fiat_currency,fiat_gross,fiat_net,asset,network,crypto_amount,wallet_address,effective_at
${id},settled,buy,EUR,100,97,btc,bitcoin,0.002,${wallet},2026-03-10T12:01:00Z
`;
  const at = (day: string) => `2026-0${day}T00:00:00.000Z` as never;
  return importStatement(
    {
      database: database.db,
      profiles: builtInProfiles,
      erasureKey: async () => key,
    },
    {
      name: "generic.csv",
      async *bytes() {
        yield Buffer.from(text);
      },
    },
    {
      account: { id: accountId, name: books.name },
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
