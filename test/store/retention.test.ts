import { beforeAll, expect, test } from "vitest";
import { DAY } from "../../src/core/duration.ts";
import { applyRetention } from "../../src/store/retention.ts";
import { useTestDatabase } from "../support/test-database.ts";
import { email, problemsOf, seedErasable } from "../reconcile/erasure/erased-world.ts";

const database = useTestDatabase();
const stopping = new AbortController().signal;

beforeAll(async () => {
  await seedErasable(database.db);
  await database.db.query(
    `insert into tieout.idempotency_keys
     select '12345678', 'old ' || n, '', now() - interval '25 hours', 200, 'text/plain', '' from generate_series(1, 1200) as n`,
  );
  await database.db.query(
    `insert into tieout.people (name, email, roles, created_by) values ('A', 'a@example.com', '{viewer}', 'test')`,
  );
  await database.db.query(
    `insert into tieout.sessions (token_hash, person_id, method, expires_at)
     select sha256(n::text::bytea), (select min(id) from tieout.people), 'link', now() - n * interval '20 days'
     from generate_series(1, 3) as n`,
  );
});

test("what was kept long enough goes, in batches, and what was not stays", async () => {
  const removed = await applyRetention(database.db, { statementFilesMs: null }, stopping);
  expect(removed).toMatchObject({ answers: 1200, sessions: 2, statement_files: 0 });
  const [left] = await database.db.query(
    `select (select count(*)::int from tieout.idempotency_keys) as answers, (select count(*)::int from tieout.sessions) as sessions`,
  );
  expect(left).toEqual({ answers: 1, sessions: 1 });
  expect(await applyRetention(database.db, { statementFilesMs: null }, stopping)).toMatchObject({
    answers: 0,
  });
});

test("the bytes of old files go, audited; rows and lines stay, and verify still reads them", async () => {
  const settings = { statementFilesMs: 40 * DAY };
  expect(await applyRetention(database.db, settings, stopping)).toMatchObject({ statement_files: 0 });
  // Imported long ago, and nobody else's hash goes by it.
  await database.db.query("update tieout.statements set imported_at = imported_at - interval '50 days'");
  expect(await applyRetention(database.db, settings, stopping)).toMatchObject({ statement_files: 1 });
  expect(await applyRetention(database.db, settings, stopping)).toMatchObject({ statement_files: 0 });
  const [kept] = await database.db.query(
    `select (select count(*)::int from tieout.statement_files) as parts,
            (select count(*) > 10 from tieout.statement_rows where original_text like '%' || $1) as rows,
            (select count(*)::int from tieout.audit_log where action = 'statement.file_forgotten') as entries`,
    [email],
  );
  expect(kept).toEqual({ parts: 0, rows: true, entries: 1 });
  expect(await problemsOf(database.db)).toEqual([]);
  await database.db.transaction(async (tx) => {
    await tx.query("set local session_replication_role = replica");
    await tx.query("update tieout.statement_lines set fiat_gross = fiat_gross + 1 where line_no = 2");
  });
  expect(await problemsOf(database.db)).toEqual([
    "line 2 of statement 1: the values that are kept are not those of the file",
  ]);
});

test("files of the last 30 days stay, whatever is asked, and no other way leads past the tables' rules", async () => {
  await expect(
    database.db.query("select tieout.forget_statement_files(interval '29 days', 5)"),
  ).rejects.toThrow("30 days at least");
  await expect(database.db.query("delete from tieout.forgotten_files")).rejects.toThrow("append-only");
});
