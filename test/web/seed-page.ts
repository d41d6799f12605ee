import { createHash } from "node:crypto";
import { DAY, HOUR, MINUTE } from "../../src/core/duration.ts";
import type { Database } from "../../src/store/database.ts";
import { recordPage } from "../../src/store/transactions/record-page.ts";
import { preparePage } from "../../src/sync/page.ts";
import { leaseWindow } from "../support/a-window.ts";

/** What a hostile or careless sender may put into a record. Every screen has to show it as text. */
export const hostile = {
  id: `"><script>window.hacked = true</script><img src=x onerror="window.hacked = true">${"L".repeat(300)}`,
  provider: "<b onmouseover=window.hacked=true>שלום</b>",
  country: "\u202eevil\u202c",
  currency: "<svg/onload=window.hacked=true>",
  amount: "123456789012.123456789012345678",
  method: "=cmd|' /C calc'!A0",
};

export interface SeededTransaction {
  id: string;
  provider: string;
  providerId: string;
  at: string;
  currency: string;
  amount: string;
  asset: string;
  crypto: string;
  hash: string;
  wallet: string;
}

const providers = ["moonpay", "transak", "banxa", "ramp", "mercuryo"] as const;
const pairs = [
  { fiat: "eur", crypto: "btc", rate: 0.0000162, places: 8 },
  { fiat: "usd", crypto: "eth", rate: 0.00031, places: 12 },
  { fiat: "gbp", crypto: "usdc_base", rate: 1.27, places: 6 },
  { fiat: "eur", crypto: "sol", rate: 0.0071, places: 9 },
  { fiat: "jpy", crypto: "usdt_tron", rate: 0.0066, places: 6 },
] as const;

/** Thirty days of an account that is current but for one gap, and of one that lost its key two days ago. */
export async function seedPage(db: Database, nowMs: number): Promise<SeededTransaction[]> {
  const gap = { fromMs: nowMs - 9 * DAY, toMs: nowMs - 9 * DAY + 6 * HOUR };
  const eu = await addAccount(db, "acme-eu", { nowMs, coveredToMs: nowMs - MINUTE, gap });
  const us = await addAccount(db, "acme-us", { nowMs, coveredToMs: nowMs - 2 * DAY, gap: null });
  const completed = await addTransactions(db, eu, { nowMs, count: 260, prefix: "01KE" });
  await addTransactions(db, us, { nowMs: nowMs - 2 * DAY, count: 60, prefix: "01KU" });
  await db.query(
    `update tieout.accounts
     set state = 'refused', paused_reason = 'GET /transactions: answered 401: correct UPSTREAM_API_SECRET, and start again', paused_at = clock_timestamp() - interval '2 days',
         request_limit = 1
     where id = $1`,
    [us],
  );
  return completed;
}

async function addAccount(
  db: Database,
  name: string,
  covered: { nowMs: number; coveredToMs: number; gap: { fromMs: number; toMs: number } | null },
): Promise<number> {
  const startMs = covered.nowMs - 30 * DAY;
  const ends = covered.gap === null ? [] : [covered.gap.fromMs, covered.gap.toMs];
  const edges = [startMs, ...ends, covered.coveredToMs].map((ms) => new Date(ms).toISOString());
  const ranges = edges.flatMap((from, at) => (at % 2 === 0 ? [`[${from},${edges[at + 1] ?? from})`] : []));
  const [row] = await db.query<{ id: number }>(
    `insert into tieout.accounts (name, base_url, sync_start, request_limit, covered, last_success_at)
     values ($1, $2, $3, 8, $4, $5)
     returning id`,
    [
      name,
      `https://api.aggregator.example/${name}`,
      new Date(startMs).toISOString(),
      `{${ranges.join(",")}}`,
      new Date(covered.coveredToMs).toISOString(),
    ],
  );
  const id = row?.id ?? 0;
  for (let day = 0; day < 30; day++) {
    const fromMs = startMs + day * DAY;
    if (fromMs >= covered.coveredToMs) break;
    const toMs = Math.min(fromMs + DAY, covered.coveredToMs);
    const failed = covered.gap !== null && fromMs <= covered.gap.fromMs && covered.gap.fromMs < toMs;
    await addWindow(db, id, { fromMs, toMs, failed });
  }
  return id;
}

async function addWindow(
  db: Database,
  accountId: number,
  window: { fromMs: number; toMs: number; failed: boolean },
): Promise<void> {
  const { fromMs, toMs, failed } = window;
  await db.query(
    `insert into tieout.sync_windows
       (account_id, kind, range_from, range_to, state, pages, read, added, sealed_at, ended_by, error_code, error, failures)
     values ($1, $2, $3, $4, $5, 3, 121, 118, $6, $7, $8, $9, $10)`,
    [
      accountId,
      failed ? "backfill" : "live",
      new Date(fromMs).toISOString(),
      new Date(toMs).toISOString(),
      failed ? "failed" : "sealed",
      failed ? null : new Date(toMs + MINUTE).toISOString(),
      failed ? null : "absent",
      failed ? "cursor_loop" : null,
      failed ? "the cursor leads back to a page that was read" : null,
      failed ? 4 : 0,
    ],
  );
}

