import type { Decimal } from "../../core/decimal.ts";
import { compareInstants } from "../../core/instant.ts";
import { createExactSum, type ExactSum } from "../../core/exact-sum.ts";
import { isActivity, isStated, type StatementLine } from "../../core/statement-line.ts";
import { payoutsShownMax } from "./limits.ts";
import type { Profile } from "./profile.ts";

/** Gross, fees and net of the lines of one type in one payout, as printed. Sums never cross currencies. */
export interface StatementTotal {
  readonly currency: string | null;
  /** `null` for lines that are in no payout. */
  readonly payout_ref: string | null;
  readonly line_type: string;
  readonly lines: number;
  readonly gross: Decimal;
  readonly fees: Decimal;
  /** What the lines add to what the provider owes us; of payouts, what they declare; of balances, the last. */
  readonly net: Decimal;
}

export interface TotalKeeper {
  /** `repeated`: the row stands in the file again. It is in the totals that the file states, and not in ours. */
  add(line: StatementLine, options: { repeated: boolean }): void;
  totals(): StatementTotal[];
  /** Sum of a field over every row that could be read, for the totals that the file itself states. */
  sumOf(field: string, currency: string): Decimal;
}

/** Payouts beyond the first thousand are summed together under this name. */
export const otherPayouts = "(further payouts)";

export function createTotalKeeper(profile: Profile): TotalKeeper {
  const groups = new Map<string, Group>();
  const statedSums = new Map<string, ExactSum>();
  const statedFields = [...new Set(profile.facts.flatMap(({ field }) => field ?? []))];
  // Lines of one payout follow each other.
  let lastKey = "";
  let lastGroup: Group | null = null;

  function groupOf(currency: string | null, { payoutRef, lineType }: StatementLine): Group {
    const key = `${currency}\n${payoutRef}\n${lineType}`;
    if (lastGroup !== null && key === lastKey) return lastGroup;
    const isRoom = groups.size < payoutsShownMax || groups.has(key);
    const ref = isRoom ? payoutRef : otherPayouts;
    const group = groups.get(`${currency}\n${ref}\n${lineType}`) ?? newGroup(currency, ref, lineType);
    groups.set(`${currency}\n${ref}\n${lineType}`, group);
    lastKey = key;
    lastGroup = group;
    return group;
  }

  return {
    add(line, { repeated }) {
      const currency = line.netCurrency ?? line.fiatCurrency;
      for (const field of statedFields) addStated(statedSums, line, field);
      if (repeated) return;
      const group = groupOf(currency, line);
      group.lines += 1;
      if (line.fiatGross !== null) group.gross.add(line.fiatGross);
      if (line.feeTotal !== null && line.feeCurrency === currency) group.fees.add(line.feeTotal);
      if (isStated(line.lineType)) noteBalance(group, line);
      else group.net.add(line.netAmount);
    },
    totals: () =>
      [...groups.values()]
        .map(({ gross, fees, net, balance, ...group }) =>
          Object.assign(group, {
            gross: gross.total(),
            fees: fees.total(),
            net: balance?.netAmount ?? net.total(),
          }),
        )
        .toSorted(
          (a, b) =>
            order(a.currency, b.currency) ||
            order(a.payout_ref, b.payout_ref) ||
            order(a.line_type, b.line_type),
        ),
    sumOf: (field, currency) => (statedSums.get(`${field} ${currency}`) ?? createExactSum()).total(),
  };
}

interface Group {
  readonly currency: string | null;
  readonly payout_ref: string | null;
  readonly line_type: string;
  lines: number;
  readonly gross: ExactSum;
  readonly fees: ExactSum;
  readonly net: ExactSum;
  /** Balances are never added up: the last one is the file's closing balance. */
  balance: StatementLine | null;
}

function noteBalance(group: Group, line: StatementLine): void {
  const { balance } = group;
  if (balance === null || compareInstants(balance.effectiveAt, line.effectiveAt) <= 0) group.balance = line;
}

function newGroup(currency: string | null, payoutRef: string | null, lineType: string): Group {
  return {
    currency,
    payout_ref: payoutRef,
    line_type: lineType,
    lines: 0,
    gross: createExactSum(),
    fees: createExactSum(),
    net: createExactSum(),
    balance: null,
  };
}

/** Each in its own currency: an order in one may be owed for in another. */
const statedValue: Readonly<
  Record<string, (line: StatementLine) => readonly [amount: Decimal | null, currency: string | null]>
> = {
  fiat_gross: (line) => [line.fiatGross, line.fiatCurrency],
  fiat_net: (line) => [line.fiatNet, line.fiatCurrency],
  fee_total: (line) => [line.feeTotal, line.feeCurrency],
  // What a payout declares and what a balance states is not part of what the lines add.
  net_amount: (line) => [
    isActivity(line.lineType) ? line.netAmount : null,
    line.netCurrency ?? line.fiatCurrency,
  ],
};

function addStated(sums: Map<string, ExactSum>, line: StatementLine, field: string): void {
  const [amount, currency] = statedValue[field]?.(line) ?? [null, null];
  if (amount === null) return;
  const key = `${field} ${currency}`;
  const sum = sums.get(key) ?? createExactSum();
  sum.add(amount);
  sums.set(key, sum);
}

function order(a: string | null, b: string | null): number {
  if (a === b) return 0;
  return (a ?? "") < (b ?? "") ? -1 : 1;
}
