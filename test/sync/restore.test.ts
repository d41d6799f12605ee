import { once } from "node:events";
import { buffer } from "node:stream/consumers";
import { from as copyFrom, to as copyTo } from "pg-copy-streams";
import { expect, test } from "vitest";
import { ensureAccounts } from "../../src/store/accounts/accounts.ts";
import { keepAuditHead } from "../../src/store/people/audit-head.ts";
import type { Database } from "../../src/store/database.ts";
import { verify } from "../../src/sync/verify.ts";
import { compareWithLedger, readLedger, tiedOut } from "../support/ledger-oracle.ts";
import { syncDeps } from "../support/sync-deps.ts";
import { useTestDatabase } from "../support/test-database.ts";
import { addAccount, openFrozenSandbox, syncToEnd } from "../support/use-sync.ts";

const original = useTestDatabase();
const restored = useTestDatabase();

test("a dump that is restored elsewhere verifies, has equal digests, and is read on from there", async () => {
  const { sandbox } = await openFrozenSandbox({ transactions: 150 });
  const account = await addAccount(original.db, sandbox);
  await syncToEnd(syncDeps(original.db), account);
  await ensureAccounts(
    original.db,
    [{ name: "another", baseUrl: "https://example.com", syncStart: "2026-01-01T00:00:00Z" }],
    "test",
  );
  await keepAuditHead(original.db);
  const before = await digestsOf(original.db);
  const { mismatches, statusRows } = await verify(original.db);
  expect(mismatches).toEqual([]);
  expect(statusRows).toBeGreaterThan(300);

  await restore(await dump(original.db), restored.db);
  expect(await digestsOf(restored.db)).toEqual(before);
  expect(await verify(restored.db)).toEqual({ mismatches: [], statusRows });

  const { windows } = await syncToEnd(syncDeps(restored.db), account);
  expect(windows.added).toBe(statusRows);
  const expected = await readLedger(sandbox);
  expect(await compareWithLedger(restored.db, account.id, expected)).toEqual(tiedOut);
  expect((await verify(restored.db)).mismatches).toEqual([]);
});

test("a restored copy with one digit changed does not verify", async () => {
  await restored.db.session(async (client) => {
    await client.query("set session_replication_role = replica");
    await client.query(
      `update tieout.transaction_statuses
       set in_amount = in_amount + 0.01
       where (tableoid, ctid) = (select tableoid, ctid from tieout.transaction_statuses where in_amount is not null limit 1)`,
    );
    await client.query("reset session_replication_role");
  });
  expect((await verify(restored.db)).mismatches).toMatchObject([
    { problem: "its content does not give its hash" },
  ]);
});

interface Dump {
  tables: { name: string; columns: string; rows: Buffer }[];
  sequences: { name: string; at: string }[];
}

/** What pg_dump does with the data; the tables themselves are made by our migrations. */
async function dump(db: Database): Promise<Dump> {
  // As pg_dump --load-via-partition-root: the months are made again by whoever needs them.
  const tables = await db.query<{ name: string; columns: string }>(
    `select format('tieout.%I', c.relname) as name,
            string_agg(quote_ident(a.attname), ', ' order by a.attnum) as columns
     from pg_class as c
     join pg_attribute as a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
     where c.relnamespace = 'tieout'::regnamespace
       and c.relkind in ('r', 'p')
       and not c.relispartition
       and c.relname <> 'migrations'
     group by c.oid, c.relname
     order by 1`,
  );
  const sequences = await db.query<{ name: string; at: string }>(
    `select format('%I.%I', schemaname, sequencename) as name, last_value::text as at
     from pg_sequences
     where schemaname = 'tieout' and last_value is not null`,
  );
  // One snapshot for all of them.
  const rows = await db.session(async (client) => {
    await client.query("begin isolation level repeatable read read only");
    const copies: Dump["tables"] = [];
    for (const { name, columns } of tables) {
      const copy = client.query(copyTo(`copy (select ${columns} from ${name}) to stdout`));
      copies.push({ name, columns, rows: await buffer(copy) });
    }
    await client.query("commit");
    return copies;
  });
  return { tables: rows, sequences };
}

async function restore(dumped: Dump, db: Database): Promise<void> {
  await db.session(async (client) => {
    await client.query("begin");
    // As pg_restore --disable-triggers: the rows come as they were, numbers and hashes included.
    await client.query("set local session_replication_role = replica");
    await client.query(`truncate ${dumped.tables.map(({ name }) => name).join(", ")}`);
    for (const { name, columns, rows } of dumped.tables) {
      const stream = client.query(copyFrom(`copy ${name} (${columns}) from stdin`));
      stream.end(rows);
      await once(stream, "finish");
    }
    for (const { name, at } of dumped.sequences)
      await client.query("select setval($1::regclass, $2::bigint)", [name, at]);
    await client.query("commit");
  });
}

async function digestsOf(db: Database): Promise<unknown> {
  return db.query(
    `select (select encode(sha256(string_agg(transaction_id || '|' || encode(record_hash, 'hex'), e'\\n'
                                             order by transaction_id collate "C", record_hash)::bytea), 'hex')
             from tieout.transaction_statuses) as status_rows,
            (select encode(sha256(string_agg(transaction_id || '|' || encode(record_hash, 'hex'), e'\\n'
                                             order by transaction_id collate "C")::bytea), 'hex')
             from tieout.transactions) as transactions,
            (select encode(hash, 'hex') from tieout.audit_log order by number desc limit 1) as audit_head,
            (select covered::text from tieout.accounts order by id limit 1) as covered`,
  );
}
