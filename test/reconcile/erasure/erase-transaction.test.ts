import { beforeAll, expect, test } from "vitest";
import { erase } from "../../../src/reconcile/erasure/erase.ts";
import { reconcileAccount } from "../../../src/reconcile/reconcile.ts";
import { useTestDatabase } from "../../support/test-database.ts";
import type { SeededTransaction } from "../../web/seed-page.ts";
import { accountId, findEverywhere, key, problemsOf, seedErasable } from "./erased-world.ts";

const database = useTestDatabase();
let subject: SeededTransaction;

beforeAll(async () => {
  ({ subject } = await seedErasable(database.db));
}, 120_000);

const readBooks = () =>
  database.db.query(
    `select (select jsonb_agg(jsonb_build_object('line', line_id, 'transaction', transaction_id, 'rule', rule) order by line_id)
             from tieout.matches where state = 'active') as matches,
            (select jsonb_agg(jsonb_build_object('code', code, 'state', state, 'transaction', transaction_id) order by id)
             from tieout.discrepancies) as discrepancies`,
  );

test("erasing a transaction takes what belongs to it, and the books stay as they were when all is matched again", async () => {
  await reconcileAccount(database.db, accountId, { full: true });
  const before = await readBooks();
  const { counts } = await erase(
    { database: database.db, key },
    {
      accountId,
      kind: "transaction",
      value: subject.id,
      reason: "request 12",
      proposedBy: "anna",
      approvedBy: "ben",
    },
  );
  expect(counts).toMatchObject({ transactions: 1, transaction_statuses: 3, statement_lines: 1 });
  await reconcileAccount(database.db, accountId, { full: true });
  expect(await readBooks()).toEqual(before);
  expect(await problemsOf(database.db)).toEqual([]);
  const places = await findEverywhere(database.db, subject.wallet);
  for (const relation of ["transactions", "transaction_statuses", "transaction_keys"])
    expect(places.filter((place) => place.includes(relation))).toEqual([]);
}, 120_000);

test("what was not there to be erased is said, and remembered all the same", async () => {
  const { counts, erasureId } = await erase(
    { database: database.db, key },
    {
      accountId,
      kind: "wallet",
      value: "bc1qnobodyhasthisone",
      reason: "r",
      proposedBy: "a",
      approvedBy: "b",
    },
  );
  expect(counts).toMatchObject({ transactions: 0, statement_rows: 0 });
  expect(erasureId).toBeGreaterThan(0);
});
