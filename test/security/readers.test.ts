import { randomBytes } from "node:crypto";
import { Client } from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { addReader, closeToReaders, listReaders, removeReader } from "../../src/store/people/readers.ts";
import { useTestDatabase } from "../support/test-database.ts";
import { seedErasable } from "../reconcile/erasure/erased-world.ts";

const database = useTestDatabase();
const password = randomBytes(12).toString("hex");
/** Roles belong to the whole server, which other test files use too. */
const tag = randomBytes(4).toString("hex");
const names = { limited: `limited_${tag}`, whole: `whole_${tag}`, gone: `gone_${tag}` };
let wallet: string;

beforeAll(async () => {
  ({ wallet } = await seedErasable(database.db));
  const reader = { password, by: "test" };
  await addReader(database.db, { ...reader, name: names.limited, accountIds: [1], wallets: false });
  await addReader(database.db, { ...reader, name: names.whole, accountIds: null, wallets: true });
  await addReader(database.db, { ...reader, name: names.gone, accountIds: [2], wallets: false });
  await closeToReaders(database.db);
});

afterAll(async () => {
  for (const name of Object.values(names)) await removeReader(database.db, name, "test");
});

async function connect(name: string): Promise<Client> {
  const url = new URL(database.url.reveal());
  url.username = `tieout_reader_${name}`;
  url.password = password;
  const client = new Client({ connectionString: url.href });
  client.on("error", () => undefined);
  await client.connect();
  return client;
}

async function as<T>(name: string, use: (client: Client) => Promise<T>): Promise<T> {
  const client = await connect(name);
  try {
    return await use(client);
  } finally {
    await client.end().catch(() => undefined);
  }
}

const views = () =>
  database.db.query<{ name: string }>(
    `select table_name as name from information_schema.columns
     where table_schema = 'reporting' and column_name = 'account' order by 1`,
  );

describe("a reader of one account", () => {
  test("sees that account in every view, and no other", async () => {
    const list = await views();
    expect(list.length).toBeGreaterThanOrEqual(13);
    await as(names.limited, async (client) => {
      for (const { name } of list) {
        const { rows } = await client.query<{ account: string }>(
          `select distinct account from reporting.${name}`,
        );
        expect({ name, accounts: rows.filter(({ account }) => account !== "acme-eu") }).toEqual({
          name,
          accounts: [],
        });
      }
      const { rows } = await client.query("select distinct account from reporting.transactions");
      expect(rows).toEqual([{ account: "acme-eu" }]);
    });
    // A view that has no rows here would pass whatever it says.
    const unguarded = await database.db.query<{ name: string }>(
      `select c.relname as name
       from pg_class as c
       join pg_attribute as a on a.attrelid = c.oid and a.attname = 'account'
       where c.relnamespace = 'reporting'::regnamespace
         and pg_get_viewdef(c.oid) not like '%readable_accounts()%'`,
    );
    expect(unguarded).toEqual([]);
  });

  test("sees wallets masked, and neither original rows nor unknown fields", () =>
    as(names.limited, async (client) => {
      const { rows } = await client.query<{ name: string }>(
        "select table_name as name from information_schema.views where table_schema = 'reporting'",
      );
      for (const { name } of rows) {
        const { rows: found } = await client.query<{ quotes: number }>(
          `select count(*)::int as quotes from reporting.${name} as v where v::text ilike '%' || $1 || '%'`,
          [wallet],
        );
        expect({ name, ...found[0] }).toEqual({ name, quotes: 0 });
      }
      const { rows: masked } = await client.query(
        "select wallet_address from reporting.transaction_statuses where wallet_address = $1",
        [`${wallet.slice(0, 6)}…${wallet.slice(-4)}`],
      );
      expect(masked).toHaveLength(2);
      const { rows: lines } = await client.query(
        "select distinct extra, raw_text from reporting.statement_lines",
      );
      expect(lines).toEqual([{ extra: null, raw_text: null }]);
    }));

  test("takes no advisory lock, makes nothing of its own, large objects included, and writes nothing", () =>
    as(names.limited, async (client) => {
      await client.query("set default_transaction_read_only = off");
      for (const statement of [
        "select pg_advisory_lock(1)",
        "select pg_try_advisory_xact_lock(1)",
        "select lo_from_bytea(0, 'x')",
        "select lo_creat(-1)",
        "select lo_create(0)",
        "select lo_put(1, 0, 'x')",
        "select lowrite(lo_open(1, 131072), 'x')",
        "select pg_logical_emit_message(false, 'x', 'x')",
        "select pg_logical_emit_message(true, 'x', 'x'::bytea)",
        "create temp table mine (id int)",
        "create function pg_temp.mine() returns int language sql as 'select 1'",
        "select * from tieout.transactions limit 1",
        "select * from tieout.reader_roles",
        "select tieout.add_reader('me', 'x', null, true, 'me')",
        "set session authorization postgres",
      ])
        await expect(client.query(statement), statement).rejects.toThrow(/permission denied|not allowed/);
    }));

  test("has limits of its own", () =>
    as(names.limited, async (client) => {
      const { rows } = await client.query(
        `select current_setting('statement_timeout') as timeout, rolconnlimit as connections
         from pg_roles where rolname = session_user`,
      );
      expect(rows).toEqual([{ timeout: "1min", connections: 5 }]);
    }));
});

test("a reader of all accounts with wallets sees all of it", () =>
  as(names.whole, async (client) => {
    const { rows } = await client.query(
      `select count(distinct account)::int as accounts, bool_or(lower(wallet_address) = $1) as wallet from reporting.transactions`,
      [wallet],
    );
    expect(rows).toEqual([{ accounts: 2, wallet: true }]);
  }));

test("one that is removed is out, and what stays open sees nothing", async () => {
  expect((await listReaders(database.db)).map(({ login }) => login)).toContain(`tieout_reader_${names.gone}`);
  const open = await connect(names.gone);
  await database.db.query("delete from tieout.reader_roles where role_name = $1", [
    `tieout_reader_${names.gone}`,
  ]);
  const { rows } = await open.query("select count(*)::int as rows from reporting.transactions");
  expect(rows).toEqual([{ rows: 0 }]);
  await database.db.query(
    `insert into tieout.reader_roles (role_name, account_ids, wallets, created_by) values ($1, '{2}', false, 'test')`,
    [`tieout_reader_${names.gone}`],
  );
  expect(await removeReader(database.db, names.gone, "test")).toBe(true);
  await expect(open.query("select 1")).rejects.toThrow(/terminat|not queryable|closed/i);
  await open.end().catch(() => undefined);
  await expect(connect(names.gone)).rejects.toThrow("password authentication failed");
  expect(await removeReader(database.db, names.gone, "test")).toBe(false);
});
