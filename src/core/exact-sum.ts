import { addDecimals, type Decimal, decimalFromUnits, zero } from "./decimal.ts";

/** Adds up many amounts: exact like `addDecimals`, without making a new decimal for every one of them. */
export interface ExactSum {
  add(amount: Decimal): void;
  total(): Decimal;
}

export function createExactSum(): ExactSum {
  // One sum of units for each number of places: amounts of one currency have few.
  const units: bigint[] = [];
  return {
    add(amount) {
      const point = amount.indexOf(".");
      const places = point < 0 ? 0 : amount.length - point - 1;
      const digits = point < 0 ? amount : amount.slice(0, point) + amount.slice(point + 1);
      units[places] = (units[places] ?? 0n) + BigInt(digits);
    },
    total: () =>
      units.reduce<Decimal>((sum, each, places) => addDecimals(sum, decimalFromUnits(each, places)), zero),
  };
}
