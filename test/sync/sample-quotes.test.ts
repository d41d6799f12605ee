import { expect, test } from "vitest";
import { HOUR } from "../../src/core/duration.ts";
import { sampleIntervalMs, sampleQuotes } from "../../src/sync/sample-quotes.ts";
import { UpstreamError } from "../../src/upstream/errors.ts";
import type { Upstream } from "../../src/upstream/client.ts";
import { type LogLine, never, syncDeps } from "../support/sync-deps.ts";
import { useTestDatabase } from "../support/test-database.ts";
import { addAccount, openFrozenSandbox, syncToEnd } from "../support/use-sync.ts";
import { scripted } from "../upstream/client-for.ts";

const database = useTestDatabase();
type Sampled = { id: number; name: string; upstream: Pick<Upstream, "fetchBuyQuotes" | "fetchSellQuotes"> };

test("asks the real endpoints for what the account trades, and keeps every answer with its time", async () => {
  const account = await tradingAccount();
  const counts = await sampleQuotes(syncDeps(database.db), account, {
    share: 1,
    now: Date.now,
    stopping: never,
  });
  expect(counts.asked).toBeGreaterThan(10);
  expect(counts.failed).toBe(0);
  const [kept] = await database.db.query<{
    asks: number;
    offers: number;
    strangers: number;
    types: string[];
  }>(
    `select count(distinct a.id)::int as asks, count(q.payout)::int as offers,
            array_agg(distinct a.transaction_type) as types,
            (count(*) filter (where not exists (
              select from tieout.transactions as t
              where t.account_id = a.account_id and t.source_currency = a.source_currency
                and t.target_currency = a.target_currency and t.in_amount = a.amount)))::int as strangers
     from tieout.quote_asks as a left join tieout.quotes as q on q.ask_id = a.id
     where a.account_id = $1`,
    [account.id],
  );
  expect(kept).toMatchObject({ asks: counts.asked, strangers: 0, types: ["buy", "sell"] });
  expect(kept?.offers).toBeGreaterThan(counts.asked);

  // Asked again at once, only what has not had its turn is asked for.
  const again = await sampleQuotes(syncDeps(database.db), account, {
    share: 1,
    now: Date.now,
    stopping: never,
  });
  const [twice] = await database.db.query<{ most: number }>(
    `select max(asked)::int as most from (
       select count(*) as asked from tieout.quote_asks where account_id = $1
       group by transaction_type, source_currency, target_currency, payment_method, country) as each`,
    [account.id],
  );
  expect([again.failed, twice?.most]).toEqual([0, 1]);
});

test("takes no more than its share of the time that requests may take", async () => {
  const account = await tradingAccount();
  // Every answer takes a tenth of what is allowed: ten are asked for, however many are wanted.
  let nowMs = 0;
  const tenthMs = (0.02 * 4 * sampleIntervalMs) / 10;
  const upstream = {
    fetchBuyQuotes: async () => ((nowMs += tenthMs), { quotes: [], refusals: [] }),
    fetchSellQuotes: async () => ((nowMs += tenthMs), { quotes: [], refusals: [] }),
  };
  const sampling = { share: 0.02, now: () => nowMs, stopping: never };
  expect(await sampleQuotes(syncDeps(database.db), { ...account, upstream }, sampling)).toEqual({
    asked: 10,
    failed: 0,
  });
  expect(await sampleQuotes(syncDeps(database.db), { ...account, upstream }, sampling)).toEqual({
    asked: 0,
    failed: 0,
  });
});

test("leaves a server in trouble alone, and a paused account", async () => {
  const account = await tradingAccount();
  let asked = 0;
  const refuse = async () => {
    asked += 1;
    throw new UpstreamError("rate_limited", "too many", { endpoint: "GET /quotes", retryAfterMs: 30_000 });
  };
  const upstream = { fetchBuyQuotes: refuse, fetchSellQuotes: refuse };
  const sampling = { share: 1, now: Date.now, stopping: never };
  expect(await sampleQuotes(syncDeps(database.db), { ...account, upstream }, sampling)).toEqual({
    asked: 0,
    failed: 1,
  });
  expect(await sampleQuotes(syncDeps(database.db), { ...account, upstream }, sampling)).toEqual({
    asked: 0,
    failed: 0,
  });
  await database.db.query(
    "update tieout.accounts set not_before = null, state = 'paused', paused_reason = 'x', paused_at = now() where id = $1",
    [account.id],
  );
  await sampleQuotes(syncDeps(database.db), { ...account, upstream }, sampling);
  expect(asked).toBe(1);
});

test.each(["bad_request", "not_found", "body_unexpected"] as const)(
  "goes on with the other pairs after %s",
  async (code) => {
    const account = await tradingAccount();
    const refuse = async () => {
      throw new UpstreamError(code, "[1].payout: expected a decimal", { endpoint: "GET /quotes" });
    };
    const upstream = { fetchBuyQuotes: refuse, fetchSellQuotes: refuse };
    const sampling = { share: 1, now: Date.now, stopping: never };
    const { failed } = await sampleQuotes(syncDeps(database.db), { ...account, upstream }, sampling);
    expect(failed).toBeGreaterThan(10);
  },
);

test("keeps the quotes beside one that cannot be read, and names it in the log", async () => {
  const account = await tradingAccount();
  const answer = [
    { ramp: "moonpay", rate: 1, payout: 2 },
    { ramp: "transak", rate: 1, payout: "much" },
    { ramp: "ban\uD800xa", errors: [{ message: `closed\u0000${"!".repeat(5_000)}` }] },
    { ramp: "r".repeat(501), rate: 1, payout: 1 },
    { ramp: "s".repeat(501), errors: [{ message: "closed" }] },
  ];
  const { upstream } = await scripted([{ body: answer }]);
  const lines: LogLine[] = [];
  const sampling = { share: 1, now: Date.now, stopping: never };
  const sampled = { ...account, upstream };
  const counts = await sampleQuotes(syncDeps(database.db, { lines }), sampled, sampling);
  expect(counts.asked).toBeGreaterThan(10);
  expect(counts.failed).toBe(0);
  const kept = await database.db.query<{ provider: string; longest: number | null }>(
    `select provider, max(length(refusal))::int as longest
     from tieout.quotes where account_id = $1 group by provider order by provider`,
    [account.id],
  );
  expect(kept).toEqual([
    // Five hundred, of which the one that a database cannot keep is written with six.
    { provider: "ban\uFFFDxa", longest: 505 },
    { provider: "moonpay", longest: null },
  ]);
  expect(lines).toEqual([
    {
      level: "warn",
      event: "quotes_left_out",
      account: account.name,
      items: 6,
      first: expect.arrayContaining([
        `GET /quotes/{fiat}/{crypto}: [3] "${"r".repeat(60)}…": ramp: expected at most 500 characters`,
        `GET /quotes/{fiat}/{crypto}: [4] "${"s".repeat(60)}…": ramp: expected at most 500 characters`,
        'GET /quotes/{fiat}/{crypto}: [1] "transak": payout: expected a decimal',
        'GET /quotes/{crypto}/{fiat}: [1] "transak": payout: expected a decimal',
      ]) as unknown,
    },
  ]);
});

async function tradingAccount(): Promise<Sampled> {
  const frozen = await openFrozenSandbox({ transactions: 300, fromMs: Date.now() - 20 * HOUR });
  const account = await addAccount(database.db, frozen.sandbox, { syncStartMs: frozen.fromMs });
  await syncToEnd(syncDeps(database.db), account);
  return account as unknown as Sampled;
}
