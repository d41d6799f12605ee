/**
 * The identity of a line and of its content. content_hash, version 1: SHA-256 over the UTF-8 bytes of `1`, a tab, and
 * the mapped values in the order of `encodeValues`, parted by tabs, as Postgres writes them in COPY's text format
 * (`\\N` where there is none). Unmapped columns and spelling (1.0 and 1.00, another time zone) make no difference.
 */
import { hash } from "node:crypto";
import { isStated, type StatementLine } from "../../core/statement-line.ts";
import type { Field, Profile } from "./profile.ts";

/**
 * 2: a fee, a credit or a debit that earlier versions read as zero or with the wrong sign is read right, or refused.
 * 3: nothing is owed for an order that moved no money, unless the row says so itself; a share of something is not an amount.
 */
export const parserVersion = 3;

export interface LineIdentity {
  /** `null` when the columns that identify a line are empty. */
  readonly key: string | null;
  /** Hex. */
  readonly contentHash: string;
  /** Whether equal rows of one file are as many lines, and not one. */
  readonly isCounted: boolean;
}

/** `lineId` is the provider's own id of the row, where the file has one. */
export function createIdentifier({
  identity,
}: Profile): (line: StatementLine, encodedValues: string, lineId: string | null) => LineIdentity {
  return (line, encodedValues, lineId) => {
    const contentHash = hash("sha256", `1\t${encodedValues}`, "hex");
    const isCounted = identity.mode === "counted" || (isRelating(line) && lineId === null);
    if (identity.mode === "counted") return { key: contentHash, contentHash, isCounted };
    const key = isCounted ? `${line.lineType}|${contentHash}` : uniqueKey(identity, line, lineId);
    return { key, contentHash, isCounted };
  };
}

/** One order may have several refunds or fees, and nothing but an id of their own tells two equal ones apart. */
function isRelating({ lineType }: StatementLine): boolean {
  return lineType !== "charge" && lineType !== "payout" && !isStated(lineType);
}

type UniqueIdentity = Extract<Profile["identity"], { mode: "unique" }>;

/** Of a stated figure there is one at each time in each currency: a later file that states another corrects it. */
function uniqueKey(identity: UniqueIdentity, line: StatementLine, lineId: string | null): string | null {
  if (line.lineType === "payout") return payoutKey(line);
  if (isStated(line.lineType)) return `${line.lineType}|${line.effectiveAt}|${line.netCurrency ?? ""}`;
  const columns = isRelating(line) ? relatingColumns : identity.columns;
  let key = "";
  for (const field of columns) {
    const value = field === "line_id" ? lineId : valueOf(line, field);
    if (value === null) return null;
    key += key === "" ? escaped(value) : `|${escaped(value)}`;
  }
  // Beyond this an index could not hold it.
  return key.length > keyCharsMax ? hash("sha256", key, "hex") : key;
}

const relatingColumns: readonly Field[] = ["line_type", "line_id"];
const keyCharsMax = 600;

/** One reference may be paid out in several currencies: each is a payout of its own. */
function payoutKey({ providerTransactionId, payoutRef, netCurrency }: StatementLine): string | null {
  const reference = providerTransactionId ?? payoutRef;
  return reference === null ? null : `payout|${escaped(comparableId(reference))}|${netCurrency ?? ""}`;
}

function valueOf(line: StatementLine, field: Field): string | null {
  const name = identifying[field];
  const value = name === undefined ? null : line[name];
  return value === null ? null : comparableId(value);
}

const identifying: Partial<Record<Field, keyof StatementLine>> = {
  line_type: "lineType",
  side: "side",
  provider_transaction_id: "providerTransactionId",
  our_reference: "ourReference",
  payout_ref: "payoutRef",
  category: "category",
  transaction_hash: "transactionHash",
  created_at: "createdAt",
  effective_at: "effectiveAt",
  fiat_currency: "fiatCurrency",
  net_currency: "netCurrency",
};

export const identifyingFields: readonly Field[] = ["line_id", ...(Object.keys(identifying) as Field[])];

/** A UUID is a number: one export prints it in capitals, the next does not. */
function comparableId(id: string): string {
  return uuidForm.test(id) ? id.toLowerCase() : id;
}

const uuidForm = /^[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$/;

function escaped(value: string): string {
  return /[|\\]/.test(value) ? value.replaceAll(/[|\\]/g, "\\$&") : value;
}
