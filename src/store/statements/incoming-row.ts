import type { StatementLine } from "../../core/statement-line.ts";

/** One row of a file, read: what it became, or the line that it is to become. */
export interface IncomingRow {
  readonly lineNo: number;
  /** The physical line, where rows are counted otherwise: a file of XML may hold all of them in one. */
  readonly placeNo?: number;
  readonly text: string;
  /** Decided while reading; `null` for a row that becomes a line or meets one. */
  readonly outcome: RowOutcome | null;
  readonly code: string | null;
  readonly field: string | null;
  readonly reason: string | null;
  /** Of rows that became or repeat a line. */
  readonly line: IncomingLine | null;
}

export type RowOutcome = "preamble" | "header" | "blank" | "skipped" | "trailer" | "duplicate" | "rejected";

export interface IncomingLine {
  readonly key: string;
  readonly occurrence: number;
  /** Hex. */
  readonly contentHash: string;
  /** The line's own columns, as COPY takes them: kept as text, so that a batch holds no objects. */
  readonly encoded: string;
}

// In the order in which they are sent.
const valueColumns: readonly (readonly [name: string, of: keyof StatementLine])[] = [
  ["line_type", "lineType"],
  ["side", "side"],
  ["provider_status", "providerStatus"],
  ["status", "status"],
  ["provider_transaction_id", "providerTransactionId"],
  ["our_reference", "ourReference"],
  ["payout_ref", "payoutRef"],
  ["fiat_currency", "fiatCurrency"],
  ["fiat_gross", "fiatGross"],
  ["fiat_net", "fiatNet"],
  ["asset", "asset"],
  ["network", "network"],
  ["crypto_amount", "cryptoAmount"],
  ["fee_total", "feeTotal"],
  ["fee_processing", "feeProcessing"],
  ["fee_network", "feeNetwork"],
  ["fee_partner", "feePartner"],
  ["fee_currency", "feeCurrency"],
  ["rate", "rate"],
  ["rate_basis", "rateBasis"],
  ["rate_applies_to", "rateAppliesTo"],
  ["net_amount", "netAmount"],
  ["net_currency", "netCurrency"],
  ["category", "category"],
  ["transaction_hash", "transactionHash"],
  ["wallet_address", "walletAddress"],
  ["address_tag", "addressTag"],
  ["created_at", "createdAt"],
  ["effective_at", "effectiveAt"],
];

/** The columns of `encoded`. */
export const encodedColumns: readonly string[] = [...valueColumns.map(([name]) => name), "extra"];

/** A line's own values in COPY's text format: one text for one content, and so what its hash is taken of. */
export function encodeValues(line: StatementLine, rowText: string): string {
  // Every text of the line was cut from the row, so when the row has nothing to escape, neither do they.
  const write = needsEscape.test(rowText) ? copyText : plain;
  return valueColumns.map(([, of]) => write(line[of])).join("\t");
}

/** A text in COPY's text format: tabs part the columns, `\N` is null. */
export function copyText(value: string | null): string {
  if (value === null) return "\\N";
  if (!needsEscape.test(value)) return value;
  return value.replaceAll(/[\\\t\n\r]/g, (character) => escapes[character] ?? character);
}

function plain(value: string | null): string {
  return value ?? "\\N";
}

const needsEscape = /[\\\t\n\r]/;
const escapes: Readonly<Record<string, string>> = { "\\": "\\\\", "\t": "\\t", "\n": "\\n", "\r": "\\r" };
