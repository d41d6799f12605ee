import type { PresentedPeriod } from "../../api/periods/schema.ts";

/** A year, and the month it is compared with. */
const monthsMax = 13;

interface MonthsShown {
  /** Oldest first. */
  months: readonly string[];
  /** The newest month of the screen before this one, and of the one after it; `null`: there is none. */
  older: string | null;
  newer: string | null;
}

/**
 * The months on one screen, ending with the requested one. By default these are the newest; but months close in order, so if the
 * first month that is not closed is older, the screen begins around that one.
 */
export function monthsShown(
  periods: readonly Pick<PresentedPeriod, "month" | "state">[],
  asked: string | undefined,
): MonthsShown {
  const months = [...new Set(periods.map(({ month }) => month))].toSorted();
  const waiting = new Set(periods.filter(({ state }) => state !== "closed").map(({ month }) => month));
  const first = months.findIndex((month) => waiting.has(month));
  const wanted =
    asked !== undefined
      ? months.findLastIndex((month) => month <= asked) + 1
      : first === -1
        ? months.length
        : Math.max(first - 1, 0) + monthsMax;
  const end = Math.min(Math.max(wanted, monthsMax), months.length);
  const begin = Math.max(end - monthsMax, 0);
  return {
    months: months.slice(begin, end),
    older: months[begin - 1] ?? null,
    newer: end < months.length ? (months[Math.min(end + monthsMax, months.length) - 1] ?? null) : null,
  };
}
