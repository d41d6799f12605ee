import { createHash } from "node:crypto";
import { usageError } from "../../core/errors.ts";
import { erasedRaw, erasedWallet, eraseRecord, type ErasureKey, isCaseBlind } from "../../core/erasure.ts";
import type { Database, Transaction } from "../../store/database.ts";
import {
  applyErasure,
  countExports,
  type ErasureChanges,
  replaceQuarantined,
  withdrawExports,
} from "../../store/erasure/apply-erasure.ts";
import { lockProvider } from "../../store/books/provider-lock.ts";
import { listProviders } from "../../store/books/runs.ts";
import { prepareSession } from "../../store/large-statements.ts";
import { receiptsOfAccount } from "../../store/receipts/receipt-run.ts";
import { holdExports } from "../../store/exports/export-runs.ts";
import { isFinalStatus } from "../../core/status.ts";
import { checkKey } from "../../store/erasure/erased-subjects.ts";
import { findSignedMonths, type SignedSpan } from "../../store/erasure/signed-months.ts";
import {
  type Affected,
  type AffectedRow,
  type ErasureSubject,
  findAffected,
  holdForErasure,
  wordPattern,
} from "../../store/erasure/find-affected.ts";
import { eraseAttachments } from "./erase-attachments.ts";
import { eraseReceipts } from "./erase-receipts.ts";
import { rewriteStatement } from "./rewrite-statement.ts";

export interface ErasureRequest extends ErasureSubject {
  /** Of two people who agreed on exactly this: the database refuses anything else. */
  approvalId: number;
  requestId?: string | undefined;
}

export interface ErasureResult {
  /** `null`: it was only looked at. */
  erasureId: number | null;
  /** Rows by table, and exports that were taken back. */
  counts: Record<string, number>;
  /** Months that were signed with what is erased: their packs can no longer be made as they were. */
  closedMonths: string[];
}

interface EraseDeps {
  database: Database;
  key: ErasureKey;
}

/**
 * Replaces the personal data of a wallet or of a transaction everywhere it lives, in one database transaction, and
 * remembers what must not come back. Files of exports are marked as expired here; the room that keeps them removes them.
 */
export async function erase(deps: EraseDeps, request: ErasureRequest): Promise<ErasureResult> {
  refuseUnfit(request);
  return deps.database.transaction(async (tx) => {
    await holdBooks(tx, request.accountId);
    await holdForErasure(tx);
    // Before any row of theirs is changed here: a run that begins holds this, and then waits for its row.
    await holdExports(tx);
    const { changes, contents, counts, closedMonths, quarantined } = await prepare(deps, tx, request);
    // Before the entry in the audit log: the cancelling of an export holds its row, and then waits for its turn there.
    await withdrawExports(tx, request.accountId);
    const erasureId = await applyErasure(
      tx,
      {
        account_id: request.accountId,
        kind: request.kind,
        digest: deps.key.digest(request.accountId, request.kind, request.value),
        key_id: deps.key.id,
        approval_id: request.approvalId,
        request_id: request.requestId ?? null,
        counts,
      },
      changes,
      contents,
    );
    await replaceQuarantined(tx, request.accountId, quarantined);
    return { erasureId, counts, closedMonths };
  });
}

/**
 * Waits for imports and runs, and makes later ones wait: their rows are not visible yet, and would bring back what is erased here.
 * Taken before the tables are locked, in the same order as in an import.
 */
async function holdBooks(tx: Transaction, accountId: number): Promise<void> {
  await prepareSession(tx);
  for (const provider of [...(await listProviders(tx, accountId)), receiptsOfAccount])
    await lockProvider(tx, { accountId, provider });
}

