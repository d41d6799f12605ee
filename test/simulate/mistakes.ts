import { formatInstant, type Instant, instantMs } from "../../src/core/instant.ts";
import type { Database } from "../../src/store/database.ts";
import { LeaseLost } from "../../src/store/transactions/record-page.ts";
import type { SyncAccount } from "../../src/sync/deps.ts";
import { UpstreamError } from "../../src/upstream/errors.ts";
import type { TransactionPage } from "../../src/upstream/transactions.ts";
import { isRecordPages, wrapDatabase } from "../support/wrap-database.ts";
import type { Mistake } from "./mistake.ts";

type Upstream = SyncAccount["upstream"];
type Ask = Upstream["fetchPage"];
const end: TransactionPage = { rawRecords: [], nextCursor: null, echoedLimit: null, serverDateMs: null };

/** Mistakes that a reader could make, each of which the simulation has to find. */
export const mistakes: ReadonlyMap<string, Mistake> = new Map<string, Mistake>([
  [
    "an empty page is taken as the end",
    reading((page) => (page.rawRecords.length === 0 ? { ...page, nextCursor: null } : page)),
  ],
  [
    "the cursor is kept before the rows",
    {
      recordPage: (record) => async (lease, page) => {
        await record(lease, { ...page, records: [], rejections: [] });
        return record(lease, page);
      },
    },
  ],
  [
    "the bounds are not padded",
    asking(
      (ask) => (query, call) =>
        query?.from && query.to
          ? ask({ ...query, from: moved(query.from, 1), to: moved(query.to, -1) }, call)
          : ask(query, call),
    ),
  ],
  [
    "a worker that lost its lease writes all the same",
    {
      recordPage: (record, database) => (lease, page) =>
        record(lease, page).catch(async (error: unknown) => {
          if (!(error instanceof LeaseLost)) throw error;
          const [row] = await database.query<{ fence: number }>(
            "select fence::int as fence from tieout.sync_windows where id = $1",
            [lease.windowId],
          );
          return record({ ...lease, fence: row?.fence ?? 0 }, page);
        }),
    },
  ],
  [
    "the latest row is the one that arrived last",
    rewriting(isRecordPages, /\n +> \((held\.status_date|newest\.held_date)/g, "\n is distinct from ($1"),
  ],
  ["nobody looks back", { settings: { lookbackMs: 0 } }],
  [
    "records with one status are dropped",
    reading((page) => ({
      ...page,
      rawRecords: page.rawRecords.filter((raw) => statusOf(raw) !== "canceled"),
    })),
  ],
  ["a split leaves out a millisecond", { database: splitWithGap }],
  [
    "a page that failed is not asked for again",
    {
      upstream: (upstream) => {
        const failed = new Set<string>();
        return wrapAsk(upstream, (ask) => async (query, call) => {
          const asked = JSON.stringify(query);
          try {
            const page = await ask(query, call);
            return failed.delete(asked) ? { ...page, rawRecords: [] } : page;
          } catch (error) {
            failed.add(asked);
            throw error;
          }
        });
      },
    },
  ],
  [
    "the quarantine takes a neighbour along",
    {
      recordPage: (record) => (lease, page) =>
        record(lease, page.rejections.length > 0 ? { ...page, records: page.records.slice(1) } : page),
    },
  ],
  ["the plan has no lag", { settings: { lagMs: 0 } }],
  [
    "nobody looks at the aggregator's clock",
    { upstream: (upstream) => ({ ...upstream, serverNow: () => null }) },
  ],
  [
    "a cursor that is refused is taken as the end",
    asking(
      (ask) => async (query, call) =>
        ask(query, call).catch((error: unknown) => {
          if (error instanceof UpstreamError && error.code === "cursor_rejected") return end;
          throw error;
        }),
    ),
  ],
  [
    "a window is sealed by a worker that lost it",
    rewriting(
      (name) => name === "seal_window",
      /fence = \$2 and state = 'walking' and lease_until > clock_timestamp\(\)/g,
      "$2::int > 0",
    ),
  ],
  [
    "open transactions are never asked for again",
    {
      database: (database) =>
        wrapDatabase(database, async (next, text, values, name) =>
          name === "list_open_due" ? [] : next(text, values, name),
        ),
    },
  ],
  [
    "what cannot be understood is dropped",
    { recordPage: (record) => (lease, page) => record(lease, { ...page, rejections: [] }) },
  ],
]);

/** Replaces how a page is asked for. */
function asking(change: (ask: Ask) => Ask): Mistake {
  return { upstream: (upstream) => wrapAsk(upstream, change) };
}

function wrapAsk(upstream: Upstream, change: (ask: Ask) => Ask): Upstream {
  return { ...upstream, fetchPage: change((query, call) => upstream.fetchPage(query, call)) };
}

/** Replaces what is made of an answer. */
function reading(change: (page: TransactionPage) => TransactionPage): Mistake {
  return asking((ask) => async (query, call) => change(await ask(query, call)));
}

/** Replaces a part of one statement. */
function rewriting(isMeant: (name: string | undefined) => boolean, pattern: RegExp, by: string): Mistake {
  return {
    database: (database) =>
      wrapDatabase(database, (next, text, values, name) => {
        if (!isMeant(name)) return next(text, values, name);
        if (text.search(pattern) < 0) throw new Error(`${name} has no ${pattern}: mend this mistake`);
        return next(text.replaceAll(pattern, by), values);
      }),
  };
}

/** Every part of a split but the first begins a millisecond late. */
function splitWithGap(database: Database): Database {
  return {
    ...database,
    transaction: (work) =>
      database.transaction(async (tx, client) => {
        const result = await work(tx, client);
        await tx.query(
          `update tieout.sync_windows as w
           set range_from = range_from + interval '1 millisecond'
           where xmin = pg_current_xact_id()::xid and fence = 0
             and range_from > (select parent.range_from from tieout.sync_windows as parent where parent.id = w.parent_id)`,
        );
        return result;
      }),
  };
}

function moved(instant: Instant, byMs: number): Instant {
  return formatInstant(instantMs(instant) + byMs);
}

function statusOf(raw: unknown): unknown {
  return (raw as { status?: unknown }).status;
}
