import { type Decimal, negateDecimal, subtractDecimals } from "../../core/decimal.ts";
import type { ReceiptLine } from "../../core/receipt-line.ts";
import { addsUp, type StatementFacts } from "./reader.ts";

interface BalanceBeside {
  readonly day: string;
  readonly signed: Decimal;
  readonly balance: Decimal | null;
}

/** The balance beside the first line of an account and beside the last: with all lines between them they have to add up. */
export function createRunningBalances() {
  const seen = new Map<StatementFacts, { first: BalanceBeside; last: BalanceBeside }>();
  return {
    follow(line: ReceiptLine, statement: StatementFacts, balance: Decimal | null): void {
      const signed = line.direction === "credit" ? line.amount : negateDecimal(line.amount);
      const last = { day: line.bookingDate ?? line.valueDate, signed, balance };
      seen.set(statement, { first: seen.get(statement)?.first ?? last, last });
    },
    /** After the last line. Oldest first or newest first: by what adds up, else by the days. */
    set(): void {
      for (const [statement, { first, last }] of seen) {
        const oldestFirst = openingAndClosing(first, last);
        const newestFirst = openingAndClosing(last, first);
        if (oldestFirst === null || newestFirst === null) continue;
        const fitting = [oldestFirst, newestFirst].find((each) => addsUp({ ...statement, ...each }));
        Object.assign(statement, fitting ?? (first.day <= last.day ? oldestFirst : newestFirst));
      }
    },
  };
}

function openingAndClosing(oldest: BalanceBeside, newest: BalanceBeside) {
  if (oldest.balance === null || newest.balance === null) return null;
  return { opening: subtractDecimals(oldest.balance, oldest.signed), closing: newest.balance };
}
