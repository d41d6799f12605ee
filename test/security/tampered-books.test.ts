import { randomBytes } from "node:crypto";
import { beforeAll, describe, expect, test } from "vitest";
import { verifyBooks } from "../../src/reconcile/verify-books.ts";
import { createKey, revokeKey } from "../../src/store/people/api-keys.ts";
import { findWrongKeys } from "../../src/store/people/key-integrity.ts";
import type { Mismatch } from "../../src/store/transactions/integrity.ts";
import { useTestDatabase } from "../support/test-database.ts";
import { seedPage } from "../web/seed-page.ts";
import { takeStatement } from "../web/statement-file.ts";

const database = useTestDatabase();
const author = { actor: "test" };
const made = { role: "viewer", scopes: [], accountIds: [1], expiresInMs: 1_000_000 } as const;
let keyId: string;

beforeAll(async () => {
  await takeStatement(database.db, await seedPage(database.db, Date.now()));
  keyId = (await createKey(database.db, randomBytes, { name: "one", ...made }, author)).held.id;
  const { held } = await createKey(database.db, randomBytes, { name: "two", ...made }, author);
  await revokeKey(database.db, held.id, author);
});

/** What the owner of the tables can do behind the service's back, and what is said of it; taken back afterwards. */
async function afterTampering(
  table: string,
  change: string,
  look: () => Promise<Mismatch[]>,
): Promise<string[]> {
  const run = (text: string) =>
    database.db.transaction(async (tx) => {
      await tx.query("set local session_replication_role = replica");
      await tx.query(text);
    });
  await database.db.query(`create table public.kept as table tieout.${table}`);
  try {
    await run(change);
    return (await look()).map(({ subject, problem }) => `${subject}: ${problem}`);
  } finally {
    await run(
      `delete from tieout.${table}; insert into tieout.${table} overriding system value table public.kept`,
    );
    await database.db.query("drop table public.kept");
  }
}

const lookAtBooks = () => verifyBooks(database.db, { accountId: 1, provider: "moonpay" });
const lookAtKeys = () => findWrongKeys(database.db);

test("what nobody touched follows from its sources", async () => {
  expect(await lookAtBooks()).toEqual([]);
  expect(await lookAtKeys()).toEqual([]);
});

describe("is found, by its row:", () => {
  const match = "id = (select min(id) from tieout.matches where in_actual is not null)";
  const finding =
    "id = (select min(id) from tieout.findings where value is not null and expected is not null)";
  test.each([
    ["a match's amount", "matches", `update tieout.matches set in_actual = 1 where ${match}`, /^match \d+: /],
    [
      "a match that was ended",
      "matches",
      `update tieout.matches set state = 'ended', ended_at = now(), ended_by = 'x', ended_reason = 'x' where ${match}`,
      /^match \d+: line \d+ and transaction .* belong together/,
    ],
    [
      "a match with another transaction",
      "matches",
      `update tieout.matches set transaction_id = 'other' where ${match}`,
      /^match \d+: its record was never kept/,
    ],
    [
      "a finding's amount",
      "findings",
      `update tieout.findings set expected = expected + 1 where ${finding}`,
      /^finding \d+ \(\w+\): its facts do not give its hash/,
    ],
    [
      "a finding's value",
      "findings",
      `update tieout.findings set value = 0 where ${finding}`,
      /^finding \d+ \(.*\): it does not follow/,
    ],
    [
      "a finding that is gone",
      "findings",
      `delete from tieout.findings where ${finding}`,
      /^finding \d+ .*: it follows from what it is about, and was not there/,
    ],
    [
      "a payout's figures",
      "payouts",
      "update tieout.payouts set gross = gross + 5, net_computed = net_computed + 5, difference = difference - 5",
      /^payout PO-2026-11 of moonpay: its figures are not the sums of its lines/,
    ],
  ])("%s", async (_, table, change, told) => {
    expect(await afterTampering(table, change, lookAtBooks)).toContainEqual(
      expect.stringMatching(told) as string,
    );
  });

  test.each([
    ["a key that may do more", "role = 'admin'", "it may do something else than it was made for"],
    ["one with another account", "account_ids = null", "it may do something else than it was made for"],
    [
      "one that lives longer",
      "expires_at = expires_at + interval '1 day'",
      "it is good for longer than it was made for",
    ],
    ["one that was revoked in SQL", "revoked_at = now()", "it is not revoked as the audit log says"],
  ])("%s", async (_, change, problem) => {
    const told = await afterTampering(
      "api_keys",
      `update tieout.api_keys set ${change} where id = '${keyId}'`,
      lookAtKeys,
    );
    expect(told).toEqual([`key_${keyId}: ${problem}`]);
  });

  test("a key that nobody made", async () => {
    const told = await afterTampering(
      "api_keys",
      `insert into tieout.api_keys (id, name, role, secret_hash, last_four, created_by, expires_at)
       values ('ABCDEFGH', 'x', 'admin', sha256('x'), 'xxxx', 'x', now() + interval '1 day')`,
      lookAtKeys,
    );
    expect(told).toEqual(["key_ABCDEFGH: the audit log does not say that it was made"]);
  });
});
