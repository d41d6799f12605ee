import { addDecimals, type Decimal, decimal, zero } from "./decimal.ts";

/** Several providers may have something of one currency: added up, and never across currencies. */
export function sumByCurrency(
  amounts: readonly { currency: string; amount: string }[],
): { currency: string; amount: Decimal }[] {
  const sums = new Map<string, Decimal>();
  for (const { currency, amount } of amounts) {
    sums.set(currency, addDecimals(sums.get(currency) ?? zero, decimal(amount)));
  }
  return [...sums].map(([currency, amount]) => ({ currency, amount }));
}
