import { counted } from "./counted.ts";

/** What a file says of a month that is closed: its figures stay, and this counts in a later one. */
export interface ClosedMonth {
  readonly month: string;
  /** The month after the last closed one. */
  readonly countsIn: string;
  readonly lines: number;
  readonly sums: readonly { currency: string; amount: string }[];
}

/** `2026-10 is closed: -115 BRL (1 line) counts in 2026-11`; a screen spells amounts in its own way. */
export function describeClosedMonth(
  { month, countsIn, lines, sums }: ClosedMonth,
  spell: (amount: string, currency: string) => string = (amount) => amount,
): string {
  const money = sums
    .map(({ currency, amount }) => `${spell(amount, currency)} ${currency}`.trimEnd())
    .join(", ");
  return `${month} is closed: ${money} (${counted(lines, "line")}) ${sums.length === 1 ? "counts" : "count"} in ${countsIn}`;
}
