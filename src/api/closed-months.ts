import { z } from "@hono/zod-openapi";
import type { ClosedMonth } from "../core/closed-month.ts";
import { amount } from "./object.ts";

/** What an imported file says of months that are closed. */
export const closedMonths = z
  .array(
    z.strictObject({
      month: z.string(),
      counts_in: z.string(),
      lines: z.int(),
      sums: z.array(z.strictObject({ currency: z.string(), amount })),
    }),
  )
  .describe(
    "Closed months in which lines of the file are dated: what was signed stays, and the sums count in the first month after the last closed one.",
  );

export function presentClosedMonths(months: readonly ClosedMonth[]): z.output<typeof closedMonths> {
  return months.map(({ month, countsIn, lines, sums }) => ({
    month,
    counts_in: countsIn,
    lines,
    sums: [...sums],
  }));
}
