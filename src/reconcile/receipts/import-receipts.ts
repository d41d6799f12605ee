import type { PoolClient } from "pg";
import type { ClosedMonth } from "../../core/closed-month.ts";
import { counted } from "../../core/counted.ts";
import type { Instant } from "../../core/instant.ts";
import { utc, type Zone } from "../../core/zone.ts";
import type { Database, Transaction, TransactionWork } from "../../store/database.ts";
import type { Author } from "../../store/people/audit-log.ts";
import { lockProviderUnlessGone } from "../../store/books/provider-lock.ts";
import { prepareSession } from "../../store/large-statements.ts";
import { listCalendars } from "../../store/periods/calendar.ts";
import { describeGap, listBalanceGaps } from "../../store/receipts/balance-gaps.ts";
import { findBookedElsewhere } from "../../store/receipts/booked-elsewhere.ts";
import { receiptTables } from "../../store/receipts/receipt-columns.ts";
import {
  drawReceiptFileId,
  findImportedReceipts,
  findReusedNumbers,
  findReceiptFile,
  insertReceiptFile,
  listRejectedReceipts,
  type RejectedReceipt,
  type StoredReceiptFile,
} from "../../store/receipts/receipt-files.ts";
import { receiptsOfAccount } from "../../store/receipts/receipt-run.ts";
import { refreshLinesInForce } from "../../store/statements/lines-in-force.ts";
import { type IntakeTally, openIntake } from "../../store/statements/statement-intake.ts";
import { databaseTime } from "../../store/statements/statements.ts";
import { auditImport } from "../statement/audit-import.ts";
import { decodeText } from "../statement/decode.ts";
import { keepBytes } from "../statement/keep-bytes.ts";
import { movedByReceipts } from "../../store/periods/closed-sums.ts";
import { findClosedMonths } from "../closed-months.ts";
import { rowsShownMax } from "../statement/limits.ts";
import { type FileProblem, refuseUnlessAccepted, withFileName } from "../statement/refusal.ts";
import { digestSource, type SourceDigest, type StatementSource } from "../statement/source.ts";
import { judgeReceipts, presentBalances } from "./judge-receipts.ts";
import { type ReceiptOutcome, readReceipts, receiptParserVersion } from "./read-receipts.ts";
import { type AskedForm, openReader, type RecognisedFile, recogniseFile } from "./recognise.ts";
import { type ReceiptCounts, reconcileReceipts } from "./reconcile-receipts.ts";

export interface ReceiptDeps {
  readonly database: Database;
  /** Ends it with its reason, and nothing is written. */
  readonly signal?: AbortSignal | undefined;
  /** Left out in a bulk import that reconciles once at its end. */
  readonly reconcile?: boolean;
}

export interface ReceiptRequest extends AskedForm, Author {
  readonly account: { readonly id: number; readonly name: string };
  /** Why a file is taken although it is cut off or its balances do not add up. */
  readonly acceptReason: string | null;
}

export interface ReceiptImport {
  /** `already_imported`: nothing changed, and this is the earlier import. */
  readonly state: "imported" | "already_imported" | "previewed";
  readonly file: StoredReceiptFile;
  /** What would refuse the file; empty after an import. */
  readonly problems: readonly FileProblem[];
  /** What is noticed beside other files, and does not refuse it. */
  readonly warnings: readonly ReceiptWarning[];
  readonly rejects: readonly RejectedReceipt[];
  /** Months whose figures stay as they were signed, although lines of the file are dated in them. */
  readonly closedMonths: readonly ClosedMonth[];
  readonly counts: ReceiptCounts | null;
}

export interface ReceiptWarning {
  readonly code: "balance_gap";
  readonly message: string;
}

interface Opened extends RecognisedFile {
  readonly source: StatementSource;
  readonly digest: SourceDigest;
}

/** Takes a bank's file in: all of it, or, when it is refused, nothing. */
export function importReceipts(
  deps: ReceiptDeps,
  source: StatementSource,
  request: ReceiptRequest,
): Promise<ReceiptImport> {
  return takeFile(deps, source, { ...request, preview: false });
}

