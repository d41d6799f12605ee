import { describe, expect, test } from "vitest";
import { countOddDates, ensureMonths } from "../../../src/store/transactions/months.ts";
import { rebuildTransactions } from "../../../src/store/transactions/rebuild.ts";
import { recordPage } from "../../../src/store/transactions/record-page.ts";
import { preparePage } from "../../../src/sync/page.ts";
import { verify } from "../../../src/sync/verify.ts";
import { bareAccount, leaseWindow } from "../../support/a-window.ts";
import { aRecord } from "../../support/model-aggregator.ts";
import { useTestDatabase } from "../../support/test-database.ts";

const database = useTestDatabase();

const tables = ["transaction_statuses", "transaction_keys"] as const;

async function monthsOf(table: (typeof tables)[number]): Promise<string[]> {
  const rows = await database.db.query<{ month: string }>(
    `select substr(c.relname, length($1) + 1) as month
     from pg_partition_tree(('tieout.' || $1)::regclass) as part
     join pg_class as c on c.oid = part.relid
     where part.isleaf
     order by 1`,
    [table],
  );
  return rows.map(({ month }) => month);
}

/** How many rows of each partition belong to the account. */
async function placesOf(table: (typeof tables)[number], accountId: number): Promise<Record<string, number>> {
  const rows = await database.db.query<{ place: string; rows: number }>(
    `select substr(c.relname, length($1) + 1) as place, count(*)::int as rows
     from tieout.${table} as t
     join pg_class as c on c.oid = t.tableoid
     where t.account_id = $2
     group by 1`,
    [table, accountId],
  );
  return Object.fromEntries(rows.map(({ place, rows: count }) => [place, count]));
}

function makeMonths(from: string, to: string): Promise<unknown> {
  return database.db.query("select tieout.make_months($1, $2)", [from, to]);
}

async function recordDated(dates: readonly string[]): Promise<number> {
  const accountId = await bareAccount(database.db);
  const lease = await leaseWindow(database.db, accountId);
  const records = dates.map((statusDate, at) => aRecord({ transactionId: `dated ${at}`, statusDate }));
  await recordPage(database.db, lease, { ...preparePage(records), nextCursor: null });
  return accountId;
}

describe("months", () => {
  test("are made from where the accounts begin until three months ahead of now, and made once", async () => {
    await bareAccount(database.db, { syncStartMs: Date.UTC(2026, 0, 31, 23) });
    expect(await ensureMonths(database.db)).toBe("made");
    const [clock] = await database.db.query<{ last: string }>(
      "select to_char((clock_timestamp() + interval '3 months') at time zone 'UTC', '_YYYY_MM') as last",
    );
    for (const table of tables) {
      const made = await monthsOf(table);
      expect(made[0]).toBe("_2026_01");
      expect(made.at(-2)).toBe(clock?.last);
      expect(made.at(-1)).toBe("_odd");
      expect(await ensureMonths(database.db)).toBe("made");
      expect(await monthsOf(table)).toEqual(made);
    }
  });

  test("hold what is dated in them by UTC; odd dates have a place of their own and are counted", async () => {
    await makeMonths("2026-01-01Z", "2026-03-01Z");
    const odd = await countOddDates(database.db, 1_000);
    const accountId = await recordDated([
      "2026-01-31T23:59:59.999Z",
      "2026-02-01T00:00:00.000Z",
      "1970-01-01T00:00:00.000Z",
      "2999-12-31T00:00:00.000Z",
    ]);
    expect(await placesOf("transaction_statuses", accountId)).toEqual({ _2026_01: 1, _2026_02: 1, _odd: 2 });
    expect(Object.keys(await placesOf("transaction_keys", accountId)).toSorted()).toEqual([
      "_2026_01",
      "_2026_02",
      "_odd",
    ]);
    expect(await countOddDates(database.db, 1_000)).toBe(odd + 2);
    expect(await rebuildTransactions(database.db)).toMatchObject({ mended: 0, removed: 0, named: 0 });
    expect((await verify(database.db)).mismatches).toEqual([]);
  });

  test("take in the rows that came before they were made, which change in nothing else", async () => {
    const accountId = await recordDated(["2031-05-01T00:00:00.000Z", "2031-05-31T12:00:00.000Z"]);
    const rows = () =>
      database.db.query(
        "select * from tieout.transaction_statuses where account_id = $1 order by transaction_id",
        [accountId],
      );
    const before = await rows();
    expect(await placesOf("transaction_statuses", accountId)).toEqual({ _odd: 2 });
    await makeMonths("2031-05-10Z", "2031-05-11Z");
    expect(await placesOf("transaction_statuses", accountId)).toEqual({ _2031_05: 2 });
    expect(Object.keys(await placesOf("transaction_keys", accountId))).toEqual(["_2031_05"]);
    expect(await rows()).toEqual(before);
    expect((await verify(database.db)).mismatches).toEqual([]);
  });

  test("are append-only like the whole", async () => {
    const accountId = await recordDated(["2032-01-05T00:00:00.000Z", "2032-02-05T00:00:00.000Z"]);
    await makeMonths("2032-01-01Z", "2032-01-31Z");
    for (const part of ["transaction_statuses_2032_01", "transaction_statuses_odd"]) {
      for (const statement of [
        `update tieout.${part} set status = 'failed' where account_id = ${accountId}`,
        `delete from tieout.${part} where account_id = ${accountId}`,
        `truncate tieout.${part}`,
      ]) {
        await expect(database.db.query(statement)).rejects.toThrow(/append-only/);
      }
    }
  });

  test("that cannot be made because someone reads are left for the next time", async () => {
    await database.db.transaction(async (reader) => {
      await reader.query("select from tieout.transaction_statuses_odd limit 1");
      await bareAccount(database.db, { syncStartMs: Date.UTC(2020, 0, 1) });
      expect(await ensureMonths(database.db)).toBe("busy");
    });
    expect(await monthsOf("transaction_statuses")).not.toContain("_2020_01");
    expect(await ensureMonths(database.db)).toBe("made");
    expect(await monthsOf("transaction_statuses")).toContain("_2020_01");
  });

  test("go back ten years at the most", async () => {
    await bareAccount(database.db, { syncStartMs: 0 });
    expect(await ensureMonths(database.db)).toBe("made");
    expect((await monthsOf("transaction_statuses")).length).toBeLessThan(10 * 12 + 20);
  });
});