/** How many rows an erasure would change, and where. It holds up no writer: what arrives meanwhile is not counted. */
export async function previewErasure(deps: EraseDeps, subject: ErasureSubject): Promise<ErasureResult> {
  refuseUnfit(subject);
  return deps.database.rehearse(async (tx) => {
    await tx.query(`set local statement_timeout = ${previewTimeoutMs}`);
    const { counts, closedMonths } = await prepare(deps, tx, subject);
    return { erasureId: null, counts, closedMonths };
  });
}

/** Every row of the account's files is searched for a wallet. */
const previewTimeoutMs = 60_000;

/** A word this short stands in too many other words. */
const walletCharsMin = 8;

export function refuseUnfit({ kind, value }: ErasureSubject): void {
  if (kind === "wallet" && value.trim().length < walletCharsMin)
    throw usageError(`a wallet address has at least ${walletCharsMin} characters`);
  if (value.trim() === "") throw usageError("name the transaction: its id is empty");
}

async function prepare({ key }: EraseDeps, tx: Transaction, subject: ErasureSubject) {
  await checkKey(tx, key);
  const { accountId } = subject;
  const affected = await findAffected(tx, subject);
  const statusRows = affected.statusRows.map(({ statusDate, recordHash, record }) => {
    const erased = eraseRecord(key, accountId, record);
    return {
      status_date: statusDate,
      hash: recordHash,
      new_hash: erased.recordHash,
      wallet_address: erased.record.walletAddress,
      extra: erased.record.extra,
    };
  });
  const statements = await rewriteStatements(key, tx, subject, affected);
  const { contents } = statements;
  const replaceWords = replacer(key, subject);
  const receipts = await eraseReceipts(tx, { key, accountId, replaceWords, contents });
  const attached = await eraseAttachments(tx, {
    key,
    accountId,
    transactionIds: affected.transactionIds,
    replaceWords,
    contents,
  });
  const quarantined = affected.quarantined.map(({ rawHash, raw }) => {
    const left = erasedRaw(key, accountId, raw);
    return { rawHash, raw: left, newHash: createHash("sha256").update(left).digest("hex") };
  });
  const changes: ErasureChanges = {
    transaction_ids: affected.transactionIds,
    subjects: subjectsOf(key, subject, affected),
    status_rows: statusRows,
    ...statements.changes,
    ...receipts.changes,
    attachments: attached.attachments,
    seals: [...statements.changes.seals, ...receipts.seals, ...attached.seals],
    words: wordsOf(key, subject, affected),
  };
  const counts = {
    transactions: affected.transactionIds.length,
    transaction_statuses: statusRows.length,
    statements: statements.count,
    statement_rows: statements.changes.rows.length,
    statement_lines: statements.changes.lines.length,
    quarantined_records: quarantined.length,
    receipt_files: receipts.seals.length,
    receipt_rows: receipts.changes.receipt_rows.length,
    receipt_lines: receipts.changes.receipt_lines.length,
    attachments: attached.attachments.length,
    exports: await countExports(tx, accountId),
  };
  const closedMonths = await findSignedMonths(tx, accountId, {
    spans: spansOf(affected),
    lineIds: statements.changes.lines.map(({ id }) => id),
    receiptLineIds: receipts.changes.receipt_lines.map(({ id }) => id),
  });
  return { changes, contents, counts, closedMonths, quarantined };
}

/** When each status was the latest: an open one stands in the reports of every month until another follows. */
function spansOf({ statusRows }: Affected): SignedSpan[] {
  return statusRows.map(({ statusDate, record }) => {
    const later = statusRows
      .filter((row) => row.record.transactionId === record.transactionId && row.statusDate > statusDate)
      .map((row) => row.statusDate)
      .toSorted()[0];
    return { since: statusDate, until: isFinalStatus(record.status) ? statusDate : (later ?? null) };
  });
}

