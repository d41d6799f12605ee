import { TieoutError, usageError } from "../../core/errors.ts";
import type { Database, Transaction } from "../../store/database.ts";
import { prepareSession } from "../../store/large-statements.ts";
import { refreshLinesInForce } from "../../store/statements/lines-in-force.ts";
import { lockProvider } from "../../store/books/provider-lock.ts";
import {
  auditWithdrawal,
  databaseTime,
  findStatement,
  markWithdrawn,
  type StoredStatement,
} from "../../store/statements/statements.ts";
import type { ImportDeps } from "./import-statement.ts";
import type { Author } from "../../store/people/audit-log.ts";

export interface WithdrawRequest extends Author {
  readonly statementId: number;
  readonly reason: string;
}

export interface WithdrawResult {
  readonly statement: StoredStatement;
  /** Lines that no other file carries, and that do not count any more. */
  readonly linesRetired: number;
  /** Older versions that stand again. */
  readonly linesRestored: number;
}

/** Takes a whole file back. Nothing is deleted, and what another file carries as well stays in force. */
export async function withdrawStatement(
  deps: { database: Database } & Pick<ImportDeps, "afterLines">,
  request: WithdrawRequest,
): Promise<WithdrawResult> {
  if (request.reason.trim() === "") throw usageError("a withdrawal needs a reason");
  return deps.database.transaction(async (tx) => {
    const { accountId, provider } = await imported(tx, request.statementId);
    await prepareSession(tx);
    await lockProvider(tx, { accountId, provider });
    // Again, because another may have withdrawn it while we waited for the lock.
    await imported(tx, request.statementId);
    const at = await databaseTime(tx);
    const { statementId: id, reason, actor: by, requestId } = request;
    const withdrawal = { id, at, by, reason, requestId };
    await markWithdrawn(tx, withdrawal);
    const changed = await refreshLinesInForce(tx, { fileIds: [id], causedBy: id, at });
    await deps.afterLines?.(tx, { accountId, provider, statementId: id });
    await auditWithdrawal(tx, "statement", withdrawal);
    const statement = await findStatement(tx, id);
    if (!statement) throw new TypeError(`statement ${id} was just read`);
    return { statement, linesRetired: changed.retired, linesRestored: changed.restored };
  });
}

async function imported(tx: Transaction, id: number): Promise<StoredStatement> {
  const statement = await findStatement(tx, id);
  if (!statement) {
    throw new TieoutError(
      "statement_not_found",
      `there is no statement stm_${id}: see tieout statement list`,
    );
  }
  if (statement.state === "withdrawn") {
    throw new TieoutError(
      "statement_withdrawn",
      `statement ${id} was withdrawn already: ${statement.withdrawnReason}`,
    );
  }
  return statement;
}
