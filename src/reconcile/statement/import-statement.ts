import type { PoolClient } from "pg";
import { TieoutError } from "../../core/errors.ts";
import {
  confirmErasuresKnown,
  type OpenErasureKey,
  readErasedSubjects,
} from "../../store/erasure/erased-subjects.ts";
import type { Database, Transaction, TransactionWork } from "../../store/database.ts";
import type { UntiedPayout } from "../../store/books/untied-payouts.ts";
import { prepareSession } from "../../store/large-statements.ts";
import { isErasureUnknown } from "../../store/sql-errors.ts";
import { refreshLinesInForce } from "../../store/statements/lines-in-force.ts";
import { statementTables } from "../../store/statements/intake-tables.ts";
import { lockProviderUnlessGone } from "../../store/books/provider-lock.ts";
import { sampleTimes } from "../../store/statements/line-and-record-times.ts";
import {
  auditWithdrawal,
  databaseTime,
  drawStatementId,
  findImportedFile,
  findStatement,
  insertStatement,
  markWithdrawn,
  type StoredStatement,
  type Withdrawal,
} from "../../store/statements/statements.ts";
import {
  codesOf,
  describeCounts,
  describeFile,
  describePeriod,
  describeStated,
} from "./describe-statement.ts";
import { zoneNamed } from "../../core/zone.ts";
import { settlePeriod, type StatedMoments, warnOfPeriod } from "./file-period.ts";
import { auditImport } from "./audit-import.ts";
import { judgeFile, warnOfFees, warnOfStatus } from "./judge-file.ts";
import { readFileName } from "./moments.ts";
import { type ErasedOnArrival, eraseSource } from "../erasure/erase-source.ts";
import type { ProviderResult } from "../reconcile.ts";
import { openStatement, type OpenedStatement } from "./open-statement.ts";
import type { Vocabulary } from "./own-profiles.ts";
import type { Profile } from "./profile.ts";
import { type FileProblem, refuseUnlessAccepted, withFileName } from "./refusal.ts";
import type { StatementSource } from "./source.ts";
import { takeIn } from "./take-in.ts";
import { tellImport, tellKnown, tellUntied, type ToldImport } from "./told-import.ts";
import { aboutRows } from "./workbook-text.ts";
import { describeTimeShift, findTimeShift } from "./time-shift.ts";
import type { Author } from "../../store/people/audit-log.ts";

export interface ImportDeps extends Partial<Vocabulary> {
  readonly database: Database;
  /** Every profile that may fit, the user's own among them. */
  readonly profiles: readonly Profile[];
  /** Matches the new lines, inside the same database transaction, so that a preview shows what would come of them. */
  readonly afterLines?: (tx: Transaction, touched: TouchedProvider) => Promise<ProviderResult>;
  /** Does nothing in production; tests stop an import here. */
  readonly failpoint?: (name: "statement.lines") => Promise<void> | void;
  /** For rows of people whose data was erased: they must not come back with another file. */
  readonly erasureKey?: OpenErasureKey | undefined;
  /** Aborts the import with its reason, and nothing is written: the client left, or it takes too long. */
  readonly signal?: AbortSignal | undefined;
}

export interface TouchedProvider {
  readonly accountId: number;
  readonly provider: string;
  readonly statementId: number;
}

export interface ImportRequest extends StatedMoments, Author {
  readonly account: { readonly id: number; readonly name: string };
  /** `null`: the header decides. */
  readonly provider: string | null;
  readonly profileName: string | null;
  /** The statement that this one corrects: it is withdrawn in the same database transaction. */
  readonly replaces: number | null;
  /** Why a file is taken although it is cut off or its totals differ. */
  readonly acceptReason: string | null;
}

export interface ImportResult extends ToldImport {
  /** `already_imported`: nothing changed, and this is the earlier import. */
  readonly state: "imported" | "already_imported" | "previewed";
  readonly statement: StoredStatement;
  /** What would refuse the file; empty after an import. */
  readonly problems: readonly FileProblem[];
  /** What `afterLines` returned. */
  readonly consequences: ProviderResult | undefined;
  /** Payouts whose lines do not add up, as found by `afterLines`. */
  readonly untied: readonly UntiedPayout[];
}

/** Takes a statement in: all of it, or, when the file is refused, nothing. */
export function importStatement(
  deps: ImportDeps,
  source: StatementSource,
  request: ImportRequest,
): Promise<ImportResult> {
  return takeFile(deps, source, { ...request, preview: false });
}

/** The same in every step, and then undone: it shows exactly what an import would do, and writes nothing. */
export function previewStatement(
  deps: ImportDeps,
  source: StatementSource,
  request: ImportRequest,
): Promise<ImportResult> {
  return takeFile(deps, source, { ...request, preview: true });
}

type Task = ImportRequest & { readonly preview: boolean };

function takeFile(deps: ImportDeps, source: StatementSource, task: Task): Promise<ImportResult> {
  return withFileName(source.name, async () => {
    for (;;) {
      const opened = await openWithoutErased(deps, source, task);
      const work: TransactionWork<ImportResult> = (tx, client) =>
        takeStatement(deps, { tx, client }, opened, task);
      try {
        return await (task.preview ? deps.database.rehearse(work) : deps.database.transaction(work));
      } catch (error) {
        // Someone was erased meanwhile, and nothing of them may come back with the file.
        if (!isErasureUnknown(error)) throw error;
      }
    }
  });
}

