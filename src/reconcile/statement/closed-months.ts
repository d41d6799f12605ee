import { counted } from "../../core/counted.ts";
import type { Transaction } from "../../store/database.ts";
import { monthAfter } from "../../store/periods/calendar.ts";
import { sumClosedMonths } from "../../store/periods/closed-sums.ts";
import { listClosesAt } from "../../store/periods/closes.ts";

/** What a file says of a month that is closed: its figures stay, and this counts in a later one. */
export interface ClosedMonth {
  readonly month: string;
  /** The month after the last closed one. */
  readonly countsIn: string;
  readonly lines: number;
  readonly sums: readonly { currency: string; amount: string }[];
}

/** After the lines of the file, and which of them count, are written. */
export async function findClosedMonths(
  tx: Transaction,
  file: { accountId: number; statementId: number; at: string },
): Promise<ClosedMonth[]> {
  const closes = await listClosesAt(tx, { accountIds: [file.accountId], at: "infinity" });
  const last = closes.at(-1);
  if (last === undefined) return [];
  const countsIn = monthAfter(last.month);
  const found = await sumClosedMonths(tx, { ...file, closes });
  return found.map((one) => ({ ...one, countsIn }));
}

/** `2026-10 is closed: -115 BRL (1 line) counts in 2026-11`. */
export function describeClosedMonth({ month, countsIn, lines, sums }: ClosedMonth): string {
  const money = sums.map(({ currency, amount }) => `${amount} ${currency}`.trimEnd()).join(", ");
  return `${month} is closed: ${money} (${counted(lines, "line")}) ${sums.length === 1 ? "counts" : "count"} in ${countsIn}`;
}
