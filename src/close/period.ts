import { TieoutError } from "../core/errors.ts";
import { compareInstants, type Instant } from "../core/instant.ts";
import { dayOf, monthOf } from "../core/period.ts";
import { quote } from "../core/quote.ts";
import { type Zone, zoneNamed } from "../core/zone.ts";
import { instantOf, readClock } from "../store/clock-time.ts";
import type { AccountReader } from "../store/conditions.ts";
import { type Calendar, listCalendars, monthAfter } from "../store/periods/calendar.ts";
import {
  listPeriodRows,
  type PeriodRow,
  type PeriodState,
  readPeriodRow,
} from "../store/periods/period-reads.ts";

/** One month of one account, and how it stands. */
export interface Period {
  accountId: number;
  account: string;
  /** `2026-10` */
  month: string;
  zone: Zone;
  from: Instant;
  to: Instant;
  state: PeriodState;
  /** Someone has signed it at least once. */
  row: PeriodRow | null;
  /** What was known when the month before was closed; `null` where it was not. What has become known of it since is shown apart. */
  priorKnownAt: Instant | null;
}

/** The month of an account; of the only one there is where none is named. */
export async function findPeriod(
  reader: AccountReader,
  { account, month }: { account: string | null; month: string },
): Promise<Period> {
  const calendars = await listCalendars(reader);
  const calendar =
    account === null && calendars.length === 1
      ? calendars[0]
      : calendars.find((one) => one.account === account);
  if (calendar === undefined) {
    if (calendars.length === 0)
      throw new TieoutError("period_not_found", "there is no account yet: start tieout once to make it");
    const names = calendars.map((one) => one.account).join(", ");
    throw new TieoutError(
      "period_not_found",
      account === null
        ? `say which account: ${names}`
        : `there is no account ${quote(account)}; known are ${names}`,
    );
  }
  if (monthOf(month, calendar.zone) === null)
    throw new TieoutError("period_not_found", `${quote(month)} is not a month; write it as 2026-10`);
  if (month < calendar.firstMonth) {
    throw new TieoutError(
      "period_not_found",
      `the first month of ${calendar.account} is ${calendar.firstMonth}: no earlier one is closed here`,
    );
  }
  const last = dayOf(instantOf(await readClock(reader.database)), calendar.zone).slice(0, 7);
  if (month > last) {
    throw new TieoutError(
      "period_not_found",
      `${month} has not begun: the last month of ${calendar.account} is ${last}`,
    );
  }
  const { accountId } = calendar;
  const row = await readPeriodRow(reader.database, { accountId, month });
  const before = await readPeriodRow(reader.database, { accountId, month: monthAfter(month, -1) });
  return periodOf(calendar, month, { row, before });
}

/** All months of the accounts that a reader sees, up to the one that `now` is in; oldest first. */
export async function listPeriods(reader: AccountReader, now: Instant): Promise<Period[]> {
  const calendars = await listCalendars(reader);
  const rows = await listPeriodRows(reader);
  return calendars.flatMap((calendar) => {
    const months: Period[] = [];
    const rowOf = (month: string) =>
      rows.find((one) => one.accountId === calendar.accountId && one.month === month) ?? null;
    const last = dayOf(now, calendar.zone).slice(0, 7);
    for (let month = calendar.firstMonth; month <= last; month = monthAfter(month)) {
      const [row, before] = [rowOf(month), rowOf(monthAfter(month, -1))];
      months.push(periodOf(calendar, month, { row, before }));
    }
    return months;
  });
}

function periodOf(
  calendar: Calendar,
  month: string,
  { row, before }: { row: PeriodRow | null; before: PeriodRow | null },
): Period {
  const { accountId, account } = calendar;
  // Once signed, a month keeps the zone that it was signed in.
  const zone = row === null ? calendar.zone : zoneNamed(row.zone);
  const bounds = monthOf(month, zone);
  if (bounds === null) throw new TypeError(`a month, not ${month}`);
  // Where the zone was set anew in between, the month begins where the one before it has ended: no hour is left out.
  const from = row?.fromAt ?? before?.toAt;
  return {
    accountId,
    account,
    month,
    zone,
    from: from === undefined ? bounds.from : instantOf(from),
    to: bounds.to,
    state: (row?.state ?? "open") as PeriodState,
    row,
    priorKnownAt: before?.state === "closed" && before.knownAt !== null ? instantOf(before.knownAt) : null,
  };
}

export function isOver({ to }: Period, now: Instant): boolean {
  return compareInstants(to, now) <= 0;
}