async function openWithoutErased(
  { erasureKey = async () => null, ...deps }: ImportDeps,
  source: StatementSource,
  request: ImportRequest,
): Promise<OpenedStatement & ErasedOnArrival> {
  const opened = await openStatement(deps, source, request);
  const subjects = await readErasedSubjects(deps.database, erasureKey);
  return eraseSource(opened, subjects, request.account.id);
}

async function takeStatement(
  deps: ImportDeps,
  { tx, client }: { tx: Transaction; client: PoolClient },
  opened: OpenedStatement & ErasedOnArrival,
  task: Task,
): Promise<ImportResult> {
  const { provider, digest } = opened;
  const scope = { accountId: task.account.id, provider };
  await prepareSession(tx);
  await lockProviderUnlessGone(tx, scope, deps.signal);
  const earlier = await findImportedFile(tx, { ...scope, sha256: digest.sha256 });
  if (earlier) {
    refuseOtherReplaced(task, earlier);
    return alreadyImported(tx, earlier);
  }
  const replaced = await findReplaced(tx, task, provider);

  const statementId = await drawStatementId(tx);
  const at = await databaseTime(tx);
  const target = {
    tables: statementTables,
    scope: { account_id: scope.accountId, provider },
    fileId: statementId,
    importedAt: at,
  };
  const { outcome, tally, notes } = await takeIn(client, opened, {
    target,
    keepBytes: !task.preview,
    signal: deps.signal,
  });
  await deps.failpoint?.("statement.lines");
  const zone = zoneNamed(opened.layout.profile.time.zone);
  const name = readFileName(opened.source.name, zone);
  const period = settlePeriod(task, outcome, { name, importedAt: at, zone });
  const problems = judgeFile(outcome, opened.layout.profile);
  refuseUnlessAccepted(opened.source.name, problems, task);
  const except = replaced ? [statementId, replaced.id] : [statementId];
  const warnings = [
    ...opened.warnings,
    ...aboutRows(notes),
    ...warnOfStatus(outcome, opened.layout),
    ...warnOfFees(opened.layout),
    ...(await warnOfTimes(tx, statementId, opened.layout.profile)),
    ...(await warnOfPeriod(tx, { ...scope, ...period, except, zone })),
  ];
  await insertStatement(tx, statementId, {
    ...scope,
    ...describeFile(opened),
    ...describePeriod(period),
    ...describeCounts(outcome, tally),
    totals: outcome.totals.totals(),
    stated: describeStated(outcome),
    warnings,
    importedAt: at,
    importedBy: task.actor,
    replacesId: replaced?.id ?? null,
    ...(problems.length > 0 && task.acceptReason !== null
      ? { acceptedCodes: codesOf(problems), acceptedReason: task.acceptReason }
      : {}),
  });
  const withdrawal = replaced && withdrawalOf(task, { id: replaced.id, statementId, at });
  if (withdrawal) await markWithdrawn(tx, withdrawal);
  if (replaced || tally.met > 0) {
    const fileIds = replaced ? [statementId, replaced.id] : [statementId];
    await refreshLinesInForce(tx, { fileIds, causedBy: statementId, at });
  }
  const statement = await findStatement(tx, statementId);
  if (!statement) throw new TypeError(`statement ${statementId} was just written`);
  const told = await tellImport(tx, { accountId: scope.accountId, statementId, at, tally, replaced });
  deps.signal?.throwIfAborted();
  const consequences = await deps.afterLines?.(tx, { ...scope, statementId });
  const shown = { statement, ...told, consequences, untied: await tellUntied(tx, scope, consequences) };
  deps.signal?.throwIfAborted();
  if (task.preview) return { state: "previewed", problems, ...shown };
  await confirmErasuresKnown(tx, opened.subjects);
  // Last, because from here to the commit nobody else can write to the log, not even by signing in.
  if (withdrawal) await auditWithdrawal(tx, "statement", withdrawal);
  await auditImport(tx, task, "statement", statement, {
    provider: statement.provider,
    ...(opened.keptSha256 === null ? {} : { kept_sha256: opened.keptSha256 }),
    profile: `${statement.profile} ${statement.profileVersion}`,
    replaces: statement.replacesId,
  });
  return { state: "imported", problems: [], ...shown };
}

async function warnOfTimes(tx: Transaction, statementId: number, profile: Profile) {
  const shift = findTimeShift(await sampleTimes(tx, { statementId, limit: timesSampled }), profile);
  return shift === null ? [] : [{ code: "times_shifted", message: describeTimeShift(shift, profile) }];
}

const timesSampled = 200;

async function alreadyImported(tx: Transaction, statement: StoredStatement): Promise<ImportResult> {
  const told = await tellKnown(tx, statement.id);
  return { state: "already_imported", statement, problems: [], ...told, consequences: undefined, untied: [] };
}

/** A file that is here cannot be said afterwards to correct another one; to say nothing would leave both in force. */
function refuseOtherReplaced({ replaces }: Task, earlier: StoredStatement): void {
  if (replaces === null || replaces === earlier.id || replaces === earlier.replacesId) return;
  throw new TieoutError(
    "statement_not_found",
    `this file was imported as statement ${earlier.id}, and does not replace statement ${replaces}: withdraw that one with tieout statement withdraw stm_${replaces}`,
  );
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
      `there is no statement stm_${replaces} of ${provider} in account ${account.name} to replace: see tieout statement list`,
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

function withdrawalOf(
  { actor, requestId }: Task,
  { id, statementId, at }: { id: number; statementId: number; at: string },
): Withdrawal {
  const reason = `replaced by statement ${statementId}`;
  return { id, at, by: actor, reason, requestId };
}
