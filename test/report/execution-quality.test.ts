import { beforeAll, describe, expect, test } from "vitest";
import { useTestDatabase } from "../support/test-database.ts";

const database = useTestDatabase();

const day = "2026-10-05";
let accountId = 0;
let orders = 0;

/**
 * Three providers quote 100 EUR: alpha pays 0.00100, beta 0.00098, gamma 0.00095 BTC, so the middle is 0.00098. Each of
 * twelve buyers takes beta, gives 50 EUR and gets 0.000480: half of 0.00096, so 0.00002 less per 100 than quoted.
 */
beforeAll(async () => {
  const [row] = await database.db.query<{ id: number }>(
    "insert into tieout.accounts (name, base_url, sync_start) values ('shop', 'https://x.example', '2026-01-01') returning id",
  );
  accountId = row?.id ?? 0;
  for (let hour = 0; hour < 12; hour++) {
    const at = `${day}T${String(hour).padStart(2, "0")}`;
    await ask(`${at}:05:00Z`, { alpha: "0.001", beta: "0.00098", gamma: "0.00095" });
    // Nearer, and for another way to pay; and near, and for ten times as much: neither is a fair comparison.
    await ask(`${at}:00:00Z`, { beta: "1" }, { method: "sepa" });
    await ask(`${at}:01:00Z`, { beta: "1" }, { amount: "1000" });
    await order("beta", `${at}:00:00Z`, 600 + hour, { out: "0.00048" });
  }
  await order("gamma", `${day}T03:00:00Z`, 60, { out: "0.00047" });
  await order("gamma", `${day}T03:30:00Z`, 60, { status: "failed", said: "declined" });
  await order("gamma", `${day}T03:40:00Z`, 60, { status: "canceled", said: "expired" });
  await order("gamma", `${day}T03:50:00Z`, 60, { status: "canceled", said: "expired" });
  await order("gamma", `${day}T03:55:00Z`, 0, { status: "pending" });
});

describe("execution quality", () => {
  test("slippage, cost, place and what the best would have paid are exact", async () => {
    expect(await quality("beta")).toMatchObject({
      orders: "12",
      completed: "12",
      compared: "12",
      quoted: "12",
      // (0.00098 - 0.00096) / 0.00098, against its own quote and against the middle, which are the same here.
      slippage_bps: "204.08",
      cost_bps: "204.08",
      mean_place: "2.00",
      mean_quotes: "3.00",
      times_best: "0",
      // 12 × (0.0005 - 0.00048)
      forgone: "0.00024",
      median_seconds: "605",
      slow_seconds: "610",
    });
  });

  test("says nothing about prices from fewer than ten comparisons, and how orders ended from any number", async () => {
    expect(await quality("gamma")).toMatchObject({
      orders: "5",
      completed: "1",
      failed: "1",
      canceled: "2",
      open: "1",
      completed_percent: "25.00",
      failure_reasons: "expired 2, declined 1",
      compared: "1",
      slippage_bps: null,
      cost_bps: null,
      mean_place: null,
      forgone: null,
    });
  });

  test("orders without a payment method are a group of their own, and say how they ended too", async () => {
    await order("epsilon", `${day}T04:00:00Z`, 60, { status: "failed", said: "declined", method: null });
    await order("epsilon", `${day}T04:10:00Z`, 60, { status: "failed", said: "refused" });
    const groups = await database.db.query(
      `select payment_method, orders, failure_reasons from tieout.execution_quality(array[$1::int], $2, '2026-10-06')
       where provider = 'epsilon' order by payment_method`,
      [accountId, day],
    );
    expect(groups).toEqual([
      { payment_method: "card", orders: "1", failure_reasons: "refused 1" },
      { payment_method: null, orders: "1", failure_reasons: "declined 1" },
    ]);
  });

  test("of any number of orders, the middle and the slow one are those that Postgres itself finds", async () => {
    const times = [0, 1, 1, 7, 7, 7, 59, 61, 90, 90, 3_600, 3_601, 86_400];
    for (const [at, seconds] of times.entries()) {
      await order("zeta", "2026-10-20T12:00:00Z", seconds);
      const [expected] = await database.db.query(
        `select percentile_disc(0.5) within group (order by time)::text as median_seconds,
                percentile_disc(0.9) within group (order by time)::text as slow_seconds
         from unnest($1::int[]) as time`,
        [times.slice(0, at + 1)],
      );
      expect(await quality("zeta", "2026-10-20", "2026-10-22")).toMatchObject(expected ?? {});
    }
  });

  test("an order that nobody asked about in time is not compared", async () => {
    await order("beta", "2026-10-06T12:00:00Z", 60, { out: "0.00048" });
    expect(await quality("beta", "2026-10-06", "2026-10-07")).toMatchObject({
      completed: "1",
      compared: "0",
    });
  });
});

