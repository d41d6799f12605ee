import type { PoolClient } from "pg";
import { TieoutError } from "../../core/errors.ts";
import type { AcceptableCode } from "../../core/import-codes.ts";
import { recordAudit } from "../../store/audit-log.ts";
import { runTransaction, type Transaction } from "../../store/database.ts";
import { refreshRetirements } from "../../store/line-retirements.ts";
import { lockProvider } from "../../store/provider-lock.ts";
import type { IntakeTally } from "../../store/statement-intake.ts";
import { listRejects, listRestated } from "../../store/statement-rows.ts";
import {
  drawStatementId,
  findImportedFile,
  findStatement,
  insertStatement,
  markWithdrawn,
  type StoredStatement,
} from "../../store/statements.ts";
import { type FilePeriod, settlePeriod, warnOfPeriod } from "./file-period.ts";
import type { ImportDeps, ImportRequest, ImportResult } from "./import-request.ts";
import { judgeFile } from "./judge-file.ts";
import { rowsShownMax } from "./limits.ts";
import { parserVersion } from "./line-key.ts";
import { readFileName } from "./moments.ts";
import { openStatement, type OpenedStatement } from "./open-statement.ts";
import { type FileProblem, FileProblemError, StatementRefusedError } from "./refusal.ts";
import type { StatementSource } from "./source.ts";
import type { TotalKeeper } from "./statement-totals.ts";
import { takeIn } from "./take-in.ts";
import type { FileOutcome } from "./read-file.ts";

/** Takes a statement in: all of it, or, when the file is refused, nothing. */
export async function importStatement(
  deps: ImportDeps,
  source: StatementSource,
  request: ImportRequest,
): Promise<ImportResult> {
  return withFileName(source.name, async () => {
    const opened = await openStatement(deps.profiles, source, request);
    return deps.database.session((client) =>
      runTransaction(client, (tx) =>
        takeStatement(deps, { tx, client }, opened, { ...request, preview: false }),
      ),
    );
  });
}

/** The same in every step, and then undone: it shows exactly what an import would do, and writes nothing. */
export async function previewStatement(
  deps: ImportDeps,
  source: StatementSource,
  request: ImportRequest,
): Promise<ImportResult> {
  return withFileName(source.name, async () => {
    const opened = await openStatement(deps.profiles, source, request);
    let result: ImportResult | undefined;
    await deps.database.session((client) =>
      runTransaction(client, async (tx) => {
        result = await takeStatement(deps, { tx, client }, opened, { ...request, preview: true });
        throw new Undo();
      }).catch((error: unknown) => {
        if (!(error instanceof Undo)) throw error;
      }),
    );
    if (!result) throw new TypeError("a preview ends with a result or an error");
    return result;
  });
}

/** Rolls a database transaction back without being a failure. */
class Undo extends Error {}

type Task = ImportRequest & { readonly preview: boolean };

async function takeStatement(
  deps: ImportDeps,
  { tx, client }: { tx: Transaction; client: PoolClient },
  opened: OpenedStatement,
  task: Task,
): Promise<ImportResult> {
  const { provider, digest } = opened;
  const scope = { accountId: task.account.id, provider };
  await lockProvider(tx, scope);
  const earlier = await findImportedFile(tx, { ...scope, sha256: digest.sha256 });
  if (earlier) return alreadyImported(tx, earlier);
  const replaced = await findReplaced(tx, task, provider);

  const { statementId, at } = await drawStatementId(tx);
  const target = { ...scope, statementId, importedAt: at };
  const { outcome, totals, tally } = await takeIn(client, opened, { target, keepBytes: !task.preview });
  await deps.failpoint?.("statement.lines");
  const problems = judgeFile(outcome, totals);
  const [first, ...others] = problems;
  if (first && !task.preview && task.acceptReason === null) {
    throw new StatementRefusedError(opened.source.name, [first, ...others]);
  }
  const period = settlePeriod(task, outcome, readFileName(opened.source.name));
  const except = replaced ? [statementId, replaced.id] : [statementId];
  const warnings = await warnOfPeriod(tx, { ...scope, ...period, except });
  await insertStatement(tx, statementId, {
    ...scope,
    ...describeFile(opened),
    ...describePeriod(period),
    ...describeCounts(outcome, tally),
    totals: totals.totals(),
    stated: statedOf(outcome, totals),
    warnings,
    importedAt: at,
    importedBy: task.actor,
    replacesId: replaced?.id ?? null,
    ...(problems.length > 0 && task.acceptReason !== null
      ? { acceptedCodes: codesOf(problems), acceptedReason: task.acceptReason }
      : {}),
  });
  if (replaced) await withdrawReplaced(tx, task, { replaced, statementId, at });
  if (replaced || tally.met > 0) {
    const statementIds = replaced ? [statementId, replaced.id] : [statementId];
    await refreshRetirements(tx, { statementIds, causedBy: statementId, at });
  }
  const statement = await findStatement(tx, statementId);
  if (!statement) throw new TypeError(`statement ${statementId} was just written`);
  await auditImport(tx, task, statement);
  const shown = {
    rejects: await listRejects(tx, { statementId, after: 0, limit: rowsShownMax }),
    restated: tally.restated === 0 ? [] : await listRestated(tx, { statementId, limit: rowsShownMax }),
  };
  const consequences = await deps.afterLines?.(tx, { ...scope, statementId });
  return { state: task.preview ? "previewed" : "imported", statement, problems, ...shown, consequences };
}

