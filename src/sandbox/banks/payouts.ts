import type { CaseRates } from "../statements/cases.ts";
import { layoutOf } from "../statements/layouts.ts";
import type { OpenedStatements } from "../statements/open-statements.ts";
import type { Period } from "../statements/periods.ts";
import { readStatement } from "../statements/statement.ts";
import type { Fiat, Provider } from "../world/types.ts";
import { type Bank, bankOf } from "./banks.ts";

/** A payout as a provider's statement declares it. */
export interface DeclaredPayout {
  readonly provider: Provider;
  readonly period: Period;
  readonly payoutId: string;
  readonly fiat: Fiat;
  readonly amount: bigint;
  readonly dateMs: number;
}

/** What the statements of a month declare to be paid to a bank, account by account. */
export async function declaredPayouts(
  deps: OpenedStatements,
  asked: { bank: Bank; period: Period; rates: CaseRates },
): Promise<DeclaredPayout[]> {
  const { period, rates } = asked;
  const payouts: DeclaredPayout[] = [];
  for (const provider of deps.providers.filter(({ id }) => bankOf(id) === asked.bank)) {
    const layout = layoutOf(provider.id);
    if (!layout.hasPayouts) continue;
    const request = { provider: provider.id, layout, currency: null, period, rates };
    for await (const { lines } of readStatement(deps, request)) {
      for (const { payoutAmount, payoutId, fiat, effectiveMs } of lines) {
        if (payoutAmount === null || payoutAmount === 0n) continue;
        payouts.push({ provider, period, payoutId, fiat, amount: payoutAmount, dateMs: effectiveMs });
      }
    }
  }
  const order = ({ fiat, payoutId }: DeclaredPayout) => `${fiat.id} ${payoutId}`;
  return payouts.toSorted((a, b) => (order(a) < order(b) ? -1 : 1));
}
