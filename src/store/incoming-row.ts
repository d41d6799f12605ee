import type { StatementLine } from "../core/statement-line.ts";

/** One row of a file, read: what it became, or the line that it is to become. */
export interface IncomingRow {
  readonly lineNo: number;
  readonly text: string;
  /** Decided while reading; `null` for a row that becomes a line or meets one. */
  readonly outcome: RowOutcome | null;
  readonly code: string | null;
  readonly field: string | null;
  readonly reason: string | null;
  readonly line: IncomingLine | null;
}

export type RowOutcome = "preamble" | "header" | "blank" | "skipped" | "trailer" | "duplicate" | "rejected";

export interface IncomingLine {
  readonly key: string;
  readonly occurrence: number;
  /** Hex. */
  readonly contentHash: string;
  readonly values: StatementLine;
  /** One JSON object; `null` when the profile maps every column. */
  readonly extra: string | null;
}

// In the order in which they are sent. The name in SQL, its type, and where it stands in a line.
const valueColumns: readonly (readonly [name: string, type: string, of: keyof StatementLine])[] = [
  ["line_type", "text", "lineType"],
  ["side", "text", "side"],
  ["provider_status", "text", "providerStatus"],
  ["status", "text", "status"],
  ["provider_transaction_id", "text", "providerTransactionId"],
  ["our_reference", "text", "ourReference"],
  ["payout_ref", "text", "payoutRef"],
  ["fiat_currency", "text", "fiatCurrency"],
  ["fiat_gross", "numeric", "fiatGross"],
  ["fiat_net", "numeric", "fiatNet"],
  ["asset", "text", "asset"],
  ["network", "text", "network"],
  ["crypto_amount", "numeric", "cryptoAmount"],
  ["fee_total", "numeric", "feeTotal"],
  ["fee_processing", "numeric", "feeProcessing"],
  ["fee_network", "numeric", "feeNetwork"],
  ["fee_partner", "numeric", "feePartner"],
  ["fee_currency", "text", "feeCurrency"],
  ["rate", "numeric", "rate"],
  ["rate_basis", "text", "rateBasis"],
  ["net_amount", "numeric", "netAmount"],
  ["net_currency", "text", "netCurrency"],
  ["category", "text", "category"],
  ["transaction_hash", "text", "transactionHash"],
  ["wallet_address", "text", "walletAddress"],
  ["address_tag", "text", "addressTag"],
  ["created_at", "timestamptz", "createdAt"],
  ["effective_at", "timestamptz", "effectiveAt"],
];

const identityColumns = ["line_key text", "occurrence int", "content_hash bytea", "extra jsonb"] as const;

/** What a line's row in `statement_lines` takes from `incoming`. */
export const lineColumns: readonly string[] = [
  ...identityColumns.map((column) => column.split(" ")[0] ?? ""),
  ...valueColumns.map(([name]) => name),
];

export const incomingColumns: string = [
  "line_no int",
  "outcome text",
  "code text",
  "field text",
  "reason text",
  "original_text text",
  ...identityColumns,
  ...valueColumns.map(([name, type]) => `${name} ${type}`),
].join(", ");

/** Text format of COPY: tabs between columns, `\N` for null. */
export function encodeIncoming(rows: readonly IncomingRow[]): string {
  let text = "";
  for (const row of rows) text += encodeRow(row);
  return text;
}

function encodeRow({ lineNo, text, outcome, code, field, reason, line }: IncomingRow): string {
  // Every text of the line was cut from the row, so when the row has nothing to escape, neither do they.
  const write = special.test(text) ? escaped : plain;
  let encoded = `${lineNo}\t${plain(outcome)}\t${plain(code)}\t${plain(field)}\t${escaped(reason)}\t${write(text)}`;
  if (line === null) return encoded + nothing;
  encoded += `\t${write(line.key)}\t${line.occurrence}\t\\\\x${line.contentHash}\t${escaped(line.extra)}`;
  const { values } = line;
  for (const [, , of] of valueColumns) encoded += `\t${write(values[of])}`;
  return `${encoded}\n`;
}

const nothing = `${"\t\\N".repeat(lineColumns.length)}\n`;
const special = /[\\\t\n\r\b\f\v|]/;

function plain(value: string | null): string {
  return value ?? "\\N";
}

function escaped(value: string | null): string {
  if (value === null) return "\\N";
  return value.replaceAll(/[\\\t\n\r]/g, (character) => escapes[character] ?? character);
}

const escapes: Readonly<Record<string, string>> = { "\\": "\\\\", "\t": "\\t", "\n": "\\n", "\r": "\\r" };