async function alreadyImported(tx: Transaction, statement: StoredStatement): Promise<ImportResult> {
  const rejects = await listRejects(tx, { statementId: statement.id, after: 0, limit: rowsShownMax });
  return {
    state: "already_imported",
    statement,
    problems: [],
    rejects,
    restated: [],
    consequences: undefined,
  };
}

async function findReplaced(
  tx: Transaction,
  { replaces, account }: Task,
  provider: string,
): Promise<StoredStatement | null> {
  if (replaces === null) return null;
  const statement = await findStatement(tx, replaces);
  const fits = statement?.accountId === account.id && statement.provider === provider;
  if (!statement || !fits) {
    throw new TieoutError(
      "statement_not_found",
      `there is no statement ${replaces} of ${provider} in account ${account.name} to replace: see tieout statement list`,
    );
  }
  if (statement.state === "withdrawn") {
    throw new TieoutError(
      "statement_not_found",
      `statement ${replaces} is withdrawn already: import without --replaces`,
    );
  }
  return statement;
}

async function withdrawReplaced(
  tx: Transaction,
  { actor, requestId }: Task,
  { replaced, statementId, at }: { replaced: StoredStatement; statementId: number; at: string },
): Promise<void> {
  const reason = `replaced by statement ${statementId}`;
  await markWithdrawn(tx, {
    id: replaced.id,
    at,
    by: actor,
    reason,
    ...(requestId === undefined ? {} : { requestId }),
  });
}

async function auditImport(tx: Transaction, task: Task, statement: StoredStatement): Promise<void> {
  await recordAudit(tx, {
    actor: task.actor,
    action: "statement.imported",
    subject: `statement ${statement.id}`,
    after: {
      account: statement.account,
      provider: statement.provider,
      file_name: statement.fileName,
      sha256: statement.sha256.toString("hex"),
      profile: `${statement.profile} ${statement.profileVersion}`,
      rows_read: statement.rowsRead,
      accepted: statement.rowsAccepted,
      restated: statement.rowsRestated,
      duplicate: statement.rowsDuplicate,
      rejected: statement.rowsRejected,
      replaces: statement.replacesId,
      accepted_codes: statement.acceptedCodes,
    },
    ...(statement.acceptedReason === null ? {} : { reason: statement.acceptedReason }),
    ...(task.requestId === undefined ? {} : { requestId: task.requestId }),
  });
}

function describeFile({ source, digest, encoding, layout }: OpenedStatement) {
  const { profile, delimiter } = layout;
  return {
    fileName: source.name,
    sha256: digest.sha256,
    byteCount: digest.byteCount,
    profile: profile.name,
    profileVersion: profile.version,
    profileUsed: profile,
    parserVersion,
    encoding,
    delimiter,
    periodBasis: profile.period_basis,
  };
}

function describePeriod({ generatedAt, generatedAtFrom, from, to }: FilePeriod) {
  return { generatedAt, generatedAtFrom, periodFrom: from, periodTo: to };
}

function describeCounts({ counts }: FileOutcome, tally: IntakeTally) {
  return {
    preambleRows: counts.preamble,
    headerRows: counts.header,
    blankRows: counts.blank,
    skippedRows: counts.skipped,
    trailerRows: counts.trailer,
    rowsOfFile: counts.file,
    rowsRead: counts.read,
    rowsAccepted: tally.accepted,
    rowsRestated: tally.restated,
    rowsDuplicate: tally.duplicate,
    rowsRejected: tally.rejected,
  };
}

function statedOf({ facts }: FileOutcome, totals: TotalKeeper) {
  if (facts.rowCount === null && facts.sums.length === 0) return null;
  const sums = facts.sums.map(({ field, currency, amount }) => ({
    field,
    currency,
    stated: amount,
    found: totals.sumOf(field, currency),
  }));
  return { rows: facts.rowCount, sums };
}

function codesOf(problems: readonly FileProblem[]): AcceptableCode[] {
  return [...new Set(problems.map(({ code }) => code as AcceptableCode))];
}

async function withFileName<T>(name: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof FileProblemError) throw new StatementRefusedError(name, [error.problem]);
    throw error;
  }
}