/** The same in every step, and then undone. */
export function previewReceipts(
  deps: ReceiptDeps,
  source: StatementSource,
  request: ReceiptRequest,
): Promise<ReceiptImport> {
  return takeFile(deps, source, { ...request, preview: true });
}

type Task = ReceiptRequest & { readonly preview: boolean };

function takeFile(deps: ReceiptDeps, source: StatementSource, task: Task): Promise<ReceiptImport> {
  return withFileName(source.name, async () => {
    const digest = await digestSource(source);
    const opened = { source, digest, ...(await recogniseFile(digest.head, task)) };
    const work: TransactionWork<ReceiptImport> = (tx, client) => take(deps, { tx, client }, opened, task);
    return task.preview ? deps.database.rehearse(work) : deps.database.transaction(work);
  });
}

async function take(
  deps: ReceiptDeps,
  { tx, client }: { tx: Transaction; client: PoolClient },
  opened: Opened,
  task: Task,
): Promise<ReceiptImport> {
  const accountId = task.account.id;
  await prepareSession(tx);
  await lockProviderUnlessGone(tx, { accountId, provider: receiptsOfAccount }, deps.signal);
  const earlier = await findImportedReceipts(tx, { accountId, sha256: opened.digest.sha256 });
  if (earlier) {
    const rejects = await rejectsOf(tx, earlier.id);
    const nothing = { problems: [], warnings: [], closedMonths: [], counts: null };
    return { state: "already_imported", file: earlier, rejects, ...nothing };
  }
  const fileId = await drawReceiptFileId(tx);
  const at = await databaseTime(tx);
  const zone = await zoneOf(tx, accountId);
  const { outcome, tally } = await passThrough(deps, client, opened, { ...task, fileId, at, zone });
  const problems = [
    ...judgeReceipts(outcome),
    ...(await judgeNumbers(tx, fileId, opened.format)),
    ...(await judgeFormats(tx, { accountId, fileId, ...opened })),
  ];
  refuseUnlessAccepted(opened.source.name, problems, task);
  await insertReceiptFile(tx, fileId, {
    accountId,
    ...describe(opened, outcome, tally),
    given: {
      bank_account: task.given.bankAccount,
      currency: task.given.currency,
      ...(zone === utc ? {} : { zone: zone.name }),
    },
    madeAt: outcome.facts.madeAt ?? at,
    importedAt: at,
    importedBy: task.actor,
    ...(problems.length > 0 && task.acceptReason !== null
      ? { acceptedCodes: problems.map(({ code }) => code), acceptedReason: task.acceptReason }
      : {}),
  });
  if (tally.met > 0)
    await refreshLinesInForce(tx, { fileIds: [fileId], causedBy: fileId, at }, receiptTables);
  deps.signal?.throwIfAborted();
  const counts = deps.reconcile === false ? null : await reconcileReceipts(tx, accountId);
  deps.signal?.throwIfAborted();
  const file = await findReceiptFile(tx, fileId);
  if (!file) throw new TypeError(`file ${fileId} was just written`);
  const rejects = await rejectsOf(tx, fileId);
  const warnings = await warningsOf(tx, { accountId, fileId });
  const closedMonths = await findClosedMonths(tx, movedByReceipts, { accountId, fileId, at });
  const shown = { file, warnings, rejects, closedMonths, counts };
  if (task.preview) return { state: "previewed", problems, ...shown };
  // Last, because from here to the commit nobody else can write to the log.
  await auditImport(tx, task, "receipts", file, { format: file.format, bank_account: file.bankAccount });
  return { state: "imported", problems: [], ...shown };
}

/** The number of an OFX booking is all that it is known by. Some banks count anew in every file. */
async function judgeNumbers(
  tx: Transaction,
  fileId: number,
  format: RecognisedFile["format"],
): Promise<FileProblem[]> {
  if (format !== "ofx") return [];
  const reused = await findReusedNumbers(tx, { fileId, limit: reusedShownMax });
  return reused.map(({ number, before, now }) => ({
    code: "number_reused",
    message:
      `FITID ${number} was ${before} and is ${now}, which would take its place. ` +
      "If the bank has not restated it but counts anew, import another format of this bank",
  }));
}

