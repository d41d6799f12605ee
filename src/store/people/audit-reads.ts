import { addAnyOf, conditionsFor } from "../conditions.ts";
import type { Queryable } from "../database.ts";
import { type Keyset, type Page, type PageWanted, readPage } from "../keyset.ts";

export interface AuditRow {
  number: string;
  at: string;
  actor: string;
  action: string;
  subject: string;
  before: string | null;
  after: string | null;
  reason: string | null;
  request_id: string | null;
  previous_hash: string;
  hash: string;
}

const newestFirst: Keyset = { keys: [{ expression: "l.number", kind: "integer" }], descending: true };

export const auditKeyset = { keyset: newestFirst, positionOf: (row: AuditRow) => [row.number] };

/** The log of the whole service: it belongs to no account, and only a key for all accounts may read it. */
export async function listAudit(
  database: Queryable,
  filters: { actor?: readonly string[]; action?: readonly string[]; subject?: readonly string[] },
  page: PageWanted,
): Promise<Page<AuditRow>> {
  const conditions = conditionsFor({ database, accountIds: null }, "");
  addAnyOf(conditions, "l.actor", filters.actor);
  addAnyOf(conditions, "l.action", filters.action);
  addAnyOf(conditions, "l.subject", filters.subject);
  const select = `l.number::text, l.at::text, l.actor, l.action, l.subject, l.before::text, l.after::text, l.reason,
    l.request_id, encode(l.previous_hash, 'hex') as previous_hash, encode(l.hash, 'hex') as hash`;
  return readPage(database, { select, from: "tieout.audit_log as l", conditions, keyset: newestFirst, page });
}
