import { decimal } from "../../core/decimal.ts";
import type { Fiat } from "./types.ts";

const keptAtHome: ReadonlySet<string> = new Set(
  "INR IDR MYR PHP VND TWD KRW BRL ARS CLP COP PEN NGN KES GHS UGX".split(" "),
);
const notPaidOut: ReadonlySet<string> = new Set("ISK KWD BHD JOD ARS UGX".split(" "));

/** ISO 4217 code, name, symbol, minor units, US dollars for one unit, swing in millionths. */
export const fiats: readonly Fiat[] = [
  fiat("USD", "US Dollar", "$", 2, "1", 0),
  fiat("EUR", "Euro", "€", 2, "1.085", 25_000),
  fiat("GBP", "Pound Sterling", "£", 2, "1.272", 25_000),
  fiat("CHF", "Swiss Franc", "CHF", 2, "1.128", 20_000),
  fiat("JPY", "Japanese Yen", "¥", 0, "0.00672", 40_000),
  fiat("AUD", "Australian Dollar", "A$", 2, "0.661", 30_000),
  fiat("CAD", "Canadian Dollar", "C$", 2, "0.729", 20_000),
  fiat("NZD", "New Zealand Dollar", "NZ$", 2, "0.608", 30_000),
  fiat("SEK", "Swedish Krona", "kr", 2, "0.0952", 30_000),
  fiat("NOK", "Norwegian Krone", "kr", 2, "0.0934", 30_000),
  fiat("DKK", "Danish Krone", "kr", 2, "0.1454", 25_000),
  fiat("ISK", "Icelandic Króna", "kr", 0, "0.00724", 25_000),
  fiat("PLN", "Polish Złoty", "zł", 2, "0.2521", 30_000),
  fiat("CZK", "Czech Koruna", "Kč", 2, "0.0431", 30_000),
  fiat("HUF", "Hungarian Forint", "Ft", 2, "0.00276", 35_000),
  fiat("RON", "Romanian Leu", "lei", 2, "0.2181", 25_000),
  fiat("TRY", "Turkish Lira", "₺", 2, "0.0305", 40_000),
  fiat("ILS", "Israeli New Shekel", "₪", 2, "0.2694", 35_000),
  fiat("AED", "UAE Dirham", "د.إ", 2, "0.2723", 0),
  fiat("SAR", "Saudi Riyal", "﷼", 2, "0.2666", 0),
  fiat("KWD", "Kuwaiti Dinar", "KD", 3, "3.262", 5_000),
  fiat("BHD", "Bahraini Dinar", "BD", 3, "2.652", 0),
  fiat("JOD", "Jordanian Dinar", "JD", 3, "1.41", 0),
  fiat("INR", "Indian Rupee", "₹", 2, "0.01194", 15_000),
  fiat("IDR", "Indonesian Rupiah", "Rp", 2, "0.0000624", 25_000),
  fiat("MYR", "Malaysian Ringgit", "RM", 2, "0.2143", 30_000),
  fiat("PHP", "Philippine Peso", "₱", 2, "0.01742", 25_000),
  fiat("THB", "Thai Baht", "฿", 2, "0.02795", 30_000),
  fiat("VND", "Vietnamese Dong", "₫", 0, "0.0000398", 12_000),
  fiat("SGD", "Singapore Dollar", "S$", 2, "0.745", 15_000),
  fiat("HKD", "Hong Kong Dollar", "HK$", 2, "0.1281", 2_000),
  fiat("TWD", "New Taiwan Dollar", "NT$", 2, "0.0309", 20_000),
  fiat("KRW", "South Korean Won", "₩", 0, "0.000726", 35_000),
  fiat("BRL", "Brazilian Real", "R$", 2, "0.1794", 40_000),
  fiat("MXN", "Mexican Peso", "MX$", 2, "0.0534", 40_000),
  fiat("ARS", "Argentine Peso", "AR$", 2, "0.00106", 40_000),
  fiat("CLP", "Chilean Peso", "CLP$", 0, "0.00107", 35_000),
  fiat("COP", "Colombian Peso", "COL$", 2, "0.000243", 35_000),
  fiat("PEN", "Peruvian Sol", "S/", 2, "0.2672", 20_000),
  fiat("ZAR", "South African Rand", "R", 2, "0.0551", 40_000),
  fiat("NGN", "Nigerian Naira", "₦", 2, "0.000625", 40_000),
  fiat("KES", "Kenyan Shilling", "KSh", 2, "0.00775", 20_000),
  fiat("GHS", "Ghanaian Cedi", "GH₵", 2, "0.0638", 40_000),
  fiat("UGX", "Ugandan Shilling", "USh", 0, "0.000269", 20_000),
];

function fiat(
  code: string,
  name: string,
  symbol: string,
  minorUnits: number,
  usd: string,
  swingPpm: number,
): Fiat {
  return {
    id: code.toLowerCase(),
    code,
    name,
    symbol,
    minorUnits,
    usd: decimal(usd),
    swingPpm,
    homeOnly: keptAtHome.has(code),
    paysOut: !notPaidOut.has(code),
  };
}
