import { specifiedName } from "./field-names.ts";
import { parseExactJson } from "./exact-json.ts";

const idCharactersMax = 200;

/**
 * The transaction that an event of the aggregator is about; `null` when it names none. Nothing else of an event is believed:
 * its sender may not be the server of the records.
 */
export function transactionOfEvent(body: string): string | null {
  const data = memberOf(parsed(body), "data");
  const id = memberOf(data, specifiedName("transactionId"));
  if (typeof id !== "string" || id.includes("\0") || id.length > idCharactersMax) return null;
  return id === "" ? null : id;
}

function parsed(body: string): unknown {
  try {
    return parseExactJson(body);
  } catch {
    return null;
  }
}

function memberOf(value: unknown, name: string): unknown {
  if (typeof value !== "object" || value === null || !Object.hasOwn(value, name)) return undefined;
  return (value as Record<string, unknown>)[name];
}
