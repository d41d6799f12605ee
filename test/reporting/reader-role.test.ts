import { randomBytes } from "node:crypto";
import { rm } from "node:fs/promises";
import { resolve } from "node:path";
import { Client } from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { secret } from "../../src/core/secret.ts";
import { type EmbeddedPostgres, startEmbeddedPostgres } from "../../src/store/embedded/embedded-postgres.ts";
import { migrateDatabase } from "../../src/store/migrate.ts";
import { openFolder } from "../support/open-folder.ts";
import { openTestDatabase } from "../support/test-database.ts";

/** A server of its own: roles belong to a whole server, and here there has to be one without the reader. */
let postgres: EmbeddedPostgres;
let folder: string;
const password = randomBytes(12).toString("hex");

beforeAll(async () => {
  folder = await openFolder("tieout-reader-");
  postgres = await startEmbeddedPostgres(folder, { throwAway: true });
});

afterAll(async () => {
  await postgres.leave();
  await rm(folder, { recursive: true, force: true });
});

describe("where the service may not make roles", () => {
  const owner = { user: "plain_owner", database: "plain" };

  beforeAll(() =>
    asSuperuser(undefined, async (admin) => {
      await admin.query(`create role plain_owner login password '${password}'`);
      await admin.query("create database plain owner plain_owner");
    }),
  );

  test("the database is migrated without the reader, and says how to admit it", async () => {
    await migrate(urlOf(owner));
    const notices = await asUser(owner, async (client) => {
      const heard: { message: string | undefined; hint?: string | undefined }[] = [];
      client.on("notice", ({ message, hint }) => heard.push({ message, hint }));
      await client.query("select tieout.admit_reader()");
      return heard;
    });
    expect(notices).toEqual([
      {
        message: expect.stringContaining("plain_owner may not make roles") as string,
        hint: expect.stringContaining("create role tieout_reader; select tieout.admit_reader();") as string,
      },
    ]);
  });

  test("an administrator admits the reader later, and later views are readable too", async () => {
    await asSuperuser(owner.database, (admin) =>
      admin.query("create role tieout_reader; select tieout.admit_reader();"),
    );
    await asUser(owner, (client) => client.query("create view reporting.later as select 1 as figure"));
    await asSuperuser(owner.database, async (admin) => {
      await admin.query("set role tieout_reader");
      expect((await admin.query("select * from reporting.later")).rows).toEqual([{ figure: 1 }]);
      await admin.query("reset role; drop owned by tieout_reader; drop role tieout_reader");
    });
  });
});

