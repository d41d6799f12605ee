import { DAY, MINUTE } from "../../src/core/duration.ts";
import { refuseCredentials } from "../../src/store/accounts/account-pace.ts";
import { ensureAccounts } from "../../src/store/accounts/accounts.ts";
import type { Database } from "../../src/store/database.ts";
import { markVanished, noteDeepPage } from "../../src/store/windows/deep-reads.ts";
import { recordPage } from "../../src/store/transactions/record-page.ts";
import { insertWindows, sealWindow } from "../../src/store/windows/sync-windows.ts";
import { failWindow } from "../../src/store/windows/window-failures.ts";
import { claimWindow, type WindowKind, type WindowLease } from "../../src/store/windows/window-leases.ts";
import { preparePage } from "../../src/sync/page.ts";
import { type FixedClock, withFixedClock } from "./fixed-clock.ts";
import { seedStatements } from "./seeded-statements.ts";
import { rawRecord, seededRejects, seededTransactions, vanishedId } from "./seeded-records.ts";

/** When the sample queries are asked. */
export const askedAt = "2026-03-08T12:00:00Z";

const readAfterMs = 1 * MINUTE;

/** Reads the seeded days the way a sync does: window by window, each a minute after its end. */
export async function seedReporting(database: Database): Promise<void> {
  await ensureAccounts(
    database,
    [
      { name: "acme", baseUrl: "http://127.0.0.1:1/acme", syncStart: "2026-02-28T00:00:00Z" },
      { name: "beta", baseUrl: "http://127.0.0.1:1/beta", syncStart: "2026-03-04T00:00:00Z" },
    ],
    "test",
  );
  await withFixedClock(database, async (session) => {
    const acme = await findAccount(session, "acme");
    for (const day of ["01", "02", "03", "04", "05", "06"]) {
      await readWindow(session, { accountId: acme, account: "acme", ...wholeDay(`2026-03-${day}`) });
    }
    await rereadDeeply(session, acme);
    await readWindow(session, { accountId: acme, account: "acme", ...wholeDay("2026-03-07") });
    const today = { from: "2026-03-08T00:00:00Z", to: "2026-03-08T11:30:00Z" };
    await readWindow(session, { accountId: acme, account: "acme", ...today });
    await failBackfill(session, acme);
    await seedStatements(session, acme);

    const beta = await findAccount(session, "beta");
    for (const day of ["04", "05"]) {
      await readWindow(session, { accountId: beta, account: "beta", ...wholeDay(`2026-03-${day}`) });
    }
    await loseTheKey(session, beta);
  });
}

interface Reading {
  accountId: number;
  account: string;
  from: string;
  to: string;
}

async function readWindow(session: FixedClock, reading: Reading): Promise<void> {
  const lease = await takeWindow(session, "live", reading);
  const raw = seededTransactions
    .filter(({ account }) => account === reading.account)
    .flatMap((transaction) =>
      transaction.statuses
        .filter(({ at, late }) => !late && at >= reading.from && at < reading.to)
        .map((status) => rawRecord(transaction, status)),
    );
  const rejects =
    reading.account === "acme" ? seededRejects.filter(({ day }) => reading.from.startsWith(day)) : [];
  const page = preparePage([...raw, ...rejects.map((reject) => reject.raw)]);
  await recordPage(session, lease, { ...page, nextCursor: null });
  await sealWindow(session, lease, "absent");
}

/** Finds what came late, and that one transaction is not served any more. */
async function rereadDeeply(session: FixedClock, accountId: number): Promise<void> {
  const range = { from: "2026-03-02T00:00:00Z", to: "2026-03-04T00:00:00Z" };
  const lease = await takeWindow(session, "deep", { accountId, ...range }, "2026-03-07T02:00:00Z");
  const raw = seededTransactions.flatMap((transaction) =>
    transaction.statuses.filter(({ late }) => late).map((status) => rawRecord(transaction, status)),
  );
  const { addedIds } = await recordPage(session, lease, { ...preparePage(raw), nextCursor: null });
  await noteDeepPage(session, lease, { metIds: addedIds, addedIds });
  await markVanished(session, lease, { vanishedIds: [vanishedId] });
  await sealWindow(session, lease, "absent");
}

async function failBackfill(session: FixedClock, accountId: number): Promise<void> {
  const range = { from: "2026-02-28T00:00:00Z", to: "2026-03-01T00:00:00Z" };
  const lease = await takeWindow(session, "backfill", { accountId, ...range }, "2026-03-08T11:40:00Z");
  await failWindow(session, lease, {
    code: "cursor_loop",
    message: "the cursor leads back to a page that was read",
    waitMs: DAY,
    final: true,
  });
}

async function loseTheKey(session: FixedClock, accountId: number): Promise<void> {
  const lease = await takeWindow(session, "live", { accountId, ...wholeDay("2026-03-06") });
  const refusal = { code: "key_refused", message: "401: the key was refused" };
  await failWindow(session, lease, { ...refusal, waitMs: 15 * MINUTE, final: false });
  const reason = `${refusal.message}: correct UPSTREAM_API_SECRET`;
  await refuseCredentials(session, accountId, { credentials: "beta", reason, probeMs: 15 * MINUTE });
}

async function takeWindow(
  session: FixedClock,
  kind: WindowKind,
  window: { accountId: number; from: string; to: string },
  readAt?: string,
): Promise<WindowLease> {
  const { accountId, from, to } = window;
  await session.set(readAt ?? new Date(Date.parse(to) + readAfterMs).toISOString());
  await insertWindows(session, accountId, [{ kind, fromMs: Date.parse(from), toMs: Date.parse(to) }]);
  const claim = { accountId, worker: "test", leaseMs: MINUTE, requestsMax: 4 };
  const lease = await claimWindow(session, claim);
  if (!lease) throw new Error(`no window to read from ${from}`);
  return lease;
}

function wholeDay(day: string): { from: string; to: string } {
  const from = `${day}T00:00:00Z`;
  return { from, to: new Date(Date.parse(from) + DAY).toISOString() };
}

async function findAccount(session: FixedClock, name: string): Promise<number> {
  const [row] = await session.query<{ id: number }>("select id from tieout.accounts where name = $1", [name]);
  if (!row) throw new Error(`there is no account ${name}`);
  return row.id;
}
