import { getTableColumns } from "drizzle-orm";
import { expect, test } from "vitest";
import { seenBy } from "../../src/store/conditions.ts";
import { isPosition, type PageWanted } from "../../src/store/keyset.ts";
import { quarantinedRecords, transactions } from "../../src/store/schema/transactions.ts";
import { pagingBy, selectPage } from "../../src/store/select-page.ts";
import { useTestDatabase } from "../support/test-database.ts";

const database = useTestDatabase();

const paging = pagingBy(quarantinedRecords, "descending", "firstSeenAt", "rawHash", "accountId");

test("pages of any size are the whole list, to the microsecond, the byte and the account", async () => {
  // One microsecond apart, at one time with hashes that differ, and with one hash in two accounts.
  await database.db.query(
    `insert into tieout.quarantined_records (account_id, raw_hash, raw, reason, window_id, first_seen_at, last_seen_at)
     select account_id, decode(lpad(to_hex(hash), 64, '0'), 'hex'), 'raw', 'reason', 1,
            timestamptz '2026-11-14T10:00:00Z' + hash % 3 * interval '1 microsecond', clock_timestamp()
     from generate_series(250, 258) as hash, generate_series(1, 2) as account_id`,
  );
  const whole = await listPages(100);
  expect(whole).toHaveLength(18);
  expect(new Set(whole).size).toBe(18);
  expect(whole[0]).toMatch(/^2026-11-14 10:00:00\.000002\+00 0+101 2$/);
  for (const limit of [1, 2, 5, 17, 18]) expect(await listPages(limit)).toEqual(whole);
  expect(await listPages(4, [2, 3])).toEqual(whole.filter((row) => row.endsWith(" 2")));
  expect(await listPages(4, [])).toEqual([]);
  const far = ["2026-11-14 10:00:00.000002+00", "ff".repeat(32), "999999999999999"];
  expect(await listPages(100, null, far)).toEqual(whole);
});

test("an amount is read as text, to its last digit and without zeros at its end", async () => {
  await database.db.query(
    `insert into tieout.transactions (account_id, transaction_id, record_hash, hash_version, status, status_rank, status_date,
       in_amount, out_amount, is_final, first_seen_at, last_changed_at)
     select 1, amount, decode(repeat('00', 32), 'hex'), 1, 'completed', 1, now(), amount::numeric, null, true, now(), now()
     from unnest($1::text[]) as amount`,
    [["0.00", "-1.50", "100", "1200.000", "123456789.123456789012345678", "0.000000000000000001"]],
  );
  const { transactionId, inAmount, outAmount } = getTableColumns(transactions);
  const rows = await database.db.orm.select({ transactionId, inAmount, outAmount }).from(transactions);
  expect(Object.fromEntries(rows.map((row) => [row.transactionId, row.inAmount]))).toEqual({
    "0.00": "0",
    "-1.50": "-1.5",
    "100": "100",
    "1200.000": "1200",
    "123456789.123456789012345678": "123456789.123456789012345678",
    "0.000000000000000001": "0.000000000000000001",
  });
  expect(new Set(rows.map((row) => row.outAmount))).toEqual(new Set([null]));
});

test("no list goes by a column that may be empty, or that no cursor can carry", () => {
  expect(() => pagingBy(quarantinedRecords, "ascending", "field")).toThrow("no list goes by field");
  expect(() => pagingBy(transactions, "ascending", "isFinal")).toThrow("no list goes by isFinal");
});

async function listPages(
  limit: number,
  accountIds: number[] | null = null,
  after: string[] | null = null,
): Promise<string[]> {
  const { orm } = database.db;
  const found: string[] = [];
  const wanted: PageWanted = { limit, after };
  for (;;) {
    const select = orm.select().from(quarantinedRecords).$dynamic();
    const visible = seenBy({ accountIds }, quarantinedRecords.accountId);
    const { rows, hasMore } = await selectPage(select, paging, wanted, [visible]);
    expect(rows.length).toBeLessThanOrEqual(limit);
    found.push(...rows.map((row) => paging.positionOf(row).join(" ")));
    const last = rows.at(-1);
    if (!hasMore || !last) return found;
    wanted.after = paging.positionOf(last);
    expect(isPosition(paging.keyset, wanted.after)).toBe(true);
  }
}
