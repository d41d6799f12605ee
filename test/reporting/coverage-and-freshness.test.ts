import { beforeEach, expect, test } from "vitest";
import { ensureAccounts } from "../../src/store/accounts/accounts.ts";
import { useTestDatabase } from "../support/test-database.ts";

const database = useTestDatabase();

beforeEach(async () => {
  await database.db.query("delete from tieout.sync_windows");
  await database.db.query("delete from tieout.accounts");
  const account = { name: "acme", baseUrl: "http://127.0.0.1:1", syncStart: "2026-03-01T00:00:00Z" };
  await ensureAccounts(database.db, [account], "test");
});

test("an account that has not been read is neither covered nor current", async () => {
  expect(await coverage()).toEqual({ covered: "{}", gaps: "{}", covered_from: null, covered_to: null });
  expect(await freshness()).toMatchObject({ data_as_of: null, lag_seconds: null, open_windows: "0" });
});

test("a plan without a sealed window is one gap, and still no data", async () => {
  await plan("live", "03-05", "03-06", "planned");
  expect(await coverage()).toMatchObject({ covered: "{}", gaps: range("03-01", "03-06"), covered_to: null });
  expect(await freshness()).toMatchObject({ data_as_of: null, open_windows: "1" });
});

test("what is covered and what is not make up the whole plan", async () => {
  await plan("backfill", "03-01", "03-02", "sealed");
  await plan("backfill", "03-02", "03-03", "failed");
  await plan("backfill", "03-03", "03-04", "sealed");
  await plan("live", "03-04", "03-05", "sealed");
  await plan("live", "03-05", "03-06", "walking");
  await plan("deep", "03-06", "03-09", "planned");
  expect(await coverage()).toMatchObject({
    gaps: `{${[range("03-02", "03-03"), range("03-05", "03-06")].map((gap) => gap.slice(1, -1)).join(",")}}`,
    covered_from: at("03-01"),
    covered_to: at("03-05"),
  });
  const [sum] = await database.db.query(
    `select covered + gaps = tstzmultirange(tstzrange(sync_start, planned_to)) as whole, covered && gaps as overlap
     from reporting.sync_coverage`,
  );
  expect(sum).toEqual({ whole: true, overlap: false });
});

test("a missing past does not make the data old, but an unread live window does", async () => {
  await plan("backfill", "03-01", "03-04", "failed");
  await plan("live", "03-04", "03-05", "sealed");
  await plan("live", "03-06", "03-07", "sealed");
  expect(await freshness()).toMatchObject({ data_as_of: at("03-07"), failed_windows: "1" });
  await plan("live", "03-05", "03-06", "failed");
  expect(await freshness()).toMatchObject({
    data_as_of: at("03-05"),
    failed_windows: "2",
    open_windows: "0",
  });
});

test("a live window whose time another window has covered holds nothing back", async () => {
  await plan("live", "03-04", "03-05", "failed");
  await plan("lookback", "03-04", "03-05", "sealed");
  await plan("live", "03-05", "03-06", "sealed");
  expect(await freshness()).toMatchObject({ data_as_of: at("03-06") });
});

test("the lag grows with the clock of the database", async () => {
  await plan("live", "03-04", "03-05", "sealed");
  const [row] = await database.db.query<{ off: number }>(
    "select abs(lag_seconds - extract(epoch from now() - data_as_of)) as off from reporting.data_freshness",
  );
  expect(Number(row?.off)).toBeLessThan(0.001);
});

test("an account that was refused says why, and since when", async () => {
  await database.db.query(
    "update tieout.accounts set state = 'refused', paused_reason = '401', paused_at = $1",
    [at("03-05")],
  );
  expect(await freshness()).toMatchObject({
    state: "refused",
    state_reason: "401",
    state_since: new Date(at("03-05")),
  });
});

test("an account whose requests have failed for two minutes is failing, and says with what", async () => {
  const failFor = (seconds: number) =>
    database.db.query(
      `update tieout.accounts
       set state = 'active', paused_reason = null, paused_at = null, last_error = 'cannot be reached',
           failing_since = now() - $1 * interval '1 second'`,
      [seconds],
    );
  await failFor(110);
  expect(await freshness()).toMatchObject({ state: "active", state_reason: null, state_since: null });
  await failFor(130);
  expect(await freshness()).toMatchObject({ state: "failing", state_reason: "cannot be reached" });
});

async function plan(kind: string, from: string, to: string, state: string): Promise<void> {
  await database.db.query(
    `insert into tieout.sync_windows (account_id, kind, range_from, range_to, state, lease_until, sealed_at)
     select id, $1, $2, $3, $4, case $4 when 'walking' then now() end, case $4 when 'sealed' then now() end
     from tieout.accounts`,
    [kind, at(from), at(to), state],
  );
  if (state !== "sealed") return;
  await database.db.query(
    "update tieout.accounts set covered = covered + tstzmultirange(tstzrange($1, $2))",
    [at(from), at(to)],
  );
}

async function coverage(): Promise<Record<string, unknown> | undefined> {
  const [row] = await database.db.query<Record<string, unknown>>(
    `select covered::text, gaps::text, ${iso("covered_from")}, ${iso("covered_to")} from reporting.sync_coverage`,
  );
  return row;
}

async function freshness(): Promise<Record<string, unknown> | undefined> {
  const [row] = await database.db.query<Record<string, unknown>>(
    `select *, ${iso("data_as_of")} from reporting.data_freshness`,
  );
  return row;
}

function iso(column: string): string {
  return `to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') as ${column}`;
}

function at(day: string): string {
  return `2026-${day}T00:00:00Z`;
}

function range(from: string, to: string): string {
  return `{["2026-${from} 00:00:00+00","2026-${to} 00:00:00+00")}`;
}