describe("execution over time", () => {
  test("is told by provider and UTC week or month, with nothing from fewer than ten orders", async () => {
    // Sunday's last minute and Monday's first are two weeks.
    await order("delta", "2026-10-11T23:58:00Z", 60);
    await order("delta", "2026-10-11T23:59:00Z", 60);
    const of = async (provider: string, step: string) =>
      database.db.query<Record<string, unknown>>(
        `select *, starts_on::text as day from tieout.execution_over_time(array[$1::int], '2026-10-05', '2026-11-01', $2)
         where provider = $3 order by starts_on`,
        [accountId, step, provider],
      );
    expect(await of("beta", "week")).toMatchObject([
      { day: "2026-10-05", orders: "13", ended: "13", completed_percent: "100.00", compared: "12" },
    ]);
    expect(await of("beta", "month")).toMatchObject([
      { day: "2026-10-01", slippage_bps: "204.08", cost_bps: "204.08", median_seconds: "605" },
    ]);
    const nothing = { completed_percent: null, median_seconds: null, slippage_bps: null, cost_bps: null };
    expect(await of("gamma", "week")).toMatchObject([
      { orders: "5", ended: "4", completed: "1", ...nothing },
    ]);
    expect(await of("delta", "week")).toMatchObject([
      { day: "2026-10-05", orders: "1", ...nothing },
      { day: "2026-10-12", orders: "1", ...nothing },
    ]);
  });
});

async function quality(
  provider: string,
  from = day,
  to = "2026-10-06",
): Promise<Record<string, unknown> | undefined> {
  const [found] = await database.db.query<Record<string, unknown>>(
    "select * from tieout.execution_quality(array[$1::int], $2, $3) where provider = $4",
    [accountId, from, to, provider],
  );
  return found;
}

async function ask(
  at: string,
  payouts: Record<string, string>,
  { method = "card", amount = "100" } = {},
): Promise<void> {
  const [row] = await database.db.query<{ id: string }>(
    `insert into tieout.quote_asks (account_id, asked_at, transaction_type, source_currency, target_currency, amount, payment_method, country, took_ms)
     values ($1, $2, 'buy', 'EUR', 'BTC', $3, $4, 'DE', 5) returning id`,
    [accountId, at, amount, method],
  );
  for (const [provider, payout] of Object.entries(payouts)) {
    await database.db.query(
      "insert into tieout.quotes (account_id, ask_id, provider, payout) values ($1, $2, $3, $4)",
      [accountId, row?.id, provider, payout],
    );
  }
}

/** An order from its first status to its last. */
async function order(
  provider: string,
  at: string,
  seconds: number,
  {
    out = null,
    status = "completed",
    said = status,
    method = "card",
  }: { out?: string | null; status?: string; said?: string; method?: string | null } = {},
): Promise<void> {
  const id = `order ${++orders}`;
  const record = `$1::int, $2::text, 1, 'buy', $3::text, $9::text, 'DE', 'EUR', 50, 'BTC', $4::numeric`;
  const names = `account_id, transaction_id, hash_version, transaction_type, provider, payment_method, country, source_currency, in_amount, target_currency, out_amount`;
  const ended = `$5::timestamptz + $6::int * interval '1 second'`;
  const values = [accountId, id, provider, out, at, seconds, status, said, method];
  await database.db.query(
    `insert into tieout.transaction_statuses (${names}, record_hash, status, status_rank, status_date, received_status, window_id, first_seen_at)
     select ${record}, sha256(($2 || each.status)::bytea), each.status, 10, each.at, each.said, 1, now()
     from (values ('new', $5::timestamptz, 'new'), ($7::text, ${ended}, $8::text)) as each (status, at, said)`,
    values,
  );
  await database.db.query(
    `insert into tieout.transactions (${names}, record_hash, status, status_rank, status_date, first_seen_at, is_final, last_changed_at)
     select ${record}, sha256(($2 || $7::text)::bytea), $7::text, 10, ${ended}, now(), $7 <> 'pending', now() where $8 <> ''`,
    values,
  );
}
