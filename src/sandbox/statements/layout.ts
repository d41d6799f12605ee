import { formatInstant } from "../../core/instant.ts";
import { fiatText, type StatementLine } from "./line.ts";
import type { Period } from "./periods.ts";

/** How a provider writes its statement: which columns, which words, and so which mistakes it can make. */
export interface Layout {
  readonly name: string;
  readonly columns: readonly Column[];
  readonly words: (side: "buy" | "sell") => Words;
  /** Holds our transaction id, and so can repeat it or get it wrong. */
  readonly hasReference: boolean;
  readonly hasSide: boolean;
  readonly hasNetwork: boolean;
  readonly hasAddress: boolean;
  /** Tells what the customer of a sell got: it does not where a fee is in another currency than the order. */
  readonly hasNet: boolean;
  /** Says what kind of line it is and which payout it belongs to. */
  readonly hasPayouts: boolean;
  /** States what is owed at the end of a period. */
  readonly hasBalances: boolean;
  /** Names the provider's id of an order; without one, lines are found by our reference or the hash. */
  readonly hasIds: boolean;
  /** A file for each payout, which no line names. */
  readonly byPayout: boolean;
  /** The coin that payouts come in, on chain: their lines carry the hash of the transfer. */
  readonly paysIn?: string;
  readonly form?: Form;
}

/** What stands in a file besides its header and its lines, and between its cells. */
export interface Form {
  readonly delimiter: string;
  readonly preamble?: (request: { provider: string; period: Period }) => readonly (readonly string[])[];
  /** After so many lines: a blank row, or the header again. */
  readonly after?: (lines: number) => readonly ("blank" | "header")[];
  readonly trailer?: (lines: number) => readonly (readonly string[])[];
}

export type Column = readonly [header: string, write: (line: StatementLine) => string];

export interface Words {
  readonly settled: string;
  readonly failed: string;
  /** Where the provider has a word for it. */
  readonly refunded?: string;
}

export const iso = (ms: number) => formatInstant(ms);
export const unixSeconds = (ms: number) => String(Math.floor(ms / 1000));
export const withoutZone = (ms: number) => formatInstant(ms).slice(0, 19).replace("T", " ");
export const withComma = (ms: number) => formatInstant(ms).slice(0, 19).replace("T", ", ");

export const isSell = (line: StatementLine) => line.side === "sell";
export const gross = (line: StatementLine) => fiatText(line, line.gross);
export const networkFee = (line: StatementLine) => fiatText(line, line.networkFee);
export const processingFee = (line: StatementLine) => fiatText(line, line.processingFee);
export const partnerFee = (line: StatementLine) => fiatText(line, line.partnerFee);
export const ownFee = (line: StatementLine) => fiatText(line, line.processingFee - line.partnerFee);
export const totalFee = (line: StatementLine) => fiatText(line, line.processingFee + line.networkFee);
const payoutAmount = (line: StatementLine) =>
  line.payoutAmount === null ? "" : fiatText(line, line.payoutAmount);

export const id = (line: StatementLine) => line.providerTransactionId;
export const reference = (line: StatementLine) => line.reference;
export const status = (line: StatementLine) => line.status;
export const hash = (line: StatementLine) => line.hash;
export const address = (line: StatementLine) => line.address;

/** What finance needs besides the order's own fields; the names of the interfaces have nothing for it. */
export const payoutColumns: readonly Column[] = [
  ["lineType", (line) => line.kind],
  ["payoutId", (line) => line.payoutId],
  ["payoutCurrency", (line) => (line.payoutAmount === null ? "" : line.fiat.code)],
  ["payoutAmount", payoutAmount],
];

export const payoutColumnsInSnakeCase: readonly Column[] = payoutColumns.map(([header, write]) => [
  header.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
  write,
]);

export const everything = {
  hasReference: true,
  hasSide: true,
  hasNetwork: true,
  hasAddress: true,
  hasNet: true,
  hasPayouts: true,
  // Rare: few providers write a ledger.
  hasBalances: false,
  hasIds: true,
  byPayout: false,
};
export const same = (words: Words) => () => words;
