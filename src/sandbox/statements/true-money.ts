import { decimalFromUnits } from "../../core/decimal.ts";
import type { CaseName } from "./cases.ts";
import type { TrueMoney } from "./entry.ts";
import type { StatementLine } from "./line.ts";

/** By how much the lines that were planted for an order differ from it: what the codes that carry money must say. */
export function trueMoney(
  name: CaseName,
  charge: StatementLine,
  lines: readonly StatementLine[],
): TrueMoney | null {
  const [first = charge] = lines;
  const isBuy = charge.side === "buy";
  const fiat = (units: bigint) => ({
    delta: decimalFromUnits(units, charge.fiat.minorUnits),
    currency: charge.fiat.code,
  });
  const crypto = (units: bigint) => ({
    delta: decimalFromUnits(units, charge.asset.decimals),
    currency: charge.asset.code,
  });
  switch (name) {
    case "missing_line":
      return fiat(isBuy ? -charge.gross : -charge.net);
    case "in_amount_off":
      return isBuy ? fiat(first.gross - charge.gross) : crypto(first.crypto - charge.crypto);
    case "out_amount_off":
      return isBuy ? crypto(first.crypto - charge.crypto) : fiat(first.net - charge.net);
    default:
      return null;
  }
}
