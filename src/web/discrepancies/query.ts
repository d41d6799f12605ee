import { counted } from "../../core/counted.ts";
import { problem } from "../../api/problem.ts";
import { discrepancyCodes } from "../../core/discrepancy-codes.ts";
import { parseDecimal } from "../../core/decimal.ts";
import { bookedCode } from "../../core/fiat.ts";
import { type DiscrepancyFilters, discrepancySorts } from "../../store/books/discrepancy-reads.ts";
import { filtersIn } from "../address.ts";
import { codeWords } from "../parts/discrepancy.tsx";

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
  if (owner !== null) filters.owner = owner === "unassigned" ? null : owner;
  const min = wholeNumber(address, "age_min", 5);
  const max = wholeNumber(address, "age_max", 5);
  if (min !== null) filters.ageDaysMin = min;
  if (max !== null) filters.ageDaysMax = max;
  const [value, currency] = [address.get("value_min"), address.get("currency")];
  if (value !== null || currency !== null) filters.value = readValue(value, currency);
  const statementId = wholeNumber(address, "statement", 15);
  if (statementId !== null) filters.statementId = statementId;
  const payoutId = wholeNumber(address, "payout", 15);
  if (payoutId !== null) filters.payoutId = payoutId;
  const sort = discrepancySorts.find((name) => name === address.get("sort"));
  if (sort !== undefined) filters.sort = sort;
  return filters;
}

/** The same question to the API, which makes the workbook. */
export function toApiQuery(address: URLSearchParams): URLSearchParams {
  const query = new URLSearchParams();
  for (const [name, value] of address) {
    const parameter = apiNames[name];
    if (parameter !== undefined) query.append(parameter.name, parameter.spell?.(value) ?? value);
  }
  if (address.get("show") === "closed" && !query.has("state")) query.set("state", closedStates.join(","));
  return query;
}

const apiNames: Readonly<Record<string, { name: string; spell?: (value: string) => string } | undefined>> = {
  account: { name: "account" },
  provider: { name: "provider", spell: (name) => name.toLowerCase() },
  code: { name: "code" },
  level: { name: "level" },
  state: { name: "state" },
  owner: { name: "owner", spell: (name) => (name === "unassigned" ? "none" : name) },
  age_min: { name: "age_days[gte]" },
  age_max: { name: "age_days[lte]" },
  value_min: { name: "value[gte]" },
  currency: { name: "value_currency", spell: bookedCode },
  statement: { name: "statement", spell: (id) => `stm_${id}` },
  payout: { name: "payout", spell: (id) => `po_${id}` },
  sort: { name: "sort" },
};

/** What an address narrows the queue to, for people: one decision about many is made with it in sight. */
export function filterWords(address: URLSearchParams): string {
  const words = [...address].flatMap(([name, value]) => {
    const say = sayings[name];
    return say === undefined ? [] : [say(value)];
  });
  const which = address.get("show") === "closed" ? "all that are closed" : "all that are open";
  return words.length === 0 ? which : words.join(", ");
}

const sayings: Readonly<Record<string, ((value: string) => string) | undefined>> = {
  account: (name) => `account ${name}`,
  provider: (name) => `of ${name}`,
  code: codeWords,
  level: (level) => `${level}s`,
  state: codeWords,
  owner: (name) => (name === "unassigned" ? "unassigned" : `owned by ${name}`),
  age_min: (days) => `${counted(Number(days), "day")} old or older`,
  age_max: (days) => `${counted(Number(days), "day")} old at most`,
  value_min: (amount) => `of ${amount} or more`,
  currency: (code) => `in ${code}`,
  statement: (id) => `in statement stm_${id}`,
  payout: (id) => `in payout po_${id}`,
};

/** A currency alone: whatever has a value in it, as over the API. */
function readValue(text: string | null, currency: string | null) {
  const min = text === null ? undefined : parseDecimal(text);
  if (min === null)
    throw problem(
      "invalid_parameter",
      `value_min is not an amount: use digits and a point, for example 100.5.`,
    );
  if (currency === null) {
    throw problem(
      "invalid_parameter",
      "A value needs its currency: amounts of different currencies cannot be compared.",
    );
  }
  return { min, currency: bookedCode(currency) };
}

function wholeNumber(address: URLSearchParams, name: string, digitsMax: number): number | null {
  const text = address.get(name);
  if (text === null) return null;
  if (!/^\d+$/.test(text) || text.length > digitsMax) {
    throw problem("invalid_parameter", `${name} is not a whole number.`);
  }
  return Number(text);
}
