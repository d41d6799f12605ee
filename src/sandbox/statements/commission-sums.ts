import { decimalFromUnits } from "../../core/decimal.ts";
import { below, happens, hash32 } from "../world/random.ts";
import type { Fiat } from "../world/types.ts";
import { plantedCases } from "./cases.ts";
import type { StatementDeps, StatementRequest, TrueMoney } from "./entry.ts";
import { owed } from "./line.ts";
import { readStatement } from "./statement.ts";

interface StatedSum {
  readonly fiat: Fiat;
  readonly orders: number;
  readonly sum: bigint;
  readonly off: bigint;
}

/** What was earned in the month by the lines of its statement, in each currency; some of the sums are wrong. */
async function statedSums(deps: StatementDeps, request: StatementRequest): Promise<StatedSum[]> {
  const { period, provider, rates } = request;
  const sums = new Map<string, { fiat: Fiat; orders: number; sum: bigint }>();
  for await (const { lines } of readStatement(deps, request)) {
    for (const line of lines) {
      if (line.kind !== "charge" || line.effectiveMs >= period.toMs) continue;
      const held = sums.get(line.fiat.id) ?? { fiat: line.fiat, orders: 0, sum: 0n };
      held.orders += 1;
      held.sum += owed(line);
      sums.set(line.fiat.id, held);
    }
  }
  return [...sums.values()]
    .toSorted((a, b) => (a.fiat.id < b.fiat.id ? -1 : 1))
    .map((each) => {
      const luck = hash32(deps.world.seed, "commission", provider, period.name, each.fiat.id);
      const isOff = happens(rates.commission_sum_off, luck);
      return { ...each, off: isOff ? BigInt(100 + below(10_000, hash32(deps.world.seed, luck))) : 0n };
    });
}

export async function* writeCommissionSums(
  deps: StatementDeps,
  request: StatementRequest,
): AsyncGenerator<string> {
  yield "period,currency,orders,commission\n";
  for (const { fiat, orders, sum, off } of await statedSums(deps, request))
    yield `${request.period.name},${fiat.code},${orders},${decimalFromUnits(sum + off, fiat.minorUnits)}\n`;
}

/** What is wrong with it, in the form of the truth files of statements. */
export async function* writeCommissionTruth(
  deps: StatementDeps,
  request: StatementRequest,
): AsyncGenerator<string> {
  const { codes } = plantedCases.commission_sum_off;
  const cases = (await statedSums(deps, request)).flatMap(({ fiat, off }, index) => {
    const money: TrueMoney = { delta: decimalFromUnits(off, fiat.minorUnits), currency: fiat.code };
    const keys = { transactionId: null, providerTransactionId: null };
    return off === 0n ? [] : [{ lines: [index + 2], case: "commission_sum_off", codes, ...keys, money }];
  });
  yield `${JSON.stringify({ provider: request.provider, period: request.period.name, cases })}\n`;
}
