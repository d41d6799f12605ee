import { sql } from "drizzle-orm";
import { decimal, negateDecimal } from "../../core/decimal.ts";
import { discrepancies } from "../schema/findings.ts";
import type { Paging } from "../select-page.ts";

interface Valued {
  id: number;
  value: string | null;
  valueCurrency: string | null;
}

/**
 * Currency by currency, because amounts of different ones cannot be compared; what has no value comes last. The keys run in
 * one direction, and so the highest first is the lowest negated.
 */
export function byValue(first: "highest" | "lowest"): Paging<Valued> {
  const { value, valueCurrency, id } = discrepancies;
  const isNegated = first === "highest";
  return {
    keyset: {
      keys: [
        { expression: sql`(${valueCurrency} is null)::int`, kind: "integer" },
        { expression: sql`coalesce(${valueCurrency}, '')`, kind: "text" },
        { expression: isNegated ? sql`-coalesce(${value}, 0)` : sql`coalesce(${value}, 0)`, kind: "decimal" },
        { expression: id, kind: "integer" },
      ],
      descending: false,
    },
    positionOf: (row) => [
      row.valueCurrency === null ? "1" : "0",
      row.valueCurrency ?? "",
      isNegated ? negateDecimal(decimal(row.value ?? "0")) : (row.value ?? "0"),
      String(row.id),
    ],
  };
}
