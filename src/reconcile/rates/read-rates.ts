import { compareDecimals, decimal, multiplyDecimals, parseDecimal, zero } from "../../core/decimal.ts";
import { TieoutError } from "../../core/errors.ts";
import { bookedCode } from "../../core/fiat.ts";
import type { RateToKeep } from "../../store/fees/rates.ts";
import { readTable } from "../read-table.ts";

/** The European Central Bank quotes every currency for one euro. */
const ecb = { base: "EUR", source: "ECB" } as const;
const plainColumns = ["date", "base", "quote", "rate", "source"];
const problemsShownMax = 20;

/**
 * Rates of exchange from a file: the reference rates of the European Central Bank as it publishes them, or a plain table of
 * date, base, quote, rate and source. All problems are reported at once, and then nothing is imported.
 */
export function readRates(text: string, fileName: string): RateToKeep[] {
  const table = readTable(text);
  if ("problem" in table) throw invalid(fileName, [table.problem]);
  const { header, rows } = table;
  const columns = new Map(header.map((name) => [name.toLowerCase(), name]));
  const missing = plainColumns.filter((name) => !columns.has(name));
  if (missing.length > 0 && header[0] === "Date") return readEcb(header, rows, fileName);
  if (missing.length > 0)
    throw invalid(fileName, [
      `there is no column ${missing.join(", ")}; expected ${plainColumns.join(",")}, or the ECB's Date,USD,JPY,…`,
    ]);
  const problems: string[] = [];
  const rates = rows.map((row, index): RateToKeep => {
    const at = `line ${index + 2}`;
    const word = (name: string) => row[columns.get(name) ?? ""] ?? "";
    const rate = {
      day: dayOf(word("date")) ?? "",
      base: bookedCode(word("base")),
      quote: bookedCode(word("quote")),
      rate: positive(word("rate")) ?? "",
      source: word("source"),
    };
    if (rate.day === "") problems.push(`${at} date: "${word("date")}" is not a day, such as 2026-10-31`);
    for (const name of ["base", "quote"] as const)
      if (!isCode(rate[name])) problems.push(`${at} ${name}: "${word(name)}" is not a currency, such as EUR`);
    if (rate.base === rate.quote) problems.push(`${at}: base and quote are the same`);
    if (rate.rate === "") problems.push(`${at} rate: "${word("rate")}" is not an amount above 0`);
    if (rate.source === "") problems.push(`${at} source: say who states it`);
    return rate;
  });
  if (problems.length === 0) problems.push(...contradictions(rates));
  if (problems.length > 0) throw invalid(fileName, problems);
  return rates;
}

/** What one source says of a day in two ways that cannot both be so: which one counted would be a matter of luck. */
export function contradictions(rates: readonly RateToKeep[]): string[] {
  const stated = new Map<string, RateToKeep>();
  return rates.flatMap((each) => {
    const { day, base, quote, rate, source } = each;
    const key = (from: string, to: string) => JSON.stringify([day, from, to, source]);
    const same = stated.get(key(base, quote));
    const inverse = stated.get(key(quote, base));
    stated.set(key(base, quote), each);
    if (same !== undefined && compareDecimals(decimal(same.rate), decimal(rate)) !== 0) {
      return [`${day} ${base} in ${quote}: ${source} states ${same.rate} and ${rate}`];
    }
    if (inverse === undefined || isInverse(rate, inverse.rate)) return [];
    return [`${day} ${base} in ${quote}: ${source} states ${rate}, and ${inverse.rate} the other way round`];
  });
}

/** Buying and selling differ by a few percent. */
function isInverse(rate: string, other: string): boolean {
  const product = multiplyDecimals(decimal(rate), decimal(other));
  return compareDecimals(product, decimal("0.9")) > 0 && compareDecimals(product, decimal("1.1")) < 0;
}

/** One row a day, a column for each currency; N/A where there was none. */
function readEcb(
  header: readonly string[],
  rows: readonly Record<string, string>[],
  fileName: string,
): RateToKeep[] {
  const problems: string[] = [];
  const quotes = header.slice(1);
  for (const quote of quotes)
    if (!isCode(quote) || quote === ecb.base)
      problems.push(`line 1: "${quote}" is not a currency that is quoted for one ${ecb.base}, such as USD`);
  const rates = rows.flatMap((row, index) => {
    const day = dayOf(row["Date"] ?? "");
    if (day === null) problems.push(`line ${index + 2}: "${row["Date"]}" is not a day, such as 2026-10-31`);
    return quotes.flatMap((quote): RateToKeep[] => {
      const cell = row[quote] ?? "";
      if (cell === "" || cell === "N/A") return [];
      const rate = positive(cell);
      if (rate === null) problems.push(`line ${index + 2} ${quote}: "${cell}" is not an amount above 0`);
      return [{ ...ecb, day: day ?? "", quote, rate: rate ?? "" }];
    });
  });
  if (problems.length === 0) problems.push(...contradictions(rates));
  if (problems.length > 0) throw invalid(fileName, problems);
  return rates;
}

const isCode = (text: string) => /^[A-Za-z0-9]{2,12}$/.test(text);

function positive(text: string): string | null {
  const parsed = parseDecimal(text);
  return parsed !== null && compareDecimals(parsed, zero) > 0 ? parsed : null;
}

const months = "January February March April May June July August September October November December".split(
  " ",
);

/** `2026-10-31`, or `31 October 2026` as the ECB's file of one day has it. */
function dayOf(text: string): string | null {
  const words = /^(\d{1,2}) ([A-Z][a-z]+) (\d{4})$/.exec(text);
  const month = words ? months.indexOf(words[2] ?? "") + 1 : 0;
  const iso = words
    ? `${words[3]}-${String(month).padStart(2, "0")}-${(words[1] ?? "").padStart(2, "0")}`
    : text;
  if (!/^\d{4}-(0[1-9]|1[0-2])-\d{2}$/.test(iso)) return null;
  // The engine reads 30 February as 2 March; going back shows it.
  const back = new Date(`${iso}T00:00:00Z`);
  return !Number.isNaN(back.getTime()) && back.toISOString().startsWith(iso) ? iso : null;
}

function invalid(fileName: string, problems: readonly string[]): TieoutError {
  const more = problems.length > problemsShownMax ? `\n… and ${problems.length - problemsShownMax} more` : "";
  return new TieoutError(
    "rates_invalid",
    `${fileName}: ${problems.slice(0, problemsShownMax).join("\n")}${more}`,
  );
}
