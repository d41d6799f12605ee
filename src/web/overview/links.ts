import type { Days } from "../../store/books/overview-reads.ts";
import type { Overview } from "./figures.ts";

/** The list behind a figure of the overview: of the same days, in the same zone. */
export function listLink(days: Days, filters: Record<string, string | null>): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(filters)) if (value !== null) query.set(name, value);
  query.set("status_date[gte]", days.from);
  query.set("status_date[lt]", days.to);
  query.set("tz", days.zone);
  return `/transactions?${query.toString()}`;
}

/** `canceled` and `failed` are one column: both ended without delivery. */
export const endedStatuses = "canceled,failed";
export const openStatuses = "new,pending,paid";

export function sumOf(overview: Overview, field: "transactions" | "completed" | "open" | "ended"): number {
  return overview.byDay.reduce((sum, day) => sum + day[field], 0);
}
