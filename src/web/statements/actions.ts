import type { statement } from "../../api/statements/schema.ts";
import type { ClosedMonth } from "../../core/closed-month.ts";
import type { UntiedPayout } from "../../store/books/untied-payouts.ts";
import type { GoneLines, RepeatedRows } from "../../store/statements/told-rows.ts";
import type { RejectedRow, RestatedRow } from "../../store/statements/statement-rows.ts";
import type { StoredStatement } from "../../store/statements/statements.ts";

/**
 * What the page can do with provider statements. Passed in when the service starts: this room looks at
 * statements, and another one reads and matches them.
 */
export interface StatementActions {
  /** Names of those that are built in, and of those saved for these accounts; `null`: for any. */
  profiles(accountIds: readonly number[] | null): Promise<readonly string[]>;
  /** Does everything that an import does, and undoes it. */
  preview(file: StatementFile, request: StatementRequest): Promise<StatementOutcome>;
  take(file: StatementFile, request: StatementRequest): Promise<StatementOutcome>;
  /** The first rows of a file that no profile need fit. */
  sample(file: StatementFile, asked: { encoding?: string }): Promise<FileSample>;
}

interface FileSample {
  encoding: string;
  delimiter: string;
  headerLineNo: number;
  columns: readonly { header: string; proposed: string | null }[];
  rows: readonly (readonly string[])[];
}

export interface StatementFile {
  name: string;
  /** Where it is for as long as the request is answered. */
  path: string;
}

export interface StatementRequest {
  account: { id: number; name: string };
  /** `null`: the header decides. */
  provider: string | null;
  profileName: string | null;
  /** The statement that this one corrects. */
  replaces: number | null;
  /** Why a file is taken although it is cut off or its totals differ. */
  acceptReason: string | null;
  /** Whether the one who asks may see wallet addresses, and so rows as they stand in the file. */
  wallets: boolean;
  actor: string;
  requestId: string;
  /** Told how far it has come, for whoever waits. */
  tell?: (words: string) => void;
  /** Ends the reading when the browser has left. */
  signal?: AbortSignal;
}

export interface StatementOutcome {
  state: "imported" | "already_imported" | "previewed";
  statement: OutcomeStatement;
  /** What would refuse the file as a whole. */
  problems: readonly { code: string; message: string }[];
  /** The first ones. */
  rejects: readonly OutcomeReject[];
  restated: readonly OutcomeRestated[];
  repeated: RepeatedRows;
  /** The statement that this one withdraws, with those of its lines that the file does not have. */
  replaced: { id: number; fileName: string; gone: GoneLines } | null;
  closedMonths: readonly ClosedMonth[];
  /** Results of matching, as counts by name. */
  consequences: Readonly<Record<string, number>>;
  /** Discrepancies that matching raised, by code, the most first. */
  codes: Readonly<Record<string, number>>;
  /** Payouts whose lines do not add up to what was declared. */
  untied: readonly UntiedPayout[];
}

export interface OutcomeRestated extends RestatedRow {
  /** Why this value counts, or does not. */
  because: string;
}

export interface OutcomeStatement extends Omit<StoredStatement, "totals" | "warnings"> {
  /** Our field → their column. */
  mapping: Readonly<Record<string, string>>;
  totals: readonly StatementTotal[];
  warnings: readonly string[];
}

export interface OutcomeReject extends Omit<RejectedRow, "originalText"> {
  /** `null` without wallets:read. */
  originalText: string | null;
}

export type StatementTotal = ReturnType<typeof statement.present>["totals"][number];