describe("where the service may make roles", () => {
  const reader = { user: "tieout_reader", database: "first" };

  beforeAll(async () => {
    const service = new URL(postgres.url).username;
    await asSuperuser(undefined, async (admin) => {
      for (const name of ["first", "second"]) await admin.query(`create database ${name} owner ${service}`);
    });
    // Both at once: the second to make the role has to find that it is there, and go on.
    await Promise.all(["first", "second"].map((name) => migrate(serviceUrl(name))));
    await asSuperuser(undefined, (admin) =>
      admin.query(`alter role tieout_reader login password '${password}'`),
    );
  });

  test("databases that were migrated at the same moment both admit the reader", async () => {
    for (const database of ["first", "second"]) {
      const { rows } = await asUser({ ...reader, database }, (client) =>
        client.query("select count(*)::int as accounts from reporting.data_freshness"),
      );
      expect(rows).toEqual([{ accounts: 0 }]);
    }
  });

  test("the reader cannot log in before someone gives it a password", async () => {
    await asSuperuser(undefined, (admin) => admin.query("alter role tieout_reader nologin"));
    await expect(asUser(reader, (client) => client.query("select 1"))).rejects.toThrow(
      "not permitted to log in",
    );
    await asSuperuser(undefined, (admin) => admin.query("alter role tieout_reader login"));
  });

  test("the reader's sessions are read-only and end by themselves", async () => {
    const settings = await asUser(reader, async (client) => {
      const { rows } = await client.query<{ name: string; setting: string }>(
        `select name, setting from pg_settings
         where name in ('default_transaction_read_only', 'statement_timeout', 'idle_in_transaction_session_timeout')`,
      );
      return Object.fromEntries(rows.map(({ name, setting }) => [name, setting]));
    });
    expect(settings).toEqual({
      default_transaction_read_only: "on",
      statement_timeout: "60000",
      idle_in_transaction_session_timeout: "60000",
    });
  });

  test("a setting that the operator changed stays changed", async () => {
    const timeout = await asSuperuser("first", async (admin) => {
      await admin.query("alter role tieout_reader set statement_timeout = '5min'");
      await admin.query("select tieout.admit_reader()");
      return asUser(reader, async (client) => (await client.query("show statement_timeout")).rows);
    });
    expect(timeout).toEqual([{ statement_timeout: "5min" }]);
  });

  test("the reader reads every view of reporting, and no other relation of ours", async () => {
    await asUser(reader, async (client) => {
      const { rows } = await client.query<{ name: string; readable: boolean }>(
        `select c.oid::regclass::text as name, has_schema_privilege(n.oid, 'usage') and has_table_privilege(c.oid, 'select') as readable
         from pg_class as c
         join pg_namespace as n on n.oid = c.relnamespace
         where c.relkind in ('r', 'p', 'v', 'm', 'f', 'S')
           and n.nspname not in ('pg_catalog', 'information_schema', 'pg_toast')`,
      );
      const views = rows.filter(({ name }) => name.startsWith("reporting."));
      expect(views.length).toBeGreaterThanOrEqual(8);
      expect(views.filter(({ readable }) => !readable)).toEqual([]);
      expect(rows.filter(({ name, readable }) => readable && !name.startsWith("reporting."))).toEqual([]);
      for (const { name } of views) await client.query(`select * from ${name} limit 1`);
    });
  });

  test("the reader has ten connections at most", async () => {
    const { rows } = await asUser(reader, (client) =>
      client.query("select rolconnlimit from pg_roles where rolname = current_user"),
    );
    expect(rows).toEqual([{ rolconnlimit: 10 }]);
  });

  test("whatever locks the reader takes, the audit log is written", async () => {
    const entry = `insert into tieout.audit_log (number, at, actor, action, subject, previous_hash, hash)
                   values (0, now(), 'test', 'key.revoked', 'x', '', '')`;
    // The second one: in the first, an administrator has closed advisory locks to the reader.
    await asUser({ ...reader, database: "second" }, async (client) => {
      await client.query("set statement_timeout = 0; set default_transaction_read_only = off; begin");
      await client.query("select pg_advisory_lock(hashtextextended('tieout.audit_log', 0))");
      for (const mode of ["access share", "share", "exclusive", "access exclusive"]) {
        for (const table of ["audit_turn", "audit_log"]) {
          await client.query("savepoint before");
          await expect(client.query(`lock table tieout.${table} in ${mode} mode`)).rejects.toThrow(
            "permission denied",
          );
          await client.query("rollback to before");
        }
      }
      await withClient(serviceUrl("second"), async (service) => {
        await service.query("set statement_timeout = '2s'");
        await service.query(entry);
      });
    });
  });

  test("where an administrator has admitted the reader, it takes no advisory lock and makes no large object", async () => {
    await asSuperuser("second", (admin) => admin.query("select tieout.admit_reader()"));
    await asUser({ ...reader, database: "second" }, async (client) => {
      for (const call of [
        "pg_advisory_lock(1)",
        "pg_try_advisory_xact_lock_shared(1, 2)",
        "pg_advisory_xact_lock(1)",
        "lo_from_bytea(0, 'x')",
      ])
        await expect(client.query(`select ${call}`)).rejects.toThrow("permission denied for function");
    });
    await withClient(serviceUrl("second"), (service) => service.query("select pg_advisory_xact_lock(1)"));
  });

  test.each([
    "select * from tieout.transactions",
    "select * from tieout.accounts",
    "select tieout.admit_reader()",
    "insert into reporting.quarantined_records (reason) values ('x')",
    "update reporting.transactions set status = 'completed'",
    "delete from reporting.transaction_statuses",
    "create table reporting.mine (id int)",
    "create table tieout.mine (id int)",
    "create table public.mine (id int)",
    "create schema mine",
    "drop view reporting.transactions",
  ])("the reader may not: %s", async (statement) => {
    await asUser(reader, async (client) => {
      // Read-only is a default that anyone may switch off; the rights are what counts.
      await client.query("set default_transaction_read_only = off");
      await expect(client.query(statement)).rejects.toThrow(
        /permission denied|must be owner|cannot (insert|update|delete)/,
      );
    });
  });
});

async function migrate(url: string): Promise<void> {
  const database = openTestDatabase(secret(url));
  try {
    await migrateDatabase(database, resolve("migrations"));
  } finally {
    await database.close();
  }
}

function urlOf({ user, database }: { user: string; database: string }): string {
  const url = new URL(postgres.superuserUrl);
  url.username = user;
  url.password = password;
  url.pathname = database;
  return url.href;
}

function serviceUrl(database: string): string {
  const url = new URL(postgres.url);
  url.pathname = database;
  return url.href;
}

async function asUser<T>(
  who: { user: string; database: string },
  use: (client: Client) => Promise<T>,
): Promise<T> {
  return withClient(urlOf(who), use);
}

async function asSuperuser<T>(database: string | undefined, use: (client: Client) => Promise<T>): Promise<T> {
  const url = new URL(postgres.superuserUrl);
  if (database) url.pathname = database;
  return withClient(url.href, use);
}

async function withClient<T>(connectionString: string, use: (client: Client) => Promise<T>): Promise<T> {
  const client = new Client({ connectionString });
  await client.connect();
  try {
    return await use(client);
  } finally {
    await client.end();
  }
}
