import type { Decimal } from "./decimal.ts";
import type { Instant } from "./instant.ts";

/** The forms in which banks and wallets say what arrived. */
export const receiptFormats = ["camt053", "mt940", "bai2", "ofx", "csv", "chain_csv"] as const;
export type ReceiptFormat = (typeof receiptFormats)[number];

/** One movement on a bank account or a wallet, whatever form it was told in. */
export interface ReceiptLine {
  readonly bankAccount: string;
  /** `2026-10-24` */
  readonly valueDate: string;
  readonly bookingDate: string | null;
  /** From when the money is there. */
  readonly effectiveAt: Instant;
  /** Never negative. */
  readonly amount: Decimal;
  readonly currency: string;
  readonly direction: "credit" | "debit";
  /** The bank takes an earlier booking back. The direction is that of this booking. */
  readonly isReversal: boolean;
  readonly reference: string | null;
  readonly endToEndId: string | null;
  /** The bank's own number of the booking. */
  readonly bankReference: string | null;
  readonly hash: string | null;
  readonly remittance: string | null;
  readonly counterparty: string | null;
  /** Already taken off the amount by the bank. */
  readonly charges: Decimal;
  readonly originalAmount: Decimal | null;
  readonly originalCurrency: string | null;
  /** Every name by which a payout may be found, in comparable form. */
  readonly keys: readonly string[];
}

/**
 * A name as it is compared: letters and digits only, in capitals, because banks drop hyphens, break lines and print
 * everything in capitals. `null` where too little is left to name anything. `tieout.comparable_name` in SQL is the same.
 */
export function comparableName(text: string): string | null {
  const name = text
    .replace(/^0[xX](?=[0-9a-fA-F]{40,}$)/, "")
    .replaceAll(/[^A-Za-z0-9]/g, "")
    .toUpperCase();
  return name.length < nameCharsMin || noNames.has(name) ? null : name;
}

const nameCharsMin = 4;
/** What banks print where there is no reference. */
const noNames: ReadonlySet<string> = new Set(["NOTPROVIDED", "NONREF", "NONE", "NULL", "UNKNOWN"]);

export function isNoName(text: string): boolean {
  return noNames.has(text.toUpperCase());
}

/** In free text a name has to look like one: a word or a year alone proves nothing. */
const textNameCharsMin = 6;
const wordsMax = 400;

/**
 * The names in what a bank prints: of fields for a reference, as a whole, and of free text and these fields, in which one may
 * stand between other words, behind a label (`/EREF/…`), or broken at the end of a line. `pieces` are the parts of the text as
 * the bank has cut it.
 */
export function namesIn(fields: readonly (string | null)[], pieces: readonly string[]): string[] {
  const names = new Set<string>();
  for (const field of fields) {
    const name = field === null ? null : comparableName(field);
    if (name !== null) names.add(name);
    for (const word of (field ?? "").split(/\s+/, wordsMax)) addWord(names, word);
  }
  const texts = pieces.length > 1 ? [pieces.join(" "), pieces.join("")] : pieces;
  for (const text of texts) for (const word of text.split(/\s+/, wordsMax)) addWord(names, word);
  for (const word of wordsAcross(pieces)) addWord(names, word);
  return [...names].toSorted();
}

/** Words broken between two pieces or more, where another word begins with the piece after them. */
function* wordsAcross(pieces: readonly string[]): Generator<string> {
  if (pieces.length < 3) return;
  const words = pieces.map((piece) => piece.split(/\s+/));
  for (let from = 0; from < words.length - 1; from++) {
    let word = words[from]?.at(-1) ?? "";
    for (const [start = "", ...others] of words.slice(from + 1, from + 1 + piecesOfWordMax)) {
      word += start;
      yield word;
      if (others.length > 0) break;
    }
  }
}

/** A name of 80 characters in pieces of 27. */
const piecesOfWordMax = 3;

function addWord(names: Set<string>, word: string): void {
  addFromText(names, word);
  if (/[/:;,+?|=]/.test(word)) {
    for (const part of word.split(/[/:;,+?|=]+/, wordsMax)) addFromText(names, part);
  }
}

function addFromText(names: Set<string>, word: string): void {
  if (word.length < textNameCharsMin || !/\d/.test(word)) return;
  const name = comparableName(word);
  if (name !== null && name.length >= textNameCharsMin) names.add(name);
}

/** Why rules ended a match, for people. */
const endings: Readonly<Record<string, string>> = {
  line_withdrawn: "the bank's file was withdrawn",
  line_superseded: "the bank has restated the line",
  payout_withdrawn: "no file in force declared the payout",
  figures_changed: "its figures changed",
  no_longer_found: "the line no longer names the payout",
};

/** Why a match of a bank line ended: in the person's own words, where it was one. */
export function endingWords(match: { endedBy: string | null; endedReason: string | null }): string {
  const reason = match.endedReason ?? "";
  return match.endedBy === "rules" ? (endings[reason] ?? reason) : reason;
}
