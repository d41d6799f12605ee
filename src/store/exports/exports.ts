import { type Instant, parseInstant } from "../../core/instant.ts";
import { recordAudit } from "../people/audit-log.ts";
import { type AccountReader, addAnyOf, type Conditions, conditionsFor } from "../conditions.ts";
import type { Database, Queryable, Transaction } from "../database.ts";
import { type Keyset, type Page, type PageWanted, readPage } from "../keyset.ts";

type ExportState = "queued" | "running" | "succeeded" | "failed" | "cancelled" | "expired";

export interface ExportFile {
  /** For the reader. */
  name: string;
  /** In the folder of exports: no two attempts ever write the same one. */
  storedAs: string;
  rows: number;
  bytes: number;
  sha256: string;
}

export interface ExportRow {
  id: string;
  report: string;
  format: "csv" | "jsonl";
  parameters: Record<string, readonly string[]>;
  actor: string;
  accountIds: number[] | null;
  wallets: boolean;
  linkSecret: Buffer;
  state: ExportState;
  attempt: number;
  asOf: string | null;
  rowsWritten: number;
  rowsTotal: number | null;
  totals: unknown;
  files: ExportFile[] | null;
  errorCode: string | null;
  error: string | null;
  createdAt: string;
  startedAt: string | null;
  finishedAt: string | null;
  expiresAt: string | null;
}

export interface ExportToAdd extends Pick<
  ExportRow,
  "id" | "report" | "format" | "parameters" | "actor" | "accountIds" | "wallets" | "linkSecret"
> {
  requestId: string | null;
}

/** The right of one worker to write one export. */
export interface ExportLease {
  id: string;
  attempt: number;
}

// Times as the database writes them: a position in a list needs their microseconds.
const exportColumns = `
  e.id, e.report, e.format, e.parameters, e.actor, e.account_ids as "accountIds", e.wallets,
  e.link_secret as "linkSecret", e.state, e.attempt, e.as_of::text as "asOf",
  e.rows_written::double precision as "rowsWritten", e.rows_total::double precision as "rowsTotal", e.totals, e.files,
  e.error_code as "errorCode", e.error, e.created_at::text as "createdAt", e.started_at::text as "startedAt",
  e.finished_at::text as "finishedAt", e.expires_at::text as "expiresAt"`;

type Row = ExportRow & Record<string, unknown>;

export async function addExport(database: Database, wanted: ExportToAdd): Promise<ExportRow> {
  return database.transaction(async (tx) => {
    const { id, report, format, parameters, actor, accountIds, wallets, linkSecret, requestId } = wanted;
    const [row] = await tx.query<Row>(
      `insert into tieout.exports as e (id, report, format, parameters, actor, account_ids, wallets, link_secret)
       values ($1, $2, $3, $4, $5, $6, $7, $8)
       returning ${exportColumns}`,
      [id, report, format, JSON.stringify(parameters), actor, accountIds, wallets, linkSecret],
    );
    const after = { report, format, parameters, wallets };
    await audit(tx, { id, actor, requestId, action: "export.requested", after });
    return row as Row;
  });
}

/** An export is there for those who may see all accounts that it was made for. */
export async function readExport(reader: AccountReader, id: string): Promise<ExportRow | null> {
  const conditions = exportConditions(reader);
  conditions.add(`e.id = ${conditions.bind(id)}`);
  const [row] = await reader.database.query<Row>(
    `select ${exportColumns} from tieout.exports as e where ${conditions.toSql()}`,
    conditions.values,
  );
  return row ?? null;
}

const newestFirst: Keyset = {
  keys: [
    { expression: "e.created_at", kind: "time" },
    { expression: "e.id", kind: "text" },
  ],
  descending: true,
};

export const exportKeyset = {
  keyset: newestFirst,
  positionOf: ({ createdAt, id }: ExportRow) => [createdAt, id],
};

export async function listExports(
  reader: AccountReader,
  filters: { state?: readonly string[] | undefined; report?: readonly string[] | undefined },
  page: PageWanted,
): Promise<Page<ExportRow>> {
  const conditions = exportConditions(reader);
  addAnyOf(conditions, "e.state", filters.state);
  addAnyOf(conditions, "e.report", filters.report);
  return readPage<Row>(reader.database, {
    select: exportColumns,
    from: "tieout.exports as e",
    conditions,
    keyset: newestFirst,
    page,
  });
}

function exportConditions({ database, accountIds }: AccountReader): Conditions {
  const conditions = conditionsFor({ database, accountIds: null }, "");
  if (accountIds !== null) conditions.add(`e.account_ids <@ ${conditions.bind(accountIds)}::int[]`);
  return conditions;
}

export async function countUnfinished(database: Queryable, actor: string): Promise<number> {
  const [row] = await database.query<{ unfinished: number }>(
    "select count(*)::int as unfinished from tieout.exports where actor = $1 and state in ('queued', 'running')",
    [actor],
  );
  return row?.unfinished ?? 0;
}

/** Ends an export that is not over; a running one stops at the next sign of life of its worker. */
export async function cancelExport(
  database: Database,
  id: string,
  by: { actor: string; requestId: string | null },
): Promise<boolean> {
  return database.transaction(async (tx) => {
    const [row] = await tx.query(
      `update tieout.exports set state = 'cancelled', finished_at = clock_timestamp()
       where id = $1 and state in ('queued', 'running')
       returning id`,
      [id],
    );
    if (row) await audit(tx, { ...by, id, action: "export.cancelled" });
    return row !== undefined;
  });
}

/** Every copy that leaves the house is noted, whichever way it went. */
export async function auditExport(
  database: Database,
  entry: { id: string; actor: string; requestId: string | null; action: string; after?: unknown },
): Promise<void> {
  await database.transaction((tx) => audit(tx, entry));
}

async function audit(
  tx: Transaction,
  entry: { id: string; actor: string; requestId: string | null; action: string; after?: unknown },
): Promise<void> {
  const { id, actor, action, after, requestId } = entry;
  await recordAudit(tx, { actor, action, subject: id, after, ...(requestId === null ? {} : { requestId }) });
}

export interface ReportableAccount {
  id: number;
  name: string;
  syncStart: Instant;
  /** How far it has been read; `null` when nothing has. */
  coveredTo: Instant | null;
}

export async function reportableAccounts(
  database: Queryable,
  accountIds: readonly number[] | null,
): Promise<ReportableAccount[]> {
  const rows = await database.query<{
    id: number;
    name: string;
    sync_start: string;
    covered_to: string | null;
  }>(
    `select id, name,
            to_char(sync_start, 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as sync_start,
            to_char(upper(covered), 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as covered_to
     from tieout.accounts
     where $1::int[] is null or id = any($1::int[])
     order by name`,
    [accountIds],
  );
  return rows.map(({ id, name, sync_start, covered_to }) => ({
    id,
    name,
    syncStart: parseInstant(sync_start) as Instant,
    coveredTo: parseInstant(covered_to ?? ""),
  }));
}