async function addTransactions(
  db: Database,
  accountId: number,
  options: { nowMs: number; count: number; prefix: string },
): Promise<SeededTransaction[]> {
  const random = sequence(options.prefix);
  const records: Record<string, unknown>[] = [];
  const completed: SeededTransaction[] = [];
  for (let at = 0; at < options.count; at++) {
    const pair = pairs[Math.floor(random() ** 1.5 * pairs.length)] ?? pairs[0];
    const provider = providers[Math.floor(random() ** 1.6 * providers.length)] ?? "moonpay";
    const createdMs =
      options.nowMs - 5 * MINUTE - Math.floor((at / options.count) * 29 * DAY) - Math.floor(random() * HOUR);
    const cents = 2_000 + Math.floor(random() ** 3 * 250_000);
    const amount = pair.fiat === "jpy" ? String(cents) : (cents / 100).toFixed(2);
    const crypto = (Number(amount) * pair.rate).toFixed(pair.places);
    const id = `${options.prefix}${String(at).padStart(4, "0")}${hex(`${options.prefix}${at}`).slice(0, 18).toUpperCase()}`;
    const base = {
      transactionId: id,
      apiKey: "pk_prod_4f1c",
      onramp: provider,
      onrampTransactionId: uuid(id),
      transactionType: "buy",
      paymentMethod: ["creditcard", "applepay", "sepainstant", "googlepay"][Math.floor(random() * 4)],
      country: ["de", "us", "gb", "fr", "jp", "nl"][Math.floor(random() * 6)],
      sourceCurrency: pair.fiat,
      inAmount: amount,
      targetCurrency: pair.crypto,
      walletAddress: `0x${hex(`wallet ${id}`).slice(0, 40)}`,
    };
    const outcome = random();
    const at2 = (afterMs: number) => new Date(createdMs + afterMs).toISOString();
    records.push({ ...base, status: "pending", statusDate: at2(0), outAmount: crypto, transactionHash: "" });
    if (outcome < 0.78) {
      const hash = `0x${hex(`hash ${id}`)}`;
      records.push({
        ...base,
        status: "completed",
        statusDate: at2(4 * MINUTE),
        outAmount: crypto,
        transactionHash: hash,
      });
      completed.push({
        id,
        provider,
        providerId: base.onrampTransactionId,
        at: at2(4 * MINUTE),
        currency: pair.fiat,
        amount,
        asset: pair.crypto,
        crypto,
        hash,
        wallet: base.walletAddress,
      });
    } else if (outcome < 0.9) {
      const status = outcome < 0.86 ? "failed" : "canceled";
      records.push({ ...base, status, statusDate: at2(9 * MINUTE), outAmount: "0", transactionHash: "" });
    }
  }
  await record(db, accountId, records);
  return completed;
}

export async function addHostile(db: Database, accountId: number, nowMs: number): Promise<void> {
  await record(db, accountId, [
    {
      transactionId: hostile.id,
      status: "completed",
      statusDate: new Date(nowMs - 2 * MINUTE).toISOString(),
      onramp: hostile.provider,
      onrampTransactionId: `<i>${"9".repeat(200)}</i>`,
      transactionType: "buy",
      paymentMethod: hostile.method,
      country: hostile.country,
      sourceCurrency: hostile.currency,
      inAmount: hostile.amount,
      targetCurrency: "eth",
      outAmount: "0.000000000000000001",
      transactionHash: "<script>window.hacked = true</script>",
      walletAddress: "javascript:window.hacked=true",
      partnerContext: "</script><script>window.hacked = true</script>",
    },
    {
      transactionId: "Q1",
      status: "paid",
      statusDate: new Date(nowMs - HOUR).toISOString(),
      inAmount: "12,50",
      note: "<script>window.hacked = true</script>",
    },
  ]);
}

async function record(
  db: Database,
  accountId: number,
  raw: readonly Record<string, unknown>[],
): Promise<void> {
  const toMs = Date.now();
  const lease = await leaseWindow(db, accountId, { kind: "lookback", fromMs: toMs - DAY, toMs });
  await recordPage(db, lease, { ...preparePage(raw), nextCursor: null });
  await db.query(
    `update tieout.sync_windows
     set state = 'sealed', sealed_at = clock_timestamp(), lease_until = null, ended_by = 'absent'
     where id = $1`,
    [lease.windowId],
  );
}

function hex(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

function uuid(text: string): string {
  const digits = hex(text);
  return `${digits.slice(0, 8)}-${digits.slice(8, 12)}-4${digits.slice(13, 16)}-a${digits.slice(17, 20)}-${digits.slice(20, 32)}`;
}

/** The same numbers in every run. */
function sequence(seed: string): () => number {
  let drawn = 0;
  return () => Number.parseInt(hex(`${seed} ${drawn++}`).slice(0, 8), 16) / 0x1_0000_0000;
}
