import type { Database, Transaction } from "../../store/database.ts";
import type { RejectedRow, RestatedRow } from "../../store/statement-rows.ts";
import type { StoredStatement } from "../../store/statements.ts";
import type { StatedMoments } from "./file-period.ts";
import type { Profile } from "./profile.ts";
import type { FileProblem } from "./refusal.ts";

export interface ImportDeps {
  readonly database: Database;
  /** Every profile that may fit, the user's own among them. */
  readonly profiles: readonly Profile[];
  /** Matches the new lines, inside the same database transaction, so that a preview shows what would come of them. */
  readonly afterLines?: (tx: Transaction, touched: TouchedProvider) => Promise<unknown>;
  /** Does nothing in production; tests stop an import here. */
  readonly failpoint?: (name: "statement.lines") => Promise<void> | void;
}

export interface TouchedProvider {
  readonly accountId: number;
  readonly provider: string;
  readonly statementId: number;
}

export interface ImportRequest extends StatedMoments {
  readonly account: { readonly id: number; readonly name: string };
  /** `null`: the header decides. */
  readonly provider: string | null;
  readonly profileName: string | null;
  /** The statement that this one corrects: it is withdrawn in the same database transaction. */
  readonly replaces: number | null;
  /** Why a file is taken although it is cut off or its totals differ. */
  readonly acceptReason: string | null;
  readonly actor: string;
  readonly requestId?: string;
}

export interface ImportResult {
  /** `already_imported`: nothing changed, and this is the earlier import. */
  readonly state: "imported" | "already_imported" | "previewed";
  readonly statement: StoredStatement;
  /** What would refuse the file; empty after an import. */
  readonly problems: readonly FileProblem[];
  /** The first ones; all of them can be downloaded. */
  readonly rejects: readonly RejectedRow[];
  readonly restated: readonly RestatedRow[];
  /** What `afterLines` returned. */
  readonly consequences: unknown;
}
