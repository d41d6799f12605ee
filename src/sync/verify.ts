import { hashVersion, recordHash } from "../core/record-hash.ts";
import { findWrongDiscrepancies } from "../store/books/discrepancy-integrity.ts";
import { findWrongSeals } from "../store/erasure/erasure-integrity.ts";
import { findWrongKeys } from "../store/people/key-integrity.ts";
import { type AuditHead, findCutOff, listKeptHeads } from "../store/people/audit-head.ts";
import type { Database } from "../store/database.ts";
import { unhurried } from "../store/large-statements.ts";
import {
  findBrokenAudit,
  findUnstable,
  findWrongCoverage,
  findWrongDigests,
  findWrongLatest,
  findWrongNames,
  type Mismatch,
} from "../store/transactions/integrity.ts";
import { readStatusRows } from "../store/transactions/status-rows.ts";

export interface VerifyReport {
  statusRows: number;
  mismatches: Mismatch[];
}

const mismatchesMax = 100;

/**
 * Recomputes every record hash from its stored row, every window's digest, every latest row, the discrepancies
 * and the audit chain.
 */
export async function verify(
  database: Database,
  options: {
    from?: string;
    to?: string;
    /** The newest audit entry at some earlier time, according to the service's log. */
    auditHeads?: readonly AuditHead[];
    onProgress?: (rows: number) => void;
  } = {},
): Promise<VerifyReport> {
  const mismatches: Mismatch[] = [];
  let statusRows = 0;
  await readStatusRows(database, options, (rows) => {
    for (const row of rows) {
      const known = row.hashVersion === hashVersion;
      if (known && recordHash(row.record) === row.recordHash) continue;
      const problem = known
        ? "its content does not give its hash"
        : `hash version ${row.hashVersion} is unknown`;
      if (mismatches.length < mismatchesMax)
        mismatches.push({ subject: `status row of ${row.record.transactionId}`, problem });
    }
    statusRows += rows.length;
    options.onProgress?.(statusRows);
  });
  const finders = [
    findWrongDigests,
    findWrongLatest,
    findWrongNames,
    findWrongCoverage,
    findUnstable,
    findWrongDiscrepancies,
    findBrokenAudit,
    findWrongSeals,
    findWrongKeys,
  ];
  for (const find of finders) {
    mismatches.push(...(await unhurried(database, find)));
  }
  const heads = [...(await listKeptHeads(database)), ...(options.auditHeads ?? [])];
  mismatches.push(...(await findCutOff(database, heads)));
  return { statusRows, mismatches };
}
