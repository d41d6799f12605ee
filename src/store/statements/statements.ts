import { and, eq, getTableColumns } from "drizzle-orm";
import type { Instant } from "../../core/instant.ts";
import { accountName } from "../accounts/accounts.ts";
import { type AccountReader, anyOf, type Filters, ofAccounts, seenBy } from "../conditions.ts";
import type { Queryable, Transaction } from "../database.ts";
import type { Page, PageWanted } from "../keyset.ts";
import { actorName } from "../people/actor-name.ts";
import { recordAudit } from "../people/audit-log.ts";
import { statements } from "../schema/statements.ts";
import { pagingBy, selectPage } from "../select-page.ts";

export type NewStatement = Omit<typeof statements.$inferInsert, "id" | "state">;

/** A statement with the name of its account, and of the people who imported and withdrew it. A preview has no name. */
export type StoredStatement = typeof statements.$inferSelect & {
  account: string;
  importedByName?: string;
  withdrawnByName?: string | null;
};

const columns = {
  ...getTableColumns(statements),
  account: accountName(statements.accountId),
  importedByName: actorName(statements.importedBy),
  withdrawnByName: actorName<string | null>(statements.withdrawnBy),
};

export async function drawStatementId(tx: Queryable): Promise<number> {
  const [row] = await tx.query<{ id: string }>("select nextval('tieout.statements_id_seq') as id");
  return Number(row?.id);
}

export async function listStatementIds(tx: Queryable): Promise<number[]> {
  const rows = await tx.orm.select({ id: statements.id }).from(statements).orderBy(statements.id);
  return rows.map(({ id }) => id);
}

/** Now, by the clock of the database, in its own text: a `Date` would drop the microseconds. */
export async function databaseTime(tx: Queryable): Promise<Instant> {
  const [row] = await tx.query<{ at: string }>(
    `select to_char(clock_timestamp() at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as at`,
  );
  return (row?.at ?? "") as Instant;
}

/** Written last, when everything about the file is known: there is never a statement that is half true. */
export async function insertStatement(tx: Transaction, id: number, statement: NewStatement): Promise<void> {
  await tx.orm
    .insert(statements)
    .overridingSystemValue()
    .values({ ...statement, id });
}

/** The statement with these bytes, unless it was withdrawn. */
export async function findImportedFile(
  tx: Transaction,
  file: { accountId: number; provider: string; sha256: Buffer },
): Promise<StoredStatement | null> {
  const [row] = await tx.orm
    .select(columns)
    .from(statements)
    .where(
      and(
        eq(statements.accountId, file.accountId),
        eq(statements.provider, file.provider),
        eq(statements.sha256, file.sha256),
        eq(statements.state, "imported"),
      ),
    );
  return row ?? null;
}

/** `accountIds`: only of these accounts. */
export async function findStatement(
  tx: Queryable,
  id: number,
  accountIds: readonly number[] | null = null,
): Promise<StoredStatement | null> {
  const [row] = await tx.orm
    .select(columns)
    .from(statements)
    .where(and(seenBy({ accountIds }, statements.accountId), eq(statements.id, id)));
  return row ?? null;
}

export const statementPaging = pagingBy(statements, "descending", "id");

export async function listStatements(
  reader: AccountReader,
  filters: Filters<"account" | "provider" | "state">,
  page: PageWanted,
): Promise<Page<StoredStatement>> {
  const select = reader.database.orm.select(columns).from(statements).$dynamic();
  return selectPage(select, statementPaging, page, [
    seenBy(reader, statements.accountId),
    ofAccounts(statements.accountId, filters.account),
    anyOf(statements.provider, filters.provider),
    anyOf(statements.state, filters.state),
  ]);
}

export interface Neighbour {
  readonly id: number;
  readonly fileName: string;
  readonly periodFrom: Instant;
  readonly periodTo: Instant;
}

/** Other statements of the provider that share days with the period, and the nearest before and after it. */
export async function findNeighbours(
  tx: Queryable,
  period: { accountId: number; provider: string; from: string; to: string; except: readonly number[] },
): Promise<{ overlapping: Neighbour[]; before: Neighbour | null; after: Neighbour | null }> {
  const rows = await tx.query<Neighbour & { place: "overlapping" | "before" | "after" }>(neighboursSql, [
    period.accountId,
    period.provider,
    period.from,
    period.to,
    period.except,
  ]);
  const at = (place: string) => rows.filter((row) => row.place === place);
  return { overlapping: at("overlapping"), before: at("before")[0] ?? null, after: at("after")[0] ?? null };
}

const instant = (column: string) => `to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;
const neighboursSql = `
with other as (
  select id::int, file_name as "fileName", ${instant("period_from")} as "periodFrom", ${instant("period_to")} as "periodTo",
         case when period_to <= $3 then 'before' when period_from >= $4 then 'after' else 'overlapping' end as place
  from tieout.statements
  where account_id = $1
    and provider = $2
    and state = 'imported'
    and period_from is not null
    and id <> all($5::bigint[])
)
(select * from other where place = 'overlapping' order by id limit 20)
union all
(select * from other where place = 'before' order by "periodTo" desc limit 1)
union all
(select * from other where place = 'after' order by "periodFrom" limit 1)`;

export interface Withdrawal {
  readonly id: number;
  readonly at: string;
  readonly by: string;
  readonly reason: string;
  readonly requestId?: string | undefined;
}

/** Takes a file back as a unit. Nothing is deleted: its lines stop counting, unless another file carries them too. */
export async function markWithdrawn(tx: Transaction, withdrawal: Withdrawal): Promise<void> {
  const { id, at, by, reason } = withdrawal;
  await tx.orm
    .update(statements)
    .set({ state: "withdrawn", withdrawnAt: at, withdrawnBy: by, withdrawnReason: reason })
    .where(eq(statements.id, id));
}

/** To be called last: the log is one chain, and a writer keeps all others waiting until the commit. */
export async function auditWithdrawal(
  tx: Transaction,
  kind: "statement" | "receipts",
  { id, by, reason, requestId }: Omit<Withdrawal, "at">,
): Promise<void> {
  await recordAudit(tx, {
    actor: by,
    action: `${kind}.withdrawn`,
    subject: `${kind} ${id}`,
    before: { state: "imported" },
    after: { state: "withdrawn" },
    reason,
    requestId,
  });
}
