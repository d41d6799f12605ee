import { expect, test } from "vitest";
import { ensureAccounts } from "../../../src/store/accounts/accounts.ts";
import { recordAudit } from "../../../src/store/people/audit-log.ts";
import { useTestDatabase } from "../../support/test-database.ts";

const database = useTestDatabase();

const account = { name: "eu", baseUrl: "https://eu.example", syncStart: "2026-01-01T00:00:00Z" };

test("an account is added once, and a change of its address is noted", async () => {
  await ensureAccounts(database.db, [account], "service");
  await ensureAccounts(database.db, [account], "service");
  await ensureAccounts(database.db, [{ ...account, baseUrl: "https://new.example" }], "service");
  expect(await database.db.query("select name, base_url from tieout.accounts")).toEqual([
    { name: "eu", base_url: "https://new.example" },
  ]);
  expect(
    await database.db.query("select action, subject, before, after from tieout.audit_log order by number"),
  ).toEqual([
    {
      action: "account.added",
      subject: "eu",
      before: null,
      after: { base_url: "https://eu.example", sync_start: "2026-01-01T00:00:00Z" },
    },
    {
      action: "account.changed",
      subject: "eu",
      before: { base_url: "https://eu.example" },
      after: { base_url: "https://new.example" },
    },
  ]);
});

test("entries written side by side form one chain", async () => {
  const write = (n: number) =>
    database.db.transaction((tx) =>
      recordAudit(tx, { actor: `a${n}`, action: "test", subject: "s", after: { n } }),
    );
  await Promise.all(Array.from({ length: 20 }, (_, n) => write(n)));
  const broken = await database.db.query(
    `select number
     from (
       select *, lag(hash, 1, sha256('')) over (order by number) as expected_previous,
              row_number() over (order by number) as position
       from tieout.audit_log
     ) as e
     where number <> position
        or previous_hash <> expected_previous
        or hash <> sha256(previous_hash || convert_to(tieout.audit_entry_text(
             row(number, at, actor, actor_name, action, subject, before, after, reason, request_id, previous_hash, hash)::tieout.audit_log
           ), 'UTF8'))`,
  );
  expect(broken).toEqual([]);
  expect(await database.db.query("select count(*)::int as n from tieout.audit_log")).toEqual([{ n: 22 }]);
});

test.each([
  "update tieout.audit_log set actor = 'me'",
  "delete from tieout.audit_log",
  "truncate tieout.audit_log",
])("the log refuses: %s", async (statement) => {
  await expect(database.db.query(statement)).rejects.toThrow("append-only");
});
