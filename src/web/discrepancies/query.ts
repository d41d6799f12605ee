import { problem } from "../../api/problem.ts";
import { discrepancyCodes } from "../../core/discrepancy-codes.ts";
import { parseDecimal } from "../../core/decimal.ts";
import { isFiat } from "../../core/fiat.ts";
import type { DiscrepancyFilters } from "../../store/books/discrepancy-reads.ts";
import { filtersIn } from "../address.ts";

export const codeNames = Object.keys(discrepancyCodes);
export const openStates = ["open", "investigating"];
export const closedStates = ["resolved", "written_off"];

/** What the address of the work queue says. */
export function readDiscrepancyFilters(address: URLSearchParams): DiscrepancyFilters {
  const filters: DiscrepancyFilters = {
    open: address.get("show") !== "closed",
    ...filtersIn(address, "account", "provider", "code", "level", "state"),
  };
  const owner = address.get("owner");
  if (owner !== null) filters.owner = owner === "nobody" ? null : owner;
  const min = wholeNumber(address, "age_min");
  const max = wholeNumber(address, "age_max");
  if (min !== null) filters.ageDaysMin = min;
  if (max !== null) filters.ageDaysMax = max;
  const value = address.get("value_min");
  if (value !== null) filters.value = readValue(value, address.get("currency"));
  return filters;
}

function readValue(text: string, currency: string | null) {
  const min = parseDecimal(text);
  if (min === null)
    throw problem("invalid_parameter", `value_min is no amount: use digits and a point, for example 100.5.`);
  if (currency === null) {
    throw problem(
      "invalid_parameter",
      "A value needs its currency: amounts of different currencies cannot be compared.",
    );
  }
  // Fiat codes are kept in capitals, whatever people type.
  return { min, currency: isFiat(currency) ? currency.toUpperCase() : currency };
}

function wholeNumber(address: URLSearchParams, name: string): number | null {
  const text = address.get(name);
  if (text === null) return null;
  if (!/^\d{1,5}$/.test(text)) throw problem("invalid_parameter", `${name} is no number of days.`);
  return Number(text);
}
