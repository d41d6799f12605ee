import { rm } from "node:fs/promises";
import { resolve } from "node:path";
import { Client } from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { migrateQueue } from "../../jobs/connection.ts";
import { secret } from "../../src/core/secret.ts";
import { type EmbeddedPostgres, startEmbeddedPostgres } from "../../src/store/embedded/embedded-postgres.ts";
import { admitService, migrateDatabase } from "../../src/store/migrate.ts";
import { freshenStatistics } from "../../src/store/statistics.ts";
import { nextMigrations } from "../support/next-migrations.ts";
import { openFolder } from "../support/open-folder.ts";
import { openTestDatabase } from "../support/test-database.ts";

let postgres: EmbeddedPostgres;
let folder: string;

beforeAll(async () => {
  folder = await openFolder("tieout-service-");
  postgres = await startEmbeddedPostgres(folder, { throwAway: true });
  const owner = openTestDatabase(secret(postgres.url));
  await migrateDatabase(owner, resolve("migrations"));
  await owner.session((client) => migrateQueue(client));
  await admitService(owner, { migrated: true });
  await owner.query("select tieout.make_months('2026-10-01', '2026-12-01')");
  await owner.close();
});

afterAll(async () => {
  await postgres.leave();
  await rm(folder, { recursive: true, force: true });
});

async function asService<T>(use: (client: Client) => Promise<T>): Promise<T> {
  const client = new Client({ connectionString: postgres.serviceUrl });
  await client.connect();
  try {
    return await use(client);
  } finally {
    await client.end();
  }
}

const appendOnly = [
  "audit_log",
  "transaction_statuses",
  "transaction_statuses_odd",
  "transaction_statuses_2026_11",
  "statement_files",
  "statement_rows",
  "statement_lines",
  "provider_settings",
  "discrepancy_events",
];
const writtenByErasureOnly = ["erasures", "erased_subjects", "erasure_seals"];
const neverDeleted = ["statements", "matches", "discrepancies", "api_keys"];

describe("the running service", () => {
  test("owns nothing, and may make nothing", () =>
    asService(async (client) => {
      const { rows } = await client.query(
        `select rolsuper, rolcreaterole, rolcreatedb,
                (select count(*)::int from pg_class where relowner = r.oid) as relations,
                (select count(*)::int from pg_proc where proowner = r.oid) as functions,
                (select count(*)::int from pg_namespace where nspowner = r.oid) as schemas
         from pg_roles as r where rolname = current_user`,
      );
      const nothing = { relations: 0, functions: 0, schemas: 0 };
      expect(rows).toEqual([{ rolsuper: false, rolcreaterole: false, rolcreatedb: false, ...nothing }]);
    }));

  test("is admitted again by the next upgrade, although the queue has made sequences of its own since", async () => {
    await asService((client) => client.query("create sequence queue.bullmq_jid_of_a_queue"));
    const owner = openTestDatabase(secret(postgres.url));
    await admitService(owner, { migrated: true });
    // Where an administrator looks after the roles, the owner of the database may only administer it.
    const superuser = openTestDatabase(secret(postgres.superuserUrl.replace(/postgres$/, "tieout")));
    await superuser.query("revoke tieout_service from tieout");
    await superuser.query("grant tieout_service to tieout with admin true, inherit false, set false");
    await expect(admitService(owner, { migrated: true })).rejects.toThrow("permission denied for sequence");
    await migrateDatabase(owner, await nextMigrations({ "0999_next": "select 1" }));
    await admitService(owner, { migrated: true });
    await superuser.query("drop sequence queue.bullmq_jid_of_a_queue");
    await Promise.all([owner.close(), superuser.close()]);
  });

  test.each(appendOnly)("cannot change, thin out or empty %s, nor switch off what guards it", (table) =>
    asService(async (client) => {
      for (const statement of [
        `delete from tieout.${table}`,
        `truncate tieout.${table}`,
        `alter table tieout.${table} disable trigger user`,
        `drop table tieout.${table}`,
        `lock table tieout.${table} in access exclusive mode nowait; delete from tieout.${table}`,
      ])
        await expect(client.query(statement)).rejects.toThrow(/permission denied|must be owner/);
      const { rows } = await client.query<{ update: boolean }>(
        "select has_any_column_privilege($1, 'update') as update",
        [`tieout.${table}`],
      );
      expect(rows).toEqual([{ update: false }]);
    }),
  );

  test.each(writtenByErasureOnly)("cannot write to %s but through tieout.erase", (table) =>
    asService(async (client) => {
      const { rows } = await client.query(
        `select has_table_privilege($1, 'insert') or has_table_privilege($1, 'update')
             or has_table_privilege($1, 'delete') as may_write,
                has_function_privilege('tieout.erase(jsonb, jsonb, bytea[])', 'execute') as may_erase`,
        [`tieout.${table}`],
      );
      expect(rows).toEqual([{ may_write: false, may_erase: true }]);
    }),
  );

  test.each(neverDeleted)("cannot delete from %s", (table) =>
    asService((client) =>
      expect(client.query(`delete from tieout.${table}`)).rejects.toThrow("permission denied"),
    ),
  );

  test("cannot pretend to be a replica, become the owner or rewrite the rules", () =>
    asService(async (client) => {
      for (const statement of [
        "set session_replication_role = replica",
        "set role tieout",
        "create or replace function tieout.refuse_change() returns trigger language plpgsql as 'begin return new; end'",
        "create table tieout.mine (id int)",
        "update tieout.migrations set sha256 = 'x'",
      ])
        await expect(client.query(statement)).rejects.toThrow(/permission denied|must be owner/);
    }));

  test("writes to the audit log, makes months and freshens statistics", () =>
    asService(async (client) => {
      await client.query(
        `insert into tieout.audit_log (number, at, actor, action, subject, previous_hash, hash)
         values (0, now(), 'test', 'test', 'x', '', '')`,
      );
      await client.query("select tieout.make_months('2027-01-01', '2027-01-02')");
      const heard: string[] = [];
      client.on("notice", ({ message }) => heard.push(message ?? ""));
      await client.query("create temp table mine (id int)");
      const looked = "select tieout.look_at_tables($1::regclass[], 10, $2)";
      await client.query(looked, [["tieout.transactions"], ["provider", "status"]]);
      await client.query(looked, [["tieout.transaction_statuses_2026_11", "tieout.matches"], null]);
      expect(heard).toEqual([]);
      const { rows } = await client.query("show default_statistics_target");
      expect(rows).toEqual([{ default_statistics_target: "100" }]);
      for (const other of ["pg_catalog.pg_class", "mine"])
        await expect(client.query(looked, [[other], null])).rejects.toThrow(
          "only tables of tieout are looked at",
        );
    }));

  // Postgres 15 and 16 know no right to look at a table that someone else owns.
  test("freshens statistics also where it may not look at tables itself", async () => {
    const owner = openTestDatabase(secret(postgres.url));
    await owner.query("revoke maintain on all tables in schema tieout from tieout_service");
    await owner.query(
      "insert into tieout.accounts (name, base_url, sync_start) select 'a' || n, 'http://x', now() from generate_series(1, 5000) as n",
    );
    const service = openTestDatabase(secret(postgres.serviceUrl));
    await freshenStatistics(service, ["tieout.accounts"]);
    const [known] = await owner.query(
      "select reltuples from pg_class where oid = 'tieout.accounts'::regclass",
    );
    expect(known).toEqual({ reltuples: 5000 });
    await owner.query("select tieout.admit_service()");
    await Promise.all([owner.close(), service.close()]);
  });
});
