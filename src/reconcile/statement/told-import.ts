import type { ClosedMonth } from "../../core/closed-month.ts";
import type { Transaction } from "../../store/database.ts";
import { listUntiedPayouts, type UntiedPayout } from "../../store/books/untied-payouts.ts";
import {
  listRejects,
  listRestated,
  type RejectedRow,
  type RestatedRow,
} from "../../store/statements/statement-rows.ts";
import type { IntakeTally } from "../../store/statements/statement-intake.ts";
import type { StoredStatement } from "../../store/statements/statements.ts";
import {
  type GoneLines,
  listGone,
  listRepeated,
  nothingRepeated,
  type RepeatedRows,
} from "../../store/statements/told-rows.ts";
import { movedByStatements } from "../../store/periods/closed-sums.ts";
import { findClosedMonths } from "../closed-months.ts";
import type { ProviderResult } from "../reconcile.ts";
import { rowsShownMax } from "./limits.ts";

/** What a preview, and an import, names one by one: of each kind, the first. */
export interface ToldImport {
  readonly rejects: readonly RejectedRow[];
  readonly restated: readonly RestatedRow[];
  readonly repeated: RepeatedRows;
  /** The statement that this one withdraws. */
  readonly replaced: ReplacedStatement | null;
  /** Months whose figures stay as they were signed, although lines of the file are dated in them. */
  readonly closedMonths: readonly ClosedMonth[];
}

export interface ReplacedStatement {
  readonly id: number;
  readonly fileName: string;
  /** Its lines that the new file does not have. */
  readonly gone: GoneLines;
}

interface TakenIn {
  accountId: number;
  statementId: number;
  at: string;
  tally: IntakeTally;
  replaced: StoredStatement | null;
}

/** After the lines of the file, and which of them count, are written. */
export async function tellImport(
  tx: Transaction,
  { accountId, statementId, at, tally, replaced }: TakenIn,
): Promise<ToldImport> {
  const first = { statementId, limit: rowsShownMax };
  return {
    rejects: await listRejects(tx, { ...first, after: 0 }),
    restated: tally.restated === 0 ? [] : await listRestated(tx, first),
    repeated: tally.duplicate === 0 ? nothingRepeated : await listRepeated(tx, first),
    replaced: replaced && {
      id: replaced.id,
      fileName: replaced.fileName,
      gone: await listGone(tx, { replacedId: replaced.id, at }),
    },
    closedMonths: await findClosedMonths(tx, movedByStatements, { accountId, fileId: statementId, at }),
  };
}

/** Of a file that was imported before: nothing but what is wrong with it. */
export async function tellKnown(tx: Transaction, statementId: number): Promise<ToldImport> {
  const rejects = await listRejects(tx, { statementId, after: 0, limit: rowsShownMax });
  return { rejects, restated: [], repeated: nothingRepeated, replaced: null, closedMonths: [] };
}

/** After matching, in the same database transaction. */
export async function tellUntied(
  tx: Transaction,
  { accountId, provider }: { accountId: number; provider: string },
  consequences: ProviderResult | undefined,
): Promise<UntiedPayout[]> {
  if (!consequences?.codes["payout_sum_mismatch"]) return [];
  return listUntiedPayouts(tx, { accountId, provider, limit: rowsShownMax });
}
