import { parseAsset } from "../../core/asset.ts";
import { addDecimals, type Decimal, zero } from "../../core/decimal.ts";
import { isFiat } from "../../core/fiat.ts";
import type { Instant } from "../../core/instant.ts";
import { addDays, dayOf, parseDay, parseTime, startOfDay } from "../../core/period.ts";
import { findZone, utc } from "../../core/zone.ts";
import { createNumberReader } from "./numbers.ts";
import { aliasIn, type Profile, type ProfileFact } from "./profile.ts";
import { createDayFinder, createTimeReader } from "./times.ts";
import { wildcard } from "./wildcard.ts";

/** What the file states about itself, in rows above its header or below its data. */
export interface FileFacts {
  generatedAt: Instant | null;
  periodFrom: Instant | null;
  periodTo: Instant | null;
  rowCount: number | null;
  sums: readonly StatedSum[];
  /** Stated, and not to be read: as good as a total that differs. */
  unreadable: readonly string[];
  /** Rows that the profile requires and the file does not have. */
  missing: readonly string[];
}

export interface StatedSum {
  readonly field: string;
  readonly currency: string;
  readonly amount: Decimal;
}

export interface FactCollector {
  /** Whether the row states a fact rather than a line. */
  take(cells: readonly string[]): boolean;
  facts(): FileFacts;
}

export function createFactCollector(profile: Profile): FactCollector {
  const byFirstCell = new Map(profile.facts.map((fact) => [fact.first_cell.trim().toLowerCase(), fact]));
  const byPattern = profile.facts
    .filter(({ first_cell }) => first_cell.includes("*"))
    .map((fact) => ({ fact, fits: wildcard(fact.first_cell.trim()) }));
  const factOf = (text: string): ProfileFact | undefined =>
    byFirstCell.get(text.toLowerCase()) ?? byPattern.find(({ fits }) => fits(text))?.fact;
  const { time } = profile;
  const readTime = createTimeReader(time);
  const findDays = createDayFinder(time);
  const zone = findZone(time.zone) ?? utc;
  const readNumber = createNumberReader(profile);
  const met = new Set<ProfileFact>();
  const sums = new Map<string, StatedSum>();
  const unreadable: string[] = [];
  const moments: Partial<Record<ProfileFact["gives"], Instant>> = {};
  let rowCount: number | null = null;

  function read(fact: ProfileFact, cells: readonly string[]): boolean {
    const text = (cells[fact.cell - 1] ?? "").trim();
    switch (fact.gives) {
      case "end":
      case "note":
        return true;
      case "generated_at":
      case "period_from":
      case "period_to": {
        const moment = momentIn(text);
        if (moment !== null) moments[fact.gives] = moment;
        return moment !== null;
      }
      case "period_last_day": {
        const moment = momentIn(text);
        if (moment !== null) moments.period_to = startOfDay(addDays(dayOf(moment, zone), 1), zone);
        return moment !== null;
      }
      case "period": {
        const [from, last, ...more] = findDays(text);
        if (from === undefined || last === undefined || more.length > 0 || last < from) return false;
        moments.period_from = from;
        moments.period_to = startOfDay(addDays(dayOf(last, zone), 1), zone);
        return true;
      }
      case "row_count": {
        const count = readNumber(text);
        if (count === null || count.includes(".") || count.startsWith("-")) return false;
        rowCount = Number(count);
        return true;
      }
      case "sum": {
        const amount = readNumber(text);
        const stated = fact.currency_cell === undefined ? fact.currency : cells[fact.currency_cell - 1];
        const currency = currencyOf((stated ?? "").trim());
        if (amount === null || currency === "" || fact.field === undefined) return false;
        const key = `${fact.field} ${currency}`;
        const before = sums.get(key)?.amount ?? zero;
        sums.set(key, { field: fact.field, currency, amount: addDecimals(before, amount) });
        return true;
      }
      default:
        return fact.gives satisfies never;
    }
  }

  /** As the lines have it: what the file says in their column it says here too. */
  function currencyOf(word: string): string {
    const named = aliasIn(profile, word);
    return isFiat(named) ? named.toUpperCase() : parseAsset(named).code;
  }

  /** In the form of the rows, or as people write times anywhere; a day is one of the provider's zone. */
  function momentIn(text: string): Instant | null {
    const day = parseDay(text);
    if (day !== null) return startOfDay(day, zone);
    const moment = parseTime(text) ?? readTime?.(text);
    if (typeof moment === "string") return moment;
    // Rows have an hour, and what is above them often has none.
    const [only = null, ...others] = findDays(text);
    return others.length === 0 ? only : null;
  }

  return {
    take(cells) {
      if (byFirstCell.size === 0) return false;
      const fact = factOf((cells[0] ?? "").trim());
      if (!fact) return false;
      met.add(fact);
      if (!read(fact, cells)) unreadable.push(cells.join(" ").trim());
      return true;
    },
    facts: () => ({
      generatedAt: moments.generated_at ?? null,
      periodFrom: moments.period_from ?? null,
      periodTo: moments.period_to ?? null,
      rowCount,
      sums: [...sums.values()],
      unreadable,
      missing: profile.facts
        .filter((fact) => fact.required && !met.has(fact))
        .map(({ first_cell }) => first_cell),
    }),
  };
}
