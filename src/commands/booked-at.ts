import { TieoutError, usageError } from "../core/errors.ts";
import { type DayOrInstant, notATime, parseDayOrInstant } from "../core/period.ts";
import { periodRefusalOf } from "../store/sql-errors.ts";

/** `--booked-at`: from when a match by hand or a decision counts. */
export function readBookedAt(text: string | undefined): DayOrInstant | undefined {
  if (text === undefined) return undefined;
  const time = parseDayOrInstant(text);
  if (time !== null) return time;
  throw usageError(`--booked-at: ${notATime(text)}`);
}

/** What the database says against a day of a closed month. */
export function throwPeriodRefusal(error: unknown): never {
  const refusal = periodRefusalOf(error);
  throw refusal === null ? error : new TieoutError("period_refused", refusal);
}
