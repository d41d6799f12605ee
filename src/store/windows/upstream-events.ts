import { and, eq } from "drizzle-orm";
import type { Database, Queryable, Transaction } from "../database.ts";
import { upstreamEvents } from "../schema/notify.ts";
import type { WindowLease } from "./window-leases.ts";

export interface UpstreamEvent {
  accountId: number;
  eventId: string;
  transactionId: string;
}

const windowTriesMax = 5;

/**
 * Notes that the aggregator has told of a transaction, and plans to read it: in a window that nobody has begun, or in one of
 * its own. `false`: this event was noted before, and nothing is done.
 */
export async function noteUpstreamEvent(database: Database, event: UpstreamEvent): Promise<boolean> {
  const { accountId, eventId } = event;
  return database.transaction(async (tx) => {
    const [known] = await tx.orm
      .select({ eventId: upstreamEvents.eventId })
      .from(upstreamEvents)
      .where(and(eq(upstreamEvents.accountId, accountId), eq(upstreamEvents.eventId, eventId)));
    if (known !== undefined) return false;
    const windowId = await planEventWindow(tx, accountId);
    const noted = await tx.orm
      .insert(upstreamEvents)
      .values({ ...event, windowId })
      .onConflictDoNothing()
      .returning({ eventId: upstreamEvents.eventId });
    return noted.length === 1;
  });
}

/**
 * Its range is the moment: it says nothing about what has been read, and no two of them overlap. A window that was given back
 * goes on behind its cursor, where this transaction may not be.
 */
async function planEventWindow(tx: Transaction, accountId: number): Promise<number> {
  for (let tries = 0; tries < windowTriesMax; tries++) {
    const [row] = await tx.query<{ id: number }>(
      `with waiting as (
         select id
         from tieout.sync_windows
         where account_id = $1 and kind = 'event' and state = 'planned' and cursor is null
         order by id
         limit 1
         for update skip locked
       ), planned as (
         insert into tieout.sync_windows (account_id, kind, range_from, range_to)
         select $1, 'event', at, at + interval '1 microsecond'
         from clock_timestamp() as at
         where not exists (select from waiting)
         on conflict do nothing
         returning id
       )
       select id::int as id from waiting
       union all
       select id::int from planned`,
      [accountId],
    );
    if (row !== undefined) return row.id;
  }
  throw new Error("no window could be planned for an event");
}

/** The transactions of a window of events, a page at a time. */
export async function listToldOf(
  database: Queryable,
  lease: Pick<WindowLease, "windowId">,
  options: { after: string; limit: number },
): Promise<string[]> {
  const rows = await database.query<{ transaction_id: string }>(
    `select distinct transaction_id
     from tieout.upstream_events
     where window_id = $1 and transaction_id > $2
     order by transaction_id
     limit $3`,
    [lease.windowId, options.after, options.limit],
    "list_told_of",
  );
  return rows.map(({ transaction_id }) => transaction_id);
}
