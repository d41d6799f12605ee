import { basename } from "node:path";
import { receiptFile, receiptImport } from "../api/receipts/file-schema.ts";
import { receiptLine, receiptMatch, suggestion } from "../api/receipts/line-schema.ts";
import { readReference } from "../api/references.ts";
import { type Decimal, parseDecimal } from "../core/decimal.ts";
import { TieoutError, usageError } from "../core/errors.ts";
import { issuesInWords } from "../core/issue-words.ts";
import type { ReceiptFormat } from "../core/receipt-line.ts";
import { type CsvProfile, csvProfileSchema } from "../reconcile/receipts/csv-profile.ts";
import { importReceipts, previewReceipts } from "../reconcile/receipts/import-receipts.ts";
import { matchReceipt, unmatchReceipt } from "../reconcile/receipts/match-receipt.ts";
import { withdrawReceipts } from "../reconcile/receipts/withdraw-receipts.ts";
import { fileSource } from "../reconcile/statement/source.ts";
import { describeGap, listBalanceGaps } from "../store/receipts/balance-gaps.ts";
import { findReceiptFile, listReceiptFiles } from "../store/receipts/receipt-files.ts";
import {
  listReceiptLines,
  listReceiptMatches,
  readReceiptLine,
  suggestPayouts,
} from "../store/receipts/receipt-reads.ts";
import { readBookedAt, throwPeriodRefusal } from "./booked-at.ts";
import { actorName } from "./actor-name.ts";
import type { CommandContext } from "./context.ts";
import { readGiven, sizeOfGiven } from "./given-file.ts";
import { answer, answerTable } from "./write-out.ts";
import {
  describeFile,
  describeFiles,
  describeImport,
  describeLine,
  describeLines,
  describeMatch,
} from "./receipt-table.ts";
import { showReading } from "./statement-progress.ts";
import { chooseAccount } from "./choose-account.ts";
import { withExistingStore, withStore } from "./with-store.ts";

export interface TakeReceiptFlags {
  account?: string;
  format?: ReceiptFormat;
  profile?: string;
  encoding?: string;
  bankAccount?: string;
  currency?: string;
  accept?: string;
  json: boolean;
}

interface ListReceiptFlags {
  account?: string;
  lines: boolean;
  unmatched: boolean;
  json: boolean;
}

export interface MatchFlags {
  reason: string;
  amount?: string;
  bankFee?: string;
  bookedAt?: string;
  json: boolean;
}

const shownMax = 1_000;
const page = { limit: shownMax, after: null };
/** A user of the command line can read the database itself: nothing is masked. */
const everything = { wallets: true };

/** `false` when a row was not taken, or the file would be refused. */
export async function takeReceipts(
  context: CommandContext,
  path: string,
  flags: TakeReceiptFlags,
  options: { preview: boolean },
): Promise<boolean> {
  const profile = flags.profile?.endsWith(".json") ? await readProfile(flags.profile) : null;
  if (flags.accept?.trim() === "") throw usageError("--accept: say why the file is accepted anyway");
  const size = await sizeOfGiven(path);
  return withStore(context, async ({ database }) => {
    const account = await chooseAccount(database, flags.account);
    const reading = showReading(context, fileSource(path, basename(path)), size);
    const take = options.preview ? previewReceipts : importReceipts;
    const result = await take({ database }, reading.source, {
      account,
      format: flags.format ?? null,
      profileName: profile === null ? (flags.profile ?? null) : null,
      profile,
      encoding: flags.encoding ?? null,
      given: { bankAccount: flags.bankAccount ?? null, currency: flags.currency ?? null },
      acceptReason: flags.accept ?? null,
      actor: actorName(),
    }).finally(reading.end);
    answer(flags, receiptImport.present(result, everything), describeImport(result));
    return result.file.rowsRejected === 0 && result.problems.length === 0;
  });
}

export async function listReceipts(context: CommandContext, flags: ListReceiptFlags): Promise<void> {
  await withExistingStore(context, async ({ database }) => {
    if (flags.account !== undefined) await chooseAccount(database, flags.account);
    const reader = { database, accountIds: null };
    const account = flags.account === undefined ? undefined : [flags.account];
    if (flags.lines || flags.unmatched) {
      const filters = { account, ...(flags.unmatched ? { matched: false } : {}) };
      const { rows } = await listReceiptLines(reader, filters, page);
      const lines = rows.map((row) => receiptLine.present(row, everything));
      const none = "There are no such lines.";
      answerTable(context, flags, { values: lines, text: describeLines(rows), none });
      return;
    }
    const { rows } = await listReceiptFiles(reader, { account }, page);
    const files = rows.map((row) => receiptFile.present(row, everything));
    const gaps = await listBalanceGaps(reader, { account });
    answerTable(context, flags, {
      values: files,
      text: [describeFiles(rows), ...gaps.map(describeGap)].join("\n"),
      none: `There are no bank files${account === undefined ? "" : " of this account"} yet: tieout receipt import reads one.`,
    });
  });
}

