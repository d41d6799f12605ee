import { expect, test } from "vitest";
import { HOUR, MINUTE } from "../../../src/core/duration.ts";
import { dayOf } from "../../../src/core/period.ts";
import { zoneNamed } from "../../../src/core/zone.ts";
import { instantOf } from "../../../src/store/clock-time.ts";
import { recordPage } from "../../../src/store/transactions/record-page.ts";
import { refreshDailyTotals } from "../../../src/store/transactions/daily-totals.ts";
import { preparePage } from "../../../src/sync/page.ts";
import { bareAccount, leaseWindow } from "../../support/a-window.ts";
import { useTestDatabase } from "../../support/test-database.ts";

const database = useTestDatabase();

test("the totals equal a sum over all transactions, however these came and moved", async () => {
  const accountId = await bareAccount(database.db);
  const statuses = ["pending", "paid", "completed", "failed"];
  for (let round = 0; round < 12; round++) {
    const records = Array.from({ length: 15 }, (_, at) => {
      const draw = (round * 31 + at * 17) % 97;
      return {
        transactionId: `T${draw % 40}`,
        status: statuses[(draw + round) % 4],
        statusDate: new Date(Date.UTC(2026, 2, 1) + ((draw * 13 + round) % 200) * HOUR).toISOString(),
        onramp: draw % 3 === 0 ? "moonpay" : "transak",
        sourceCurrency: draw % 2 === 0 ? "eur" : "usd",
        inAmount: `${draw}.10`,
      };
    });
    const lease = await leaseWindow(database.db, accountId);
    await recordPage(database.db, lease, { ...preparePage(records), nextCursor: null });
    // Few at a time, so that rounds end in the middle of the changes as well.
    while ((await refreshDailyTotals(database.db, { changesMax: 4 })) !== true);
    expect(await kept()).toEqual(await recomputed());
  }
  expect((await kept()).length).toBeGreaterThan(10);
});

test("a match and a discrepancy move a completed transaction from class to class", async () => {
  const accountId = await bareAccount(database.db);
  const lease = await leaseWindow(database.db, accountId);
  const record = {
    transactionId: "C1",
    status: "completed",
    statusDate: "2026-05-01T10:00:00Z",
    onramp: "moonpay",
  };
  await recordPage(database.db, lease, { ...preparePage([record]), nextCursor: null });
  const classNow = async () => {
    await refreshDailyTotals(database.db);
    const rows = await database.db.query<{ class: string }>(
      "select class from tieout.daily_totals where zone = 'UTC' and account_id = $1",
      [accountId],
    );
    return rows.map((row) => row.class);
  };
  expect(await classNow()).toEqual(["pending"]);
  await database.db.query(
    `insert into tieout.matches (account_id, provider, transaction_id, record_hash, line_id, role, rule, state, made_by,
                                 effective_at, matched_at)
     values ($1, 'moonpay', 'C1', sha256('x'), 1, 'settles', 'provider_id', 'active', 'rules', clock_timestamp(),
             clock_timestamp())`,
    [accountId],
  );
  expect(await classNow()).toEqual(["matched"]);
  await database.db.query(
    `insert into tieout.discrepancies (fingerprint, fingerprint_version, facts_hash, account_id, provider, code, level,
                                       subject_kind, transaction_id, since, first_seen_at, last_changed_at)
     values (sha256('f'), 1, sha256('f'), $1, 'moonpay', 'in_amount_mismatch', 'error', 'transaction', 'C1', clock_timestamp(),
             clock_timestamp(), clock_timestamp())`,
    [accountId],
  );
  await database.db.query(
    `insert into tieout.findings (fingerprint, facts_hash, account_id, provider, code, level, subject_kind, transaction_id,
                                  near_period_edge, holds_from, holds_to, known_from)
     values (sha256('f'), sha256('f'), $1, 'moonpay', 'in_amount_mismatch', 'error', 'transaction', 'C1', false,
             '2026-05-01', 'infinity', clock_timestamp())`,
    [accountId],
  );
  expect(await classNow()).toEqual(["discrepant"]);
  await database.db.query("update tieout.findings set known_to = clock_timestamp() where account_id = $1", [
    accountId,
  ]);
  await database.db.query(
    `update tieout.discrepancies
     set state = 'resolved', reason = 'agreed', resolved_by = 'tieout', resolved_at = clock_timestamp(),
         last_changed_at = clock_timestamp()
     where account_id = $1`,
    [accountId],
  );
  await database.db.query(
    `update tieout.matches
     set state = 'ended', ended_at = clock_timestamp(), ended_by = 'rules', ended_reason = 'withdrawn'
     where account_id = $1`,
    [accountId],
  );
  expect(await classNow()).toEqual(["pending"]);
});

