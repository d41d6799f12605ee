import type { TransactionRecord } from "../core/transaction.ts";
import type { HashedRecord, PageToRecord, RejectedRecord } from "../store/transactions/record-page.ts";
import { rejectRecord } from "./page.ts";

/**
 * What the tables look up must fit their indexes (2,704 bytes an entry, after compression). Whether the database takes
 * a longer text depends on how well it compresses, and on whether its record is the latest; so the limit is ours, the
 * same for every record in every order. No real id or address comes near it.
 */
const idBytesMax = 600;
/** A partner's own text may be longer. With an id beside it, it still fits one entry. */
const referenceBytesMax = 1_900;

const idFields = [
  "transactionId",
  "provider",
  "providerTransactionId",
  "transactionHash",
  "walletAddress",
  // Reconciliation looks up what each word means.
  "sourceCurrency",
  "targetCurrency",
] as const satisfies readonly (keyof TransactionRecord)[];

/** Moves records with an overlong id to the rejections, before the database sees them. */
export function setAsideOverlong(page: PageToRecord): PageToRecord {
  const records: HashedRecord[] = [];
  const overlong: RejectedRecord[] = [];
  for (const one of page.records) {
    const field = overlongField(one.record);
    if (field === null) records.push(one);
    else overlong.push(rejectRecord({ reason: "id_too_long", field, raw: JSON.stringify(one.record) }));
  }
  return overlong.length === 0 ? page : { ...page, records, rejections: [...page.rejections, ...overlong] };
}

function overlongField(record: TransactionRecord): string | null {
  const field = idFields.find((name) => isLonger(record[name], idBytesMax));
  if (field !== undefined) return field;
  return isLonger(record.extra, referenceBytesMax) && isLonger(referenceOf(record), referenceBytesMax)
    ? "partnerContext"
    : null;
}

function isLonger(text: string | null, bytesMax: number): boolean {
  // A character has at most three bytes for each unit of its length, so most texts need not be measured.
  return text !== null && text.length * 3 > bytesMax && Buffer.byteLength(text) > bytesMax;
}

/** The reference as the index sees it, or a text somewhat longer: Postgres writes objects with a space here and there. */
function referenceOf(record: TransactionRecord): string | null {
  const { partnerContext } = JSON.parse(record.extra) as { partnerContext?: unknown };
  if (partnerContext === undefined || typeof partnerContext === "string") return partnerContext ?? null;
  return JSON.stringify(partnerContext, null, 1);
}
