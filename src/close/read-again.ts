import { DAY } from "../core/duration.ts";
import { instantMs } from "../core/instant.ts";
import { splitRange } from "../core/window.ts";
import type { Database } from "../store/database.ts";
import { insertWindows, readPlanState } from "../store/windows/sync-windows.ts";
import type { Checklist } from "./checklist.ts";
import type { Period } from "./period.ts";

/**
 * Asks for the month to be read a second time and compared, a day at a time, unless that has been done or is under way, or
 * is too soon. Returns how many windows were planned; the workers read them.
 */
export async function askToReadAgain(
  database: Database,
  period: Period,
  checklist: Checklist,
): Promise<number> {
  const line = checklist.lines.find((one) => one.line === "read_again");
  const figures = line?.parts[0]?.figures;
  if (line === undefined || line.state === "green" || Number(figures?.["windows_waiting"] ?? 0) > 0) return 0;
  const range = { fromMs: instantMs(period.from), toMs: instantMs(period.to) };
  // The first reading stays behind the aggregator's clock, because records still arrive beyond it: that time must not count as read yet.
  const { planned } = await readPlanState(database, period.accountId);
  if (planned === null || planned.toMs < range.toMs) return 0;
  const days = splitRange(range, Math.max(1, Math.ceil((range.toMs - range.fromMs) / DAY)));
  return insertWindows(
    database,
    period.accountId,
    days.map((day) => ({ kind: "deep" as const, ...day })),
  );
}
