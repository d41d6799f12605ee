import { minorUnits } from "../core/asset.ts";
import type { Decimal } from "../core/decimal.ts";
import { sumByCurrency } from "../core/sum-by-currency.ts";
import { shortAmount } from "../web/format.ts";

/** `1,234.50`: whole, grouped for the eye, with at least the minor units of its currency. */
export function money(amount: Decimal, currency: string): string {
  const [whole = "0", places = ""] = amount.split(".");
  const shown = places.padEnd(minorUnits(currency), "0");
  const grouped = whole.replaceAll(/\B(?=(\d{3})+$)/g, ",");
  return shown === "" ? grouped : `${grouped}.${shown}`;
}

/** `1,234.50 EUR, 0.12345678… BTC`: a sum for each currency, with as many decimals as on the page. */
export function moneyByCurrency(amounts: readonly { currency: string; amount: string }[]): string {
  return sumByCurrency(amounts)
    .map(({ currency, amount }) => {
      const { whole, fraction } = shortAmount(amount, currency);
      // The page's minus is a sign of its own, which a terminal's other amounts do not have.
      return `${whole.replace("−", "-")}${fraction} ${currency}`;
    })
    .join(", ");
}
