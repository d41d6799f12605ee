/** The names under which the fields of a transaction record have been seen, and which of several to believe. */
import type { StatedField } from "../core/record-fields.ts";
import { writeExactJson } from "./exact-json.ts";

/** What the record states of itself; the other fields we do not know by name. */
export type NamedField = Exclude<StatedField, "extra">;

/** The specification's name of each field, then its other names, the most trusted first. */
const namesOf = {
  transactionId: ["transactionId", "TxId"],
  status: ["status"],
  statusDate: ["statusDate"],
  transactionType: ["transactionType", "txType"],
  provider: ["onramp", "gatewayIdentifier"],
  providerTransactionId: ["onrampTransactionId", "externalTransactionId"],
  paymentMethod: ["paymentMethod"],
  country: ["country"],
  sourceCurrency: ["sourceCurrency"],
  inAmount: ["inAmount"],
  targetCurrency: ["targetCurrency"],
  outAmount: ["outAmount"],
  transactionHash: ["transactionHash", "txHash"],
  walletAddress: ["walletAddress", "wallet"],
  apiKey: ["apiKey"],
} as const satisfies Record<NamedField, readonly [string, ...string[]]>;

/** As the specification spells it. */
export function specifiedName(field: NamedField): string {
  return namesOf[field][0];
}

// Not in the specification, but seen in practice: kept in `extra` under one name, so that the letter case makes no difference.
const extraNames = ["partnerContext", "partnerFee", "statusReason", "isRecurringPayment", "sk"];
const extraAliases = [["info", "statusReason"]] as const;

interface Place {
  /** As the specification spells it. */
  readonly field: string;
  readonly known: boolean;
  /** Lower is more trusted, when a record has one field under several names. */
  readonly trust: number;
}

const placeOf = new Map<string, Place>();
for (const names of Object.values(namesOf)) {
  const [field] = names;
  for (const [trust, name] of names.entries()) placeOf.set(name.toLowerCase(), { field, known: true, trust });
}
for (const field of extraNames) placeOf.set(field.toLowerCase(), { field, known: false, trust: 0 });
for (const [alias, field] of extraAliases) placeOf.set(alias, { field, known: false, trust: 1 });
// The right spelling once more, as it stands: most names are found without folding their letters.
for (const place of Array.from(placeOf.values())) if (place.trust === 0) placeOf.set(place.field, place);

/**
 * Parts a record into its known fields and the rest. Of several names for one field the most trusted that is filled
 * counts; another that says the same is dropped, and one that says something else stays in `extra` under its own name.
 */
export function sortFields(raw: Record<string, unknown>): {
  known: (field: NamedField) => unknown;
  extra: Map<string, unknown>;
} {
  const names = Object.keys(raw);
  const extra = new Map<string, unknown>();
  // Nearly every record: each field under its own name, and so no two of them for one.
  if (names.every(isRightlySpelled)) {
    for (const name of names) if (!placeFor(name).known) extra.set(name, raw[name]);
    return { known: (field) => raw[specifiedName(field)], extra };
  }
  const known = new Map<string, unknown>();
  for (const name of inOrderOfTrust(names)) {
    const value = raw[name];
    const { field, known: isKnown } = placeFor(name);
    const fields = isKnown ? known : extra;
    if (!fields.has(field)) fields.set(field, value);
    else if (isFilled(value)) {
      const held = fields.get(field);
      if (!isFilled(held)) fields.set(field, value);
      else if (!saysTheSame(held, value)) extra.set(name, value);
    }
  }
  return { known: (field) => known.get(specifiedName(field)), extra };
}

/** Whether a field says anything: `""`, null, absent and the text `null` are all written for "nothing". */
export function isFilled(value: unknown): boolean {
  return value !== undefined && value !== null && value !== "" && value !== "null";
}

/** By trust and then by spelling, never by position: the order of keys says nothing. */
function inOrderOfTrust(names: string[]): string[] {
  return names.toSorted(
    (a, b) =>
      placeFor(a).trust - placeFor(b).trust ||
      Number(isRightlySpelled(b)) - Number(isRightlySpelled(a)) ||
      (a < b ? -1 : 1),
  );
}

function isRightlySpelled(name: string): boolean {
  return placeFor(name).field === name;
}

function placeFor(name: string): Place {
  return placeOf.get(name) ?? placeOf.get(name.toLowerCase()) ?? { field: name, known: false, trust: 0 };
}

function saysTheSame(a: unknown, b: unknown): boolean {
  return a === b || writeExactJson(a) === writeExactJson(b);
}
