import assert from "node:assert";
import { sql } from "drizzle-orm";
import { dayOf, firstOfMonth, parseDay, startOfDay } from "../../core/period.ts";
import { utc, type Zone, zoneNamed } from "../../core/zone.ts";
import { instantOf } from "../clock-time.ts";
import { type AccountReader, seenBy } from "../conditions.ts";
import { accounts } from "../schema/accounts.ts";
import { periods } from "../schema/periods.ts";

/** Whose months an account's periods are, and which of them is the first that can be closed. */
export interface Calendar {
  accountId: number;
  account: string;
  zone: Zone;
  /** `2026-09` */
  firstMonth: string;
}

/** As `calendar` of an account's settings is kept. */
interface CalendarSetting {
  zone: string;
  first_month: string | null;
}

/** The calendars of all accounts that the reader sees, by name: as they are set, else months of UTC from the first that was read. */
export async function listCalendars(reader: AccountReader): Promise<Calendar[]> {
  const { id, name, syncStart } = accounts;
  const rows = await reader.database.orm
    .select({
      id,
      name,
      syncStart,
      set: sql<CalendarSetting | null>`tieout.account_setting(${id}, 'calendar', 'infinity')`,
      firstSigned: sql<string | null>`(select min(month) from ${periods} where account_id = ${id})`,
    })
    .from(accounts)
    .where(seenBy(reader, id))
    .orderBy(name);
  return rows.map((row) => {
    const zone = row.set === null ? utc : zoneNamed(row.set.zone);
    const wanted = row.set?.first_month ?? firstWholeMonth(row.syncStart, zone);
    // A month that someone has signed stays, also when the first is set to a later one.
    const firstMonth = row.firstSigned !== null && row.firstSigned < wanted ? row.firstSigned : wanted;
    return { accountId: row.id, account: row.name, zone, firstMonth };
  });
}

/** A month of which only the end has been read cannot be closed; the one after it can. */
function firstWholeMonth(syncStart: string, zone: Zone): string {
  const start = instantOf(syncStart);
  const first = firstOfMonth(dayOf(start, zone));
  const isWhole = startOfDay(first, zone) === start;
  return (isWhole ? first : firstOfMonth(first, 1)).slice(0, 7);
}

/** `2026-11` after `2026-10`; with a negative number, before it. */
export function monthAfter(month: string, months = 1): string {
  const first = parseDay(`${month}-01`);
  assert(first !== null, `a month, not ${month}`);
  return firstOfMonth(first, months).slice(0, 7);
}