test("a day is the zone's, also where the clock changes, and whenever the zone is first asked for", async () => {
  const accountId = await bareAccount(database.db);
  const startsMs = [Date.UTC(2026, 2, 28, 12), Date.UTC(2026, 9, 24, 12), Date.UTC(2026, 2, 7, 12)];
  const dateOf = (at: number, moved: number) =>
    new Date((startsMs[at % 3] ?? 0) + (at * 37 + moved) * 30 * MINUTE).toISOString();
  const keep = async (moved: number) => {
    const records = Array.from({ length: 60 }, (_, at) => ({
      transactionId: `Z${at}`,
      status: at % 4 === 0 ? "failed" : "completed",
      // Of those that move, the day that they leave is added up again as well.
      statusDate: dateOf(at % 40, at % 5 === 0 ? moved : 0),
      onramp: "moonpay",
      sourceCurrency: "eur",
      inAmount: "1",
    }));
    const lease = await leaseWindow(database.db, accountId);
    await recordPage(database.db, lease, { ...preparePage(records), nextCursor: null });
  };
  const zones = ["UTC", "Europe/Berlin", "America/New_York", "Asia/Kathmandu"].map((name) => zoneNamed(name));
  await keep(0);
  for (const zone of zones.slice(0, 3)) expect(await refreshDailyTotals(database.db, { zone })).toBe(true);
  await keep(50);
  for (const zone of zones.slice(3)) await refreshDailyTotals(database.db, { zone });
  const transactions = await database.db.query<{ status: string; status_date: string }>(
    "select status, status_date::text from tieout.transactions where account_id = $1",
    [accountId],
  );
  expect(transactions).toHaveLength(60);
  for (const zone of zones) {
    const counted = new Map<string, number>();
    for (const { status, status_date: at } of transactions) {
      const key = `${dayOf(instantOf(at), zone)} ${status}`;
      counted.set(key, (counted.get(key) ?? 0) + 1);
    }
    const held = await database.db.query<{ key: string; transactions: number }>(
      `select day::text || ' ' || status as key, sum(transactions)::int as transactions
       from tieout.daily_totals where zone = $1 and account_id = $2 group by 1`,
      [zone.name, accountId],
    );
    expect([zone.name, new Map(held.map((row) => [row.key, row.transactions]))]).toEqual([
      zone.name,
      counted,
    ]);
  }
});

test("a date that stands for none, on the first day or the last, is added up in every zone", async () => {
  const accountId = await bareAccount(database.db);
  const zones = ["UTC", "Pacific/Auckland", "America/New_York"].map((name) => zoneNamed(name));
  // Before the records come: from then on, only the days that they are on are added up.
  for (const zone of zones) await refreshDailyTotals(database.db, { zone });
  const records = ["0001-01-01T00:00:00Z", "9999-12-31T23:59:59.999Z", "2026-03-01T12:00:00Z"].map(
    (statusDate) => ({ transactionId: statusDate, status: "completed", statusDate, onramp: "moonpay" }),
  );
  const lease = await leaseWindow(database.db, accountId);
  await recordPage(database.db, lease, { ...preparePage(records), nextCursor: null });
  expect(await refreshDailyTotals(database.db)).toBe(true);
  const days = await database.db.query<{ zone: string; days: string[] }>(
    `select zone, array_agg(day::text order by day) as days
     from tieout.daily_totals where account_id = $1 and zone = any ($2) group by zone order by zone`,
    [accountId, zones.map(({ name }) => name)],
  );
  expect(days).toEqual([
    { zone: "America/New_York", days: ["0001-12-31 BC", "2026-03-01", "9999-12-31"] },
    { zone: "Pacific/Auckland", days: ["0001-01-01", "2026-03-02", "10000-01-01"] },
    { zone: "UTC", days: ["0001-01-01", "2026-03-01", "9999-12-31"] },
  ]);
});

test("the totals of zones that nobody looks in any more are dropped, and of too many the oldest", async () => {
  const zonesHeld = async () =>
    (
      await database.db.query<{ zone: string }>("select zone from tieout.daily_totals_progress order by zone")
    ).map(({ zone }) => zone);
  await refreshDailyTotals(database.db, { zone: zoneNamed("Asia/Tokyo") });
  await database.db.query(
    "update tieout.daily_totals_progress set asked_at = clock_timestamp() - interval '31 days'",
  );
  await refreshDailyTotals(database.db, { zone: zoneNamed("Asia/Dubai") });
  expect(await zonesHeld()).toEqual(["Asia/Dubai", "UTC"]);
  for (let hours = 1; hours <= 12; hours++) {
    await refreshDailyTotals(database.db, { zone: zoneNamed(`Etc/GMT+${hours}`) });
  }
  const held = await zonesHeld();
  expect(held).toHaveLength(12);
  expect(held).not.toContain("Asia/Dubai");
  expect(held).toContain("UTC");
  const [left] = await database.db.query<{ count: number }>(
    "select count(*)::int as count from tieout.daily_totals where zone = any ($1)",
    [["Asia/Dubai", "Asia/Tokyo", "Europe/Berlin"]],
  );
  expect(left?.count).toBe(0);
});

const columns =
  "account_id, day::text, provider, transaction_type, status, source_currency, transactions::int, in_amount::text";

async function kept(): Promise<unknown[]> {
  return database.db.query(
    `select ${columns} from tieout.daily_totals where zone = 'UTC' order by 1, 2, 3, 4, 5, 6`,
  );
}

async function recomputed(): Promise<unknown[]> {
  return database.db.query(
    `select account_id, (status_date at time zone 'UTC')::date::text as day, provider, transaction_type, status, source_currency,
            count(*)::int as transactions, sum(in_amount)::text as in_amount
     from tieout.transactions
     group by 1, 2, 3, 4, 5, 6
     order by 1, 2, 3, 4, 5, 6`,
  );
}
