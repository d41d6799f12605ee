import { addDecimals, decimal, type Decimal, zero } from "../../core/decimal.ts";
import type { BatchSum } from "../../store/statement-intake.ts";
import { payoutsShownMax } from "./limits.ts";

/** Gross, fees and net of the lines of one type in one payout, as printed. Sums never cross currencies. */
export interface StatementTotal {
  readonly currency: string | null;
  /** `null` for lines that are in no payout. */
  readonly payout_ref: string | null;
  readonly line_type: string;
  readonly lines: number;
  readonly gross: Decimal;
  readonly fees: Decimal;
  /** What the lines add to what the provider owes us; of payouts, what they declare. */
  readonly net: Decimal;
}

export interface TotalKeeper {
  add(sums: readonly BatchSum[]): void;
  totals(): StatementTotal[];
  /** Sum of a field over every row that could be read, for the totals that the file itself states. */
  sumOf(field: string, currency: string): Decimal;
}

/** Payouts beyond the first thousand are summed together under this name. */
export const otherPayouts = "(further payouts)";

export function createTotalKeeper(): TotalKeeper {
  const kept = new Map<string, StatementTotal>();
  const stated = new Map<string, Decimal>();

  function addTotal({ currency, payoutRef, lineType, rows, gross, fees, net }: BatchSum): void {
    if (rows === 0) return;
    const keyOf = (ref: string | null) => `${currency}\n${ref}\n${lineType}`;
    const ref = kept.size < payoutsShownMax || kept.has(keyOf(payoutRef)) ? payoutRef : otherPayouts;
    const before = kept.get(keyOf(ref));
    kept.set(keyOf(ref), {
      currency,
      payout_ref: ref,
      line_type: lineType,
      lines: (before?.lines ?? 0) + rows,
      gross: plus(before?.gross, gross),
      fees: plus(before?.fees, fees),
      net: plus(before?.net, net),
    });
  }

  return {
    add(sums) {
      for (const sum of sums) {
        addTotal(sum);
        for (const [field, amount] of Object.entries(sum.stated)) {
          const key = `${field} ${sum.currency}`;
          stated.set(key, plus(stated.get(key), amount));
        }
      }
    },
    totals: () =>
      [...kept.values()].toSorted(
        (a, b) =>
          order(a.currency, b.currency) ||
          order(a.payout_ref, b.payout_ref) ||
          order(a.line_type, b.line_type),
      ),
    sumOf: (field, currency) => stated.get(`${field} ${currency}`) ?? zero,
  };
}

function plus(before: Decimal | undefined, amount: string): Decimal {
  // Postgres prints 1.50 where a canonical decimal is 1.5.
  return addDecimals(before ?? zero, decimal(amount));
}

function order(a: string | null, b: string | null): number {
  if (a === b) return 0;
  return (a ?? "") < (b ?? "") ? -1 : 1;
}
