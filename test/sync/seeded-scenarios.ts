import { EventEmitter, once } from "node:events";
import { HOUR, MINUTE, SECOND } from "../../src/core/duration.ts";
import { formatInstant } from "../../src/core/instant.ts";
import { planWindows } from "../../src/core/window.ts";
import { type Dialect, plainDialect } from "../../src/sandbox/transactions/dialect.ts";
import { type Faults, noFaults } from "../../src/sandbox/transactions/faults.ts";
import type { Database } from "../../src/store/database.ts";
import { extendPlan, insertWindows } from "../../src/store/windows/sync-windows.ts";
import type { SyncAccount, SyncDeps } from "../../src/sync/deps.ts";
import { planAccount } from "../../src/sync/plan-account.ts";
import { workAccount } from "../../src/sync/work-account.ts";
import { readWindow, readWindows } from "../support/a-window.ts";
import { compareWithLedger, readLedger, type Verdict } from "../support/ledger-oracle.ts";
import { aRecord, expectedOf, modelAggregator, type RawRecord } from "../support/model-aggregator.ts";
import { never, syncDeps } from "../support/sync-deps.ts";
import { addAccount, type FrozenSandbox, passTime, syncToEnd } from "../support/use-sync.ts";
import { waitFor } from "../support/wait-for.ts";
import { wrapDatabase } from "../support/wrap-database.ts";

/** One mistake: something that reading depends on, replaced by something that is nearly right. */
export interface Mistake {
  readonly database?: (db: Database) => Database;
  readonly upstream?: (upstream: SyncAccount["upstream"]) => SyncAccount["upstream"];
  readonly settings?: Partial<SyncDeps["settings"]>;
}

export interface World {
  readonly db: Database;
  readonly frozen: FrozenSandbox;
}

/** Something that happens in the life of a reader; whoever reads without a mistake ties out in the end. */
export type Scenario = (world: World, mistake: Mistake) => Promise<Verdict>;

const start = Date.UTC(2026, 2, 1);

function depsOf({ db }: World, { database, settings = {} }: Mistake, over: Partial<SyncDeps> = {}): SyncDeps {
  return syncDeps(database?.(db) ?? db, { ...over, settings: { requestsMax: 2, ...settings } });
}

function wrongly(account: SyncAccount, { upstream }: Mistake): SyncAccount {
  return upstream ? { ...account, upstream: upstream(account.upstream) } : account;
}

/** An account that reads lists written by hand. */
async function listed(
  { db }: World,
  mistake: Mistake,
  options: Parameters<typeof modelAggregator>[0] & { windows?: readonly number[] },
): Promise<SyncAccount> {
  const edges = options.windows ?? [start, start + HOUR];
  const account = await addAccount(db, { url: "http://127.0.0.1:1" }, { syncStartMs: edges[0] ?? start });
  const windows = edges.slice(1).map((toMs, at) => ({ kind: "live" as const, fromMs: edges[at] ?? 0, toMs }));
  await insertWindows(db, account.id, windows);
  return wrongly({ ...account, upstream: modelAggregator(options) }, mistake);
}

function recordsEvery(stepMs: number, count: number): RawRecord[] {
  return Array.from({ length: count }, (_, n) =>
    aRecord({ transactionId: `t${n}`, statusDate: formatInstant(start + n * stepMs) }),
  );
}

/** Reads the sandbox's whole ledger, in some dialect, under some faults. */
export function readsAll(dialect: Partial<Dialect> = {}, faults: Partial<Faults> = {}): Scenario {
  return async (world, mistake) => {
    const { sandbox } = world.frozen;
    Object.assign(sandbox.switches, {
      dialect: { ...plainDialect, ...dialect },
      faults: { ...noFaults, ...faults },
    });
    const account = await addAccount(world.db, sandbox);
    await syncToEnd(depsOf(world, mistake), wrongly(account, mistake));
    return compareWithLedger(world.db, account.id, await readLedger(sandbox));
  };
}

/** The worker dies after its fifth write to the rows, whatever that was, and another takes over. */
export const diesOnce: Scenario = async (world, mistake) => {
  const records = recordsEvery(1, 100);
  const account = await listed(world, mistake, { records: () => records, pageSize: 10 });
  let writes = 0;
  const mortal = wrapDatabase(world.db, async (next, text, values, name) => {
    const rows = await next(text, values, name);
    if (text.includes("insert into tieout.transaction_statuses") && ++writes === 5) throw new Error("died");
    return rows;
  });
  await workAccount(depsOf({ ...world, db: mortal }, mistake), account, never).catch(() => undefined);
  await passTime(world.db, account.id);
  await workAccount(depsOf(world, mistake), account, never);
  return compareWithLedger(world.db, account.id, expectedOf(records));
};

/** Seven records in each millisecond around every edge, and the server's bounds exclude both of them. */
export const meetsEdges: Scenario = async (world, mistake) => {
  const edges = [0, 1, 2, 3].map((n) => start + n * MINUTE);
  const times = [...edges.slice(0, -1), ...edges.slice(1).map((edgeMs) => edgeMs - 1)];
  const records = times.flatMap((atMs) =>
    Array.from({ length: 7 }, (_, n) =>
      aRecord({ transactionId: `${atMs} ${n}`, statusDate: formatInstant(atMs) }),
    ),
  );
  const bounds = { startInclusive: false, endInclusive: false };
  const account = await listed(world, mistake, { records: () => records, ...bounds, windows: edges });
  await workAccount(depsOf(world, mistake), account, never);
  return compareWithLedger(world.db, account.id, expectedOf(records));
};

