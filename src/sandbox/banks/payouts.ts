import type { CaseRates } from "../statements/cases.ts";
import { converted } from "../statements/wild-forms.ts";
import { layoutOf } from "../statements/layouts.ts";
import type { Layout } from "../statements/layout.ts";
import type { OpenedStatements } from "../statements/open-statements.ts";
import type { Period } from "../statements/periods.ts";
import { readStatement } from "../statements/statement.ts";
import type { Fiat, Provider, World } from "../world/types.ts";
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

/** Statements of one provider in an invented layout: the only ones that pay on chain. */
export interface OtherLayout {
  readonly provider: string;
  readonly layout: Layout;
}

/** What the statements of a month declare to be paid to a bank, account by account. */
export async function declaredPayouts(
  deps: OpenedStatements,
  asked: { bank: Bank; period: Period; rates: CaseRates; other: OtherLayout | null },
): Promise<DeclaredPayout[]> {
  const { period, rates, other } = asked;
  const payouts: DeclaredPayout[] = [];
  const isPayer = ({ id }: Provider) => (other === null ? bankOf(id) === asked.bank : id === other.provider);
  for (const provider of deps.providers.filter(isPayer)) {
    const layout = other?.layout ?? layoutOf(provider.id);
    if (!layout.hasPayouts) continue;
    const coin = layout.paysIn === undefined ? null : coinOf(deps.world, layout.paysIn);
    const request = { provider: provider.id, layout, currency: null, period, rates };
    for await (const { lines } of readStatement(deps, request)) {
      for (const line of lines) {
        const { payoutAmount, payoutId, effectiveMs } = line;
        if (payoutAmount === null || payoutAmount === 0n) continue;
        const fiat = coin ?? line.fiat;
        const amount = coin === null ? payoutAmount : unitsOf(converted(line, payoutAmount), coin);
        payouts.push({ provider, period, payoutId, fiat, amount, dateMs: effectiveMs });
      }
    }
  }
  const order = ({ fiat, payoutId }: DeclaredPayout) => `${fiat.id} ${payoutId}`;
  return payouts.toSorted((a, b) => (order(a) < order(b) ? -1 : 1));
}

/** A coin as the currency of an account: with as many places as a converted amount may have. */
function coinOf({ fiats }: World, code: string): Fiat {
  const [any] = fiats;
  if (any === undefined) throw new TypeError("a world without money");
  return { ...any, id: code.toLowerCase(), code, name: code, minorUnits: 8 };
}

export function unitsOf(amount: string, { minorUnits }: Fiat): bigint {
  const [whole = "0", places = ""] = amount.split(".");
  return BigInt(whole + places.padEnd(minorUnits, "0"));
}
