import { randomBytes } from "node:crypto";
import type { ApiDeps } from "../../src/api/deps.ts";
import { periodRoutes } from "../../src/api/periods/routes.ts";
import { exportRoutes } from "../../src/api/exports/routes.ts";
import { createFolderFiles } from "../../src/store/files/folder-files.ts";
import { webhookRoutes } from "../../src/api/webhooks/routes.ts";
import { reportRoutes } from "../../src/api/reports/routes.ts";
import { reconcileAccount } from "../../src/reconcile/reconcile.ts";
import type { Database } from "../../src/store/database.ts";
import { signingKey } from "../close/a-month.ts";
import { addRecords, addStatement, type Books } from "../reconcile/books.ts";
import { receive } from "../reconcile/receipts/bank.ts";

/** The routes that the running service adds to those that the API always has; the page's own have no place in a table of keys. */
export const extensions: NonNullable<ApiDeps["extensions"]> = [
  (api) => reportRoutes({ database: api.deps.database })(api),
  (api) =>
    exportRoutes({
      database: api.deps.database,
      files: createFolderFiles("/nowhere"),
      randomBytes,
      enqueue: () => Promise.resolve(),
    })(api),
  (api) => periodRoutes({ database: api.deps.database, signingKey })(api),
  (api) => webhookRoutes({ signingKey: "of the test", randomBytes, checkUrl })(api),
];

/** Anything that is an address at all. */
const checkUrl = (url: string) => (URL.canParse(url) ? null : "is not an address");

export interface ReconciledIds {
  statement: string;
  payout: string;
  match: string;
  discrepancy: string;
  line: string;
  receiptFile: string;
  receiptLine: string;
}

/** A statement, a match, a payout that does not tie, and what that makes wrong: something for every route to show. */
export async function keepReconciled(db: Database, account: Omit<Books, "db">): Promise<ReconciledIds> {
  const books = { ...account, db };
  await addRecords(books, [{ id: "01TX0000000R01" }, { id: "01TX0000000R02" }]);
  await addStatement(books, {
    lines: [
      { of: "01TX0000000R01", net_amount: "2", payout_ref: "P-1" },
      { key: "payout:P-1", type: "payout", net_amount: "4", payout_ref: "P-1" },
    ],
  });
  await reconcileAccount(db, books.accountId);
  await receive(books, [["2026-03-25", "9", "names no payout"]]);
  const [ids] = await db.query<ReconciledIds & Record<string, unknown>>(
    `select (select 'stm_' || max(id) from tieout.statements where account_id = $1) as statement,
            (select 'po_' || max(id) from tieout.payouts where account_id = $1) as payout,
            (select 'mat_' || max(id) from tieout.matches where account_id = $1) as match,
            (select 'dis_' || max(id) from tieout.discrepancies where account_id = $1) as discrepancy,
            (select 'lin_' || max(id) from tieout.statement_lines where account_id = $1) as line,
            (select 'rcf_' || max(id) from tieout.receipt_files where account_id = $1) as "receiptFile",
            (select 'rcl_' || max(id) from tieout.receipt_lines where account_id = $1) as "receiptLine"`,
    [books.accountId],
  );
  if (!ids) throw new Error("there is always one row");
  return ids;
}

/** What needs no key. */
export const open = [
  "/",
  "/livez",
  "/readyz",
  "/healthz",
  "/version",
  "/signing-key.pem",
  "/openapi.json",
  "/docs",
  "/docs/errors",
  "/docs/style.css",
];

/** Of a line that has not been assigned. */
export const aSplit = {
  line: "lin_999999",
  parts: [
    { transaction_id: "x", amount: "1" },
    { transaction_id: "y", amount: "1" },
  ],
  reason: "x",
};
