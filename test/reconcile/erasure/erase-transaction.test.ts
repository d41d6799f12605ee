import { readFile } from "node:fs/promises";
import { beforeAll, expect, test } from "vitest";
import { erase, previewErasure } from "../../../src/reconcile/erasure/erase.ts";
import { reconcileAccount } from "../../../src/reconcile/reconcile.ts";
import { readClock } from "../../../src/store/clock-time.ts";
import { readReport, requestFor } from "../../report/books.ts";
import { useTestDatabase } from "../../support/test-database.ts";
import type { SeededTransaction } from "../../web/seed-page.ts";
import { accountId, agreeOn, arrive, findEverywhere, key, problemsOf, seedErasable } from "./erased-world.ts";

const database = useTestDatabase();
let subject: SeededTransaction;
let short: SeededTransaction;

beforeAll(async () => {
  ({ subject, short } = await seedErasable(database.db));
});

const readBooks = () =>
  database.db.query(
    `select (select jsonb_agg(jsonb_build_object('line', line_id, 'transaction', transaction_id, 'rule', rule) order by line_id)
             from tieout.matches where state = 'active') as matches,
            (select jsonb_agg(jsonb_build_object('code', code, 'state', state, 'transaction', transaction_id) order by id)
             from tieout.discrepancies) as discrepancies`,
  );

test("rejected records of the transaction go, and those of another whose id begins alike stay", async () => {
  const id = "tx-1";
  const others = ["tx-10", "tx-1-2", "otx-1"];
  await arrive(
    database.db,
    [id, ...others].map((transactionId) => ({ transactionId, status: "paid", inAmount: "12,50" })),
  );
  const named = { kind: "transaction", value: id } as const;
  const { approvalId } = await agreeOn(database.db, named);
  const { counts } = await erase({ database: database.db, key }, { accountId, ...named, approvalId });
  expect(counts).toMatchObject({ quarantined_records: 1 });
  const left = await database.db.query<{ id: string }>(
    `select raw::json ->> 'transactionId' as id from tieout.quarantined_records
     where raw::json ->> 'transactionId' like '%tx-%' order by id`,
  );
  expect(left.map((row) => row.id)).toEqual(others.toSorted());
});

test("an empty id is refused", async () => {
  const nothing = { accountId, kind: "transaction", value: " " } as const;
  await expect(previewErasure({ database: database.db, key }, nothing)).rejects.toThrow("its id is empty");
});

test("erasing a transaction takes what belongs to it, and the books stay as they were when all is matched again", async () => {
  await reconcileAccount(database.db, accountId, { full: true });
  const before = await readBooks();
  const { counts } = await erase(
    { database: database.db, key },
    {
      accountId,
      kind: "transaction",
      value: subject.id,
      approvalId: (await agreeOn(database.db, { kind: "transaction", value: subject.id })).approvalId,
    },
  );
  expect(counts).toMatchObject({ transactions: 1, transaction_statuses: 3, statement_lines: 1 });
  await reconcileAccount(database.db, accountId, { full: true });
  expect(await readBooks()).toEqual(before);
  expect(await problemsOf(database.db)).toEqual([]);
  const places = await findEverywhere(database.db, subject.wallet);
  for (const relation of ["transactions", "transaction_statuses", "transaction_keys"])
    expect(places.filter((place) => place.includes(relation))).toEqual([]);
});

test("what was not there to be erased is said, and remembered all the same", async () => {
  const nobody = { kind: "wallet", value: "bc1qnobodyhasthisone" } as const;
  const { approvalId } = await agreeOn(database.db, nobody);
  const { counts, erasureId } = await erase(
    { database: database.db, key },
    { accountId, ...nobody, approvalId },
  );
  expect(counts).toMatchObject({ transactions: 0, statement_rows: 0 });
  expect(erasureId).toBeGreaterThan(0);
});

test("a file beside a discrepancy about the transaction goes as a whole, and what was known before has the same sums", async () => {
  const named = { kind: "transaction", value: short.id } as const;
  const passport = () =>
    database.db.query<{ text: string; kind: string; fits: boolean }>(
      `select encode(content, 'escape') as text, kind, sha256 = sha256(content) as fits
       from tieout.attachments where file_name = 'passport.png'`,
    );
  expect((await passport())[0]?.text).toContain("a passport");
  const knownAt = (await readClock(database.db)).replace(" ", "T").replace("+00", "Z");
  const readPosition = () =>
    readReport(database.db, requestFor("position", { known_at: [knownAt], partial: ["true"] }));
  const position = await readPosition();
  const { approvalId } = await agreeOn(database.db, named);
  const { counts } = await erase({ database: database.db, key }, { accountId, ...named, approvalId });
  expect(counts).toMatchObject({ transactions: 1, attachments: 1 });
  expect(await readPosition()).toBe(position);
  // As earlier versions left it, and as the upgrade puts it right.
  await database.db.query("delete from tieout.odd_histories where transaction_id = $1", [short.id]);
  expect(await readPosition()).not.toBe(position);
  await database.db.query(await readFile("migrations/0020_erased_before.sql", "utf8"));
  expect(await readPosition()).toBe(position);
  expect(await passport()).toEqual([
    { text: expect.stringMatching(/^erased [0-9a-f]{64}\n$/) as string, kind: "text", fits: true },
  ]);
  expect(await problemsOf(database.db)).toEqual([]);
});
