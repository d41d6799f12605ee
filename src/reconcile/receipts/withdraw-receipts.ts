import { TieoutError, usageError } from "../../core/errors.ts";
import { lockProvider } from "../../store/books/provider-lock.ts";
import { prepareSession } from "../../store/large-statements.ts";
import type { Database, Transaction } from "../../store/database.ts";
import type { Author } from "../../store/people/audit-log.ts";
import { receiptTables } from "../../store/receipts/receipt-columns.ts";
import {
  findReceiptFile,
  markReceiptsWithdrawn,
  type StoredReceiptFile,
} from "../../store/receipts/receipt-files.ts";
import { receiptsOfAccount } from "../../store/receipts/receipt-run.ts";
import { refreshLinesInForce } from "../../store/statements/lines-in-force.ts";
import { auditWithdrawal, databaseTime } from "../../store/statements/statements.ts";
import { reconcileReceipts } from "./reconcile-receipts.ts";

export interface WithdrawReceipts extends Author {
  readonly fileId: number;
  readonly reason: string;
}

/** Takes a whole file back. Nothing is deleted, and what another file carries as well stays in force. */
export async function withdrawReceipts(
  database: Database,
  request: WithdrawReceipts,
): Promise<StoredReceiptFile> {
  const { fileId: id, reason, actor: by, requestId } = request;
  if (reason.trim() === "") throw usageError("a withdrawal needs a reason");
  return database.transaction(async (tx) => {
    const { accountId } = await imported(tx, id);
    await prepareSession(tx);
    await lockProvider(tx, { accountId, provider: receiptsOfAccount });
    // Again, because another may have withdrawn it while we waited for the lock.
    await imported(tx, id);
    const at = await databaseTime(tx);
    await markReceiptsWithdrawn(tx, { id, at, by, reason });
    await refreshLinesInForce(tx, { fileIds: [id], causedBy: id, at }, receiptTables);
    await reconcileReceipts(tx, accountId);
    await auditWithdrawal(tx, "receipts", { id, by, reason, requestId });
    const file = await findReceiptFile(tx, id);
    if (!file) throw new TypeError(`file ${id} was just read`);
    return file;
  });
}

async function imported(tx: Transaction, id: number): Promise<StoredReceiptFile> {
  const file = await findReceiptFile(tx, id);
  if (!file)
    throw new TieoutError("statement_not_found", `there is no file rcf_${id}: see tieout receipt list`);
  if (file.state === "withdrawn") {
    throw new TieoutError("statement_withdrawn", `rcf_${id} was withdrawn already: ${file.withdrawnReason}`);
  }
  return file;
}
