import { setImmediate } from "node:timers/promises";
import { type ReceiptFormat, receiptFormats } from "../../core/receipt-line.ts";
import { decodeHead, detectEncoding, isMadeIntoText, jsonEncoding } from "../statement/decode.ts";
import { firstLines } from "../statement/recognise-layout.ts";
import { FileProblemError, unreadable } from "../statement/refusal.ts";
import { createBai2Reader } from "./bai2.ts";
import { createCamt053Reader } from "./camt053.ts";
import { createCsvReader, type GivenForFile } from "./csv.ts";
import { builtInCsvProfiles, type CsvProfile } from "./csv-profile.ts";
import { createMt940Reader } from "./mt940.ts";
import { createOfxReader } from "./ofx.ts";
import type { ReceiptReader, ReceiptRow } from "./reader.ts";

/** What a file is: all that has to be known to read it again in the same way. */
export interface RecognisedFile {
  readonly format: ReceiptFormat;
  readonly profile: CsvProfile | null;
  readonly encoding: string;
}

export interface AskedForm {
  readonly format: ReceiptFormat | null;
  readonly profileName: string | null;
  /** A profile of the user's own. */
  readonly profile?: CsvProfile | null;
  readonly encoding: string | null;
  readonly given: GivenForFile;
}

export async function recogniseFile(head: Buffer, asked: AskedForm): Promise<RecognisedFile> {
  const encoding = detectEncoding(
    head,
    asked.encoding === null
      ? statedEncoding(head)
      : knownEncoding(asked.encoding, "its encoding is given as"),
  );
  if (isMadeIntoText(encoding)) {
    const what = encoding === jsonEncoding ? "JSON" : "a workbook or another archive";
    throw unreadable(`this is ${what}: download it from the bank as camt.053, MT940, BAI2, OFX or CSV`);
  }
  const text = decodeHead(head, encoding).replace(/^\uFEFF/, "");
  const format = asked.format ?? (asked.profile || asked.profileName !== null ? "csv" : formatOf(text));
  if (format === "csv" && /^:34F:/m.test(text)) {
    throw new FileProblemError(
      "file_profile_unknown",
      "it is an MT942, the report of a day that has not ended: ask the bank for the statement (MT940)",
    );
  }
  if (format !== "csv" && format !== "chain_csv") return { format, profile: null, encoding };
  const profile = asked.profile ?? (await chooseProfile(text, asked));
  return { format: profile.format, profile, encoding };
}

export function openReader({ format, profile }: RecognisedFile, given: GivenForFile): ReceiptReader {
  if (profile !== null) return createCsvReader(profile, given);
  switch (format) {
    case "camt053":
      return createCamt053Reader();
    case "mt940":
      return createMt940Reader();
    case "bai2":
      return createBai2Reader();
    case "ofx":
      return createOfxReader();
    default:
      throw new TypeError(`a file of ${format} needs a profile`);
  }
}

function formatOf(text: string): ReceiptFormat {
  const start = text.trimStart();
  if (/<OFX>|^OFXHEADER|<\?OFX/i.test(start.slice(0, 4_000))) return "ofx";
  if (start.startsWith("<")) return "camt053";
  if (/^(?:\{1:|:20:|:25:)/m.test(start.slice(0, 4_000)) && start.includes(":60")) return "mt940";
  if (start.startsWith("01,")) return "bai2";
  return "csv";
}

/** As the file itself says it, in XML and in the header of OFX 1.x. */
function statedEncoding(head: Buffer): string {
  const start = head.subarray(0, 1_000).toString("latin1");
  const xml = /^\s*<\?xml[^>]{0,100}encoding=["']([A-Za-z0-9._-]{1,30})["']/.exec(start)?.[1];
  const sgml = /^\s*OFXHEADER[\s\S]{0,400}CHARSET:\s*1252/.test(start) ? "windows-1252" : undefined;
  return knownEncoding(xml ?? sgml ?? "utf-8", "it says that its encoding is");
}

function knownEncoding(name: string, said: string): string {
  try {
    return new TextDecoder(name).encoding;
  } catch {
    throw unreadable(`${said} ${name}, which is not known`);
  }
}

/** By the header, and by what stands below it: a day or an amount that a profile cannot read is not its own. */
async function chooseProfile(text: string, { format, profileName, given }: AskedForm): Promise<CsvProfile> {
  if (profileName !== null) {
    const named = builtInCsvProfiles.find(({ name }) => name === profileName);
    if (named) return named;
    const known = builtInCsvProfiles.map(({ name }) => name).join(", ");
    throw new FileProblemError(
      "file_profile_unknown",
      `there is no profile ${profileName}: choose one of ${known}`,
    );
  }
  const start = startOf(text);
  const candidates: { profile: CsvProfile; lines: number; rejected: number }[] = [];
  for (const profile of builtInCsvProfiles) {
    if (format === "chain_csv" && profile.format !== "chain_csv") continue;
    const tried = { profile, ...tryOut(start, profile, given) };
    if (tried.lines + tried.rejected > 0) candidates.push(tried);
    // Others are served by this thread too.
    await setImmediate();
  }
  // Only a wallet's file has hashes, even if one of its rows is rejected.
  const chain = candidates.find(({ profile, lines }) => profile.format === "chain_csv" && lines > 0);
  if (chain) return chain.profile;
  // One row that no profile can read must not decide between two that read all the others.
  const fewest = Math.min(...candidates.map(({ rejected }) => rejected));
  const fitting = candidates.filter(({ rejected, lines }) => rejected === fewest && lines > 0);
  const [only, ...others] = fitting;
  if (only && others.length === 0) return only.profile;
  if (only) {
    const names = [only, ...others].map(({ profile }) => profile.name).join(", ");
    throw new FileProblemError(
      "file_profile_unknown",
      `its days can be read in several ways: name the profile, one of ${names}`,
    );
  }
  const nearest = candidates.find(({ rejected }) => rejected === fewest);
  if (nearest) return nearest.profile;
  throw new FileProblemError(
    "file_profile_unknown",
    `it is not one of ${receiptFormats.join(", ")}: a CSV file needs a header with an amount and a date`,
  );
}

const headChars = 20_000;
const headLines = 500;

/** Whole lines, because the last may be cut: just enough for one of them to tell days from months. */
function startOf(text: string): string {
  const start = firstLines(text.slice(0, headChars), "\n", headLines);
  return start.length < text.length ? start.slice(0, start.lastIndexOf("\n") + 1) : start;
}

function tryOut(text: string, profile: CsvProfile, given: GivenForFile): { lines: number; rejected: number } {
  const tried = { bankAccount: given.bankAccount ?? "any", currency: given.currency ?? "EUR" };
  const reader = createCsvReader(profile, tried, given.bankAccount);
  const rows: ReceiptRow[] = [];
  try {
    rows.push(...reader.push(text), ...reader.end());
  } catch (error) {
    if (!(error instanceof FileProblemError)) throw error;
    return { lines: 0, rejected: 0 };
  }
  return {
    lines: rows.filter(({ kind }) => kind === "line").length,
    rejected: rows.filter(({ kind }) => kind === "rejected").length,
  };
}