export async function showReceipt(
  context: CommandContext,
  id: string,
  flags: { json: boolean },
): Promise<void> {
  const fileId = readReference("receipt_file", id);
  const lineId = fileId === null ? reference("receipt_line", id) : null;
  await withExistingStore(context, async ({ database }) => {
    if (lineId === null) {
      const file = await findReceiptFile(database, fileId ?? 0);
      if (!file) throw usageError(`there is no file ${id}: see tieout receipt list`);
      answer(flags, receiptFile.present(file, everything), describeFile(file));
      return;
    }
    const line = await readReceiptLine({ database, accountIds: null }, lineId);
    if (!line) throw usageError(`there is no line ${id}: see tieout receipt list --lines`);
    const matches = await listReceiptMatches(database, { lineId });
    const suggestions = line.unmatched === "0" ? [] : await suggestPayouts(database, lineId);
    const json = {
      ...receiptLine.present(line, everything),
      matches: matches.map((match) => receiptMatch.present(match)),
      suggestions: suggestions.map((one) => suggestion.present(one)),
    };
    answer(flags, json, describeLine(line, matches, suggestions));
  });
}

export async function withdrawReceiptsCommand(
  context: CommandContext,
  id: string,
  flags: { reason: string; json: boolean },
): Promise<void> {
  const fileId = reference("receipt_file", id);
  await withExistingStore(context, async ({ database }) => {
    const file = await withdrawReceipts(database, { fileId, reason: flags.reason, actor: actorName() });
    answer(flags, receiptFile.present(file, everything), `${id} withdrawn: its lines no longer count`);
  });
}

export async function matchReceiptCommand(
  context: CommandContext,
  pair: { line: string; payout: string },
  flags: MatchFlags,
): Promise<void> {
  const wanted = {
    lineId: reference("receipt_line", pair.line),
    payoutId: reference("payout", pair.payout),
    amount: amountOf("--amount", flags.amount),
    bankFee: amountOf("--bank-fee", flags.bankFee),
    reason: flags.reason,
    bookedAt: readBookedAt(flags.bookedAt),
  };
  await withExistingStore(context, async ({ database }) => {
    const author = { actor: actorName() };
    const match = await matchReceipt(database, { accountIds: null }, wanted, author).catch(
      throwPeriodRefusal,
    );
    answer(flags, receiptMatch.present(match), describeMatch(match));
  });
}

export async function unmatchReceiptCommand(
  context: CommandContext,
  id: string,
  flags: { reason: string; json: boolean },
): Promise<void> {
  const matchId = reference("receipt_match", id);
  await withExistingStore(context, async ({ database }) => {
    const ending = { matchId, reason: flags.reason };
    const match = await unmatchReceipt(database, { accountIds: null }, ending, { actor: actorName() });
    answer(flags, receiptMatch.present(match), describeMatch(match));
  });
}

const references = {
  receipt_file: "rcf_12",
  receipt_line: "rcl_4711",
  receipt_match: "rcm_9",
  payout: "po_12",
} as const;

function reference(kind: keyof typeof references, text: string): number {
  const id = readReference(kind, text);
  if (id !== null) return id;
  throw usageError(`expected an id such as ${references[kind]}, found ${JSON.stringify(text)}`);
}

function amountOf(option: string, text: string | undefined): Decimal | undefined {
  if (text === undefined) return undefined;
  const amount = parseDecimal(text);
  if (amount !== null) return amount;
  throw usageError(`${option}: expected an amount such as 12.50, found ${JSON.stringify(text)}`);
}

async function readProfile(path: string): Promise<CsvProfile> {
  const text = (await readGiven(path, { option: "--profile" })).toString("utf8");
  const parsed = csvProfileSchema.safeParse(jsonOf(text));
  if (parsed.success) return parsed.data;
  const why = jsonOf(text) === undefined ? "it is not JSON" : issuesInWords(parsed.error.issues, "profile");
  throw new TieoutError("profile_invalid", `--profile: ${path} is not a profile of a bank's CSV: ${why}`);
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