/** What is remembered: the subject, the transactions it took along, and the names by which statements know them. */
function subjectsOf(key: ErasureKey, { accountId, kind, value }: ErasureSubject, affected: Affected) {
  const subjects = [
    { kind, value },
    ...affected.transactionIds.map((id) => ({ kind: "transaction" as const, value: id })),
    ...affected.names.map((name) => ({ kind: "name" as const, value: name })),
  ];
  const digests = subjects.map((one) => ({
    kind: one.kind,
    digest: key.digest(accountId, one.kind, one.value),
  }));
  return [...new Map(digests.map((one) => [`${one.kind} ${one.digest}`, one])).values()];
}

/** The wallet itself is looked for everywhere; another one of the same transactions only in what was found about them. */
function wordsOf(key: ErasureKey, subject: ErasureSubject, { wallets }: Affected): ErasureChanges["words"] {
  const { accountId, kind, value } = subject;
  const word = (wallet: string, everywhere: boolean) => ({
    pattern: wordPattern(wallet),
    flags: isCaseBlind(wallet) ? "gi" : "g",
    to: erasedWallet(key, accountId, wallet),
    everywhere,
  });
  const others = wallets.filter((wallet) => kind === "transaction" || wallet !== value);
  return [...(kind === "wallet" ? [word(value, true)] : []), ...others.map((wallet) => word(wallet, false))];
}

async function rewriteStatements(
  key: ErasureKey,
  tx: Transaction,
  subject: ErasureSubject,
  { rows }: Affected,
) {
  const changes = {
    files: [] as { statement_id: number; part: number; at: number }[],
    rows: [] as ErasureChanges["rows"][number][],
    lines: [] as ErasureChanges["lines"][number][],
    seals: [] as ErasureChanges["seals"][number][],
  };
  const contents: Buffer[] = [];
  const byStatement = new Map<number, AffectedRow[]>();
  for (const row of rows)
    byStatement.set(row.statementId, [...(byStatement.get(row.statementId) ?? []), row]);
  for (const [statementId, own] of byStatement) {
    const lineNos = new Set(own.map(({ lineNo }) => lineNo));
    const rewritten = await rewriteStatement(tx, statementId, {
      key,
      accountId: subject.accountId,
      isErased: ({ lineNo }) => lineNos.has(lineNo),
      replaceWords: replacer(key, subject),
    });
    rewritten.parts.forEach((content, at) => {
      contents.push(content);
      changes.files.push({ statement_id: statementId, part: at + 1, at: contents.length });
    });
    changes.seals.push({
      relation: "statement_files",
      row_key: String(statementId),
      commitment: key.digest(subject.accountId, "text", rewritten.sha256Before),
      seal: rewritten.sha256,
    });
    for (const row of own) {
      const read = rewritten.rows.get(row.lineNo);
      if (!read) continue;
      changes.rows.push({
        statement_id: statementId,
        line_no: row.lineNo,
        text: read.text,
        reason: reasonOf(row, read.reason),
      });
      changes.seals.push({
        relation: "statement_rows",
        row_key: `${statementId}:${row.lineNo}`,
        commitment: key.digest(subject.accountId, "text", row.text),
        seal: null,
      });
      if (row.lineId === null || !row.isOrigin || read.line === null) continue;
      changes.lines.push({
        id: row.lineId,
        line_key: read.line.key,
        content_hash: read.line.contentHash,
        wallet_address: read.line.walletAddress,
        address_tag: read.line.addressTag,
        extra: read.line.extra,
      });
    }
  }
  return { changes, contents, count: byStatement.size };
}

/** Of a row that was rejected: the reason may quote a cell. */
function reasonOf({ reason }: AffectedRow, now: string | null): string | null {
  return reason === null ? null : (now ?? reason);
}

function replacer(key: ErasureKey, { accountId, kind, value }: ErasureSubject): (text: string) => string {
  if (kind === "transaction") return (text) => text;
  const pattern = new RegExp(wordPattern(value), isCaseBlind(value) ? "gi" : "g");
  const left = erasedWallet(key, accountId, value);
  return (text) => text.replaceAll(pattern, left);
}