const reusedShownMax = 3;

/** What another format has brought already would count twice. */
async function judgeFormats(
  tx: Transaction,
  file: { accountId: number; fileId: number } & Pick<RecognisedFile, "format" | "profile">,
): Promise<FileProblem[]> {
  const elsewhere = await findBookedElsewhere(tx, file);
  return elsewhere.map(({ fileName, fileId, format, lines, example }) => ({
    code: "booked_in_other_format",
    message:
      `${counted(lines, "booking")} would count twice, the first ${example}: ${fileName} (rcf_${fileId}, ${format}) has the same. ` +
      "Use one format for an account: withdraw that file, or leave this one out",
  }));
}

async function passThrough(
  deps: ReceiptDeps,
  client: PoolClient,
  opened: Opened,
  task: Task & { fileId: number; at: Instant; zone: Zone },
): Promise<{ outcome: ReceiptOutcome; tally: IntakeTally }> {
  const { source, encoding } = opened;
  const scope = { account_id: task.account.id };
  const target = { tables: receiptTables, scope, fileId: task.fileId, importedAt: task.at };
  const intake = await openIntake(client, target);
  const bytes = () =>
    task.preview ? source.bytes() : keepBytes(source.bytes(), (part) => intake.keepPart(part));
  const reader = openReader(opened, task.given);
  const reading = readReceipts(() => decodeText(bytes(), encoding), reader, {
    signal: deps.signal,
    zone: task.zone,
  });
  try {
    for await (const batch of reading.batches()) await intake.take(batch);
  } catch (error) {
    // What is still on its way must not be left running on a connection that others will use.
    await intake.finish().catch(() => undefined);
    throw error;
  }
  const tally = await intake.finish();
  return { outcome: reading.outcome(), tally };
}

async function zoneOf(tx: Transaction, accountId: number): Promise<Zone> {
  const [calendar] = await listCalendars({ database: tx, accountIds: [accountId] });
  return calendar?.zone ?? utc;
}

function describe(
  { source, digest, format, profile, encoding }: Opened,
  outcome: ReceiptOutcome,
  tally: IntakeTally,
) {
  const { facts, rows, days } = outcome;
  const accounts = new Set(facts.statements.map(({ bankAccount }) => bankAccount));
  const [only] = accounts;
  const stated = (pick: "from" | "to") =>
    facts.statements.map((each) => each[pick]).filter((day) => day !== null);
  const periodFrom = [...stated("from"), ...(days ? [days.first] : [])].toSorted()[0] ?? null;
  const periodTo = [...stated("to"), ...(days ? [days.last] : [])].toSorted().at(-1) ?? null;
  return {
    fileName: source.name,
    sha256: digest.sha256,
    byteCount: digest.byteCount,
    format,
    profile,
    encoding,
    parserVersion: receiptParserVersion,
    bankAccount: accounts.size === 1 ? (only ?? null) : null,
    balances: presentBalances(facts.statements, days),
    periodFrom,
    periodTo,
    rowsOfFile: rows.file,
    rowsOther: rows.other,
    rowsRead: rows.read,
    rowsAccepted: tally.accepted,
    rowsRestated: tally.restated,
    rowsDuplicate: tally.duplicate,
    rowsRejected: tally.rejected,
  };
}

async function warningsOf(
  tx: Transaction,
  { accountId, fileId }: { accountId: number; fileId: number },
): Promise<ReceiptWarning[]> {
  const gaps = await listBalanceGaps({ database: tx, accountIds: [accountId] }, { fileId });
  return gaps.map((gap) => ({ code: "balance_gap", message: describeGap(gap) }));
}

function rejectsOf(tx: Transaction, fileId: number): Promise<RejectedReceipt[]> {
  return listRejectedReceipts(tx, { fileId, after: 0, limit: rowsShownMax });
}
