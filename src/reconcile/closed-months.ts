import type { ClosedMonth } from "../core/closed-month.ts";
import type { Transaction } from "../store/database.ts";
import { monthAfter } from "../store/periods/calendar.ts";
import { type MovedBy, sumClosedMonths } from "../store/periods/closed-sums.ts";
import { listClosesAt } from "../store/periods/closes.ts";

/** After the lines of the file, and which of them count, are written. */
export async function findClosedMonths(
  tx: Transaction,
  movedBy: MovedBy,
  file: { accountId: number; fileId: number; at: string },
): Promise<ClosedMonth[]> {
  const closes = await listClosesAt(tx, { accountIds: [file.accountId], at: "infinity" });
  const last = closes.at(-1);
  if (last === undefined) return [];
  const countsIn = monthAfter(last.month);
  const found = await sumClosedMonths(tx, movedBy, { ...file, closes });
  return found.map((one) => ({ ...one, countsIn }));
}
