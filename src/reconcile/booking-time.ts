import { TieoutError } from "../core/errors.ts";
import { compareInstants, type Instant } from "../core/instant.ts";
import { type Day, dayOf, type DayOrInstant, instantAt } from "../core/period.ts";
import { instantOf, readClock } from "../store/clock-time.ts";
import type { Transaction } from "../store/database.ts";
import { listCalendars } from "../store/periods/calendar.ts";

/** From when a match by hand counts in the books. */
export interface BookingTime {
  at: Instant;
  /** In the zone of the account's months. */
  day: Day;
}

/**
 * The day that a person has named: a day begins in the zone of the account's months. `null` where none was named: it counts
 * from now. That the day is of an open period is checked by the database.
 */
export async function bookingTimeOf(
  tx: Transaction,
  accountId: number,
  given: DayOrInstant | undefined,
): Promise<BookingTime | null> {
  if (given === undefined) return null;
  const [calendar] = await listCalendars({ database: tx, accountIds: [accountId] });
  if (!calendar) throw new TypeError(`account ${accountId} was just read`);
  const at = instantAt(given, calendar.zone);
  if (compareInstants(at, instantOf(await readClock(tx))) > 0) {
    const said = "day" in given ? given.day : given.instant;
    throw new TieoutError("match_refused", `${said} is in the future: leave the day out to book it today`);
  }
  return { at, day: dayOf(at, calendar.zone) };
}
