import type { ImportResult } from "./import-statement.ts";

/** The result of an import, or of a preview, for someone who may see wallet addresses in full or not. */
export interface ShownImport extends Omit<ImportResult, "rejects"> {
  readonly rejects: readonly (Omit<ImportResult["rejects"][number], "originalText"> & {
    /** The row as it stands in the file; `null`: it may hold a wallet address. */
    readonly originalText: string | null;
  })[];
}

/**
 * The file is the sender's own, but an earlier import is shown with the rows of another sender, and a restated
 * line with the values that stood before.
 */
export function withoutWallets(result: ImportResult): ShownImport {
  return {
    ...result,
    rejects: result.rejects.map((row) => ({ ...row, originalText: null })),
    restated: result.restated.map((row) => ({
      ...row,
      changes: Object.fromEntries(
        Object.entries(row.changes).map(([column, { before, after }]) => [
          column,
          mayHoldWallet.has(column) ? { before: hide(before), after: hide(after) } : { before, after },
        ]),
      ),
    })),
  };
}

const mayHoldWallet = new Set(["wallet_address", "address_tag", "extra", "raw_text"]);

/** That there is something stays visible. */
function hide(value: string | null): string | null {
  return value === null ? null : "…";
}
