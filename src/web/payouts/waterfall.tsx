import {
  addDecimals,
  compareDecimals,
  type Decimal,
  decimal,
  divideDecimals,
  multiplyDecimals,
  negateDecimal,
  subtractDecimals,
} from "../../core/decimal.ts";
import type { PayoutRow, PayoutStep } from "../../store/books/payout-reads.ts";
import { TableFrame } from "../parts/blocks.tsx";
import { PayoutChip } from "../parts/payout.tsx";
import { Money } from "../parts/show.tsx";

/** From gross to what was declared. The bars are a look at the figures beside them, and say nothing that those do not. */
export function Waterfall({ payout, now }: { payout: PayoutRow; now: number }) {
  const steps = stepsOf(payout);
  return (
    <TableFrame label="How the payout adds up">
      <table class="list keep waterfall">
        <caption>
          What the lines of the payout add up to, step by step, and what the provider declared. All in{" "}
          {payout.currency}.
        </caption>
        <thead>
          <tr>
            <th scope="col">Step</th>
            <th scope="col" class="figures">
              Amount
            </th>
            <th scope="col" class="bar-column">
              From one step to the next
            </th>
          </tr>
        </thead>
        <tbody>
          {steps.map((step) => (
            <tr class={step.sign === "=" ? "sum" : undefined}>
              <th scope="row">
                <span class="mono" aria-hidden="true">
                  {step.sign}
                </span>{" "}
                {step.name}
              </th>
              <td class="figures">
                {step.field === null ? (
                  <Money amount={step.amount} currency={payout.currency} />
                ) : (
                  <a href={`/payouts/${payout.id}?step=${step.field}#lines`}>
                    <Money amount={step.amount} currency={payout.currency} />
                  </a>
                )}
              </td>
              <td class="bar-column">
                <Bar step={step} range={rangeOf(steps)} />
              </td>
            </tr>
          ))}
          <tr>
            <th scope="row">Declared by the provider</th>
            <td class="figures">
              {payout.netDeclared === null ? (
                <Money amount={null} currency={payout.currency} />
              ) : (
                <a href={`/payouts/${payout.id}?step=declared#lines`}>
                  <Money amount={payout.netDeclared} currency={payout.currency} />
                </a>
              )}
            </td>
            <td class="bar-column"></td>
          </tr>
          <tr class="sum">
            <th scope="row">Difference, declared less computed</th>
            <td class="figures">
              <Money amount={payout.difference} currency={payout.currency} />
            </td>
            <td class="bar-column">
              <PayoutChip payout={payout} now={now} />
            </td>
          </tr>
        </tbody>
      </table>
    </TableFrame>
  );
}

interface Step {
  name: string;
  /** The lines behind it; none behind a sum. */
  field: PayoutStep | null;
  amount: Decimal;
  sign: "+" | "−" | "=";
  /** Where the sum stood before this step, and where it stands after it. */
  before: Decimal;
  after: Decimal;
}

const stepNames = [
  ["gross", "Gross", "+"],
  ["fees", "Fees", "−"],
  ["refunds", "Refunds", "−"],
  ["chargebacks", "Chargebacks", "−"],
  ["chargebackReversals", "Chargebacks won back", "+"],
  ["commissions", "Commissions", "+"],
  ["adjustments", "Adjustments", "+"],
  ["reserves", "Reserves, released less withheld", "+"],
] as const;

export const stepTitles: Record<PayoutStep, string> = {
  gross: "Gross",
  fees: "Fees",
  refunds: "Refunds",
  chargebacks: "Chargebacks",
  chargebackReversals: "Chargebacks won back",
  commissions: "Commissions",
  adjustments: "Adjustments",
  reserves: "Reserves",
  declared: "Declared by the provider",
};

function stepsOf(payout: PayoutRow): Step[] {
  let before = decimal("0");
  const steps: Step[] = stepNames.map(([field, name, sign]) => {
    const amount = decimal(payout[field]);
    const after = addDecimals(before, sign === "−" ? negateDecimal(amount) : amount);
    const step = { name, field, amount, sign, before, after };
    before = after;
    return step;
  });
  const net = decimal(payout.netComputed);
  const total = { name: "Net of the lines", field: null, amount: net, before: decimal("0"), after: net };
  // A step of nothing says nothing; and what our share is reckoned from is not a gross of ours.
  return [...steps.filter(({ amount }) => amount !== "0"), { ...total, sign: "=" }];
}

interface Range {
  low: Decimal;
  high: Decimal;
}

function rangeOf(steps: readonly Step[]): Range {
  const ends = steps.flatMap(({ before, after }) => [before, after]);
  return { low: ends.reduce(smaller), high: ends.reduce(larger) };
}

function Bar({ step, range }: { step: Step; range: Range }) {
  const from = placeOf(smaller(step.before, step.after), range);
  const to = placeOf(larger(step.before, step.after), range);
  const grows = compareDecimals(step.after, step.before) >= 0;
  const kind = step.sign === "=" ? "bar-sum" : grows ? "bar-more" : "bar-less";
  return (
    <svg class="bar" viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true">
      {step.amount !== "0" && (
        <rect class={kind} x={from} y="1" width={Math.max(0.4, to - from)} height="8" />
      )}
    </svg>
  );
}

/** Per cent of the width, only to draw with. */
function placeOf(at: Decimal, { low, high }: Range): number {
  const width = subtractDecimals(high, low);
  if (width === "0") return 0;
  const share = multiplyDecimals(subtractDecimals(at, low), decimal("100"));
  return Number(divideDecimals(share, width, { places: 2 }));
}

function smaller(a: Decimal, b: Decimal): Decimal {
  return compareDecimals(a, b) <= 0 ? a : b;
}

function larger(a: Decimal, b: Decimal): Decimal {
  return compareDecimals(a, b) >= 0 ? a : b;
}
