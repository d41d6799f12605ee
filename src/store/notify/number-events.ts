import type { Database } from "../database.ts";

/**
 * Receivers remember the numbers of events, and pass over one that they know. A database that was restored would count on from
 * where its backup stood, and give new events the numbers of others that were sent since. So numbers go with time: at every
 * start they move on to that of the moment, which is beyond all given before, as long as they are fewer than a thousand a second.
 * For the owner of the tables; the service may only take the next number.
 */
export async function numberEventsByTime(owner: Database): Promise<void> {
  await owner.transaction(async (tx) => {
    await tx.query("select pg_advisory_xact_lock(hashtextextended('tieout.event_numbers', 0))");
    // A second apart at least: numbers that others take at this moment stay below.
    await tx.query(
      `select setval('tieout.events_id_seq', moment.number)
       from tieout.events_id_seq as used,
            (select floor((extract(epoch from clock_timestamp()) - $1) * 1000)::bigint as number) as moment
       where used.last_value + 1000 < moment.number`,
      [beginning],
    );
  });
}

/** In seconds since 1970; no event is older. Keeps numbers short. */
const beginning = Date.UTC(2026, 0, 1) / 1000;