/** A window so long that it is split. */
export const splits: Scenario = async (world, mistake) => {
  const records = recordsEvery(1, 400);
  const account = await listed(world, mistake, {
    records: () => records,
    pageSize: 5,
    windows: [start, start + 400],
  });
  await workAccount(depsOf(world, mistake), account, never);
  return compareWithLedger(world.db, account.id, expectedOf(records));
};

/** Statuses of one moment, in several orders, a page each. */
export const meetsTies: Scenario = async (world, mistake) => {
  const words = ["new", "pending", "paid", "canceled", "failed", "completed"];
  const records = ["a", "b"].flatMap((id) =>
    (id === "a" ? words : words.toReversed()).map((status) =>
      aRecord({ transactionId: id, status, statusDate: formatInstant(start) }),
    ),
  );
  const account = await listed(world, mistake, { records: () => records, pageSize: 1 });
  await workAccount(depsOf(world, mistake), account, never);
  return compareWithLedger(world.db, account.id, expectedOf(records));
};

/** A record of an hour ago becomes visible only after its window was sealed. */
export const comesLate: Scenario = async (world, mistake) => {
  const nowMs = Date.now();
  const at = (ageMs: number) => formatInstant(nowMs - ageMs);
  const records = [aRecord({ transactionId: "early", statusDate: at(2 * HOUR) })];
  const account = await addAccount(
    world.db,
    { url: "http://127.0.0.1:1" },
    { syncStartMs: nowMs - 3 * HOUR },
  );
  const reader = wrongly({ ...account, upstream: modelAggregator({ records: () => records }) }, mistake);
  const deps = depsOf(world, mistake);
  await syncToEnd(deps, reader);
  records.push(aRecord({ transactionId: "late", statusDate: at(HOUR) }));
  await planAccount(deps, account.id);
  await workAccount(deps, reader, never);
  return compareWithLedger(world.db, account.id, expectedOf(records));
};

/** An open transaction is completed, long before the lookback, where no window looks any more. */
export const completesUnseen: Scenario = async (world, mistake) => {
  const records = [aRecord({ transactionId: "open", status: "pending", statusDate: formatInstant(start) })];
  const account = await listed(world, mistake, { records: () => records });
  const deps = depsOf(world, mistake);
  await workAccount(deps, account, never);
  records.push(aRecord({ transactionId: "open", statusDate: formatInstant(start + SECOND) }));
  const nowMs = Date.now();
  await insertWindows(world.db, account.id, [
    { kind: "refresh", fromMs: nowMs - 300 * 24 * HOUR, toMs: nowMs },
  ]);
  await workAccount(deps, account, never);
  return compareWithLedger(world.db, account.id, expectedOf(records));
};

/** Records become visible twenty seconds after their date, while the reader follows the clock. */
export const followsTheClock: Scenario = async (world, mistake) => {
  const records = recordsEvery(SECOND, 60);
  let nowMs = start + 60 * SECOND;
  const visible = () => records.filter(({ statusDate }) => Date.parse(statusDate) + 20 * SECOND <= nowMs);
  const account = await listed(world, mistake, { records: visible, windows: [] });
  const deps = depsOf(world, mistake);
  const lagMs = mistake.settings?.lagMs ?? 30 * SECOND;
  await world.db.query("update tieout.accounts set sync_start = $2 where id = $1", [
    account.id,
    formatInstant(start),
  ]);
  for (let rounds = 0; rounds < 3; rounds++) {
    const options = { lagMs, liveMinMs: 1, backfillAhead: 4 };
    await extendPlan(world.db, account.id, (state) => planWindows(state, options, nowMs));
    await workAccount(deps, account, never);
    nowMs += 60 * SECOND;
  }
  return compareWithLedger(world.db, account.id, expectedOf(records));
};

/** A worker sleeps beyond its lease, at the place given; another finishes the window; then the first one wakes. */
export function sleepsAt(failpoint: "page.commit.before" | "seal.before"): Scenario {
  return async (world, mistake) => {
    const records = recordsEvery(1, 30);
    const account = await listed(world, {}, { records: () => records, pageSize: 10 });
    const alarm = new EventEmitter();
    const woken = once(alarm, "ring");
    let asleep = false;
    const sleeper = depsOf(world, mistake, {
      worker: "sleeper",
      failpoint: async (name) => {
        if (name !== failpoint || asleep) return;
        asleep = true;
        await woken;
      },
    });
    const sleeping = workAccount(sleeper, account, never);
    await waitFor("it sleeps", () => asleep);
    await passTime(world.db, account.id);
    await workAccount(depsOf(world, {}), account, never);
    const [window] = await readWindows(world.db, account.id);
    const before = JSON.stringify(await readWindow(world.db, window?.id ?? 0));
    alarm.emit("ring");
    await sleeping;
    const after = JSON.stringify(await readWindow(world.db, window?.id ?? 0));
    const verdict = await compareWithLedger(world.db, account.id, expectedOf(records));
    return before === after
      ? verdict
      : { ...verdict, unfinished: [`the sleeper made ${before} into ${after}`] };
  };
}
