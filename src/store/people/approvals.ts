import { and, eq, getTableColumns, inArray, isNull, or, type SQL, sql } from "drizzle-orm";
import type { ApprovalKind } from "../../core/approvals.ts";
import { TieoutError } from "../../core/errors.ts";
import { accountName } from "../accounts/accounts.ts";
import { clockNow } from "../clock-time.ts";
import { type AccountReader, anyOf, type Filters, seenBy } from "../conditions.ts";
import type { Queryable, Transaction } from "../database.ts";
import type { Page, PageWanted } from "../keyset.ts";
import { approvalEvents, approvals } from "../schema/approvals.ts";
import { pagingBy, selectPage } from "../select-page.ts";

/** With the names of both people as they were then. */
export type Approval = typeof approvals.$inferSelect & {
  account: string | null;
  proposedByName: string;
  decidedByName: string | null;
};

const nameAt = (proposed: boolean): SQL<string> =>
  sql`(select e.person_name from ${approvalEvents} as e
       where e.approval_id = tieout.approvals.id and (e.state = 'proposed') = ${proposed}
       order by e.id limit 1)`;

const columns = {
  ...getTableColumns(approvals),
  account: accountName(approvals.accountId) as SQL<string | null>,
  proposedByName: nameAt(true),
  decidedByName: nameAt(false) as SQL<string | null>,
};

export const approvalPaging = pagingBy(approvals, "descending", "id");

/** What concerns no single account is for those who see all of them. */
function visibleTo(reader: Pick<AccountReader, "accountIds">): SQL | undefined {
  return reader.accountIds === null
    ? undefined
    : or(seenBy(reader, approvals.accountId), and(isNull(approvals.accountId), sql`false`));
}

export async function listApprovals(
  reader: AccountReader,
  filters: Filters<"state" | "kind" | "subject">,
  page: PageWanted,
): Promise<Page<Approval>> {
  const select = reader.database.orm.select(columns).from(approvals).$dynamic();
  return selectPage(select, approvalPaging, page, [
    visibleTo(reader),
    anyOf(approvals.state, filters.state),
    anyOf(approvals.kind, filters.kind),
    anyOf(approvals.subject, filters.subject),
  ]);
}

export async function readApproval(reader: AccountReader, id: number): Promise<Approval | null> {
  const [row] = await reader.database.orm
    .select(columns)
    .from(approvals)
    .where(and(visibleTo(reader), eq(approvals.id, id)));
  return row ?? null;
}

/** Locks it, so that of two who decide at the same time the second sees what the first did. */
export async function holdApproval(tx: Transaction, reader: Pick<AccountReader, "accountIds">, id: number) {
  const [row] = await tx.orm
    .select()
    .from(approvals)
    .where(and(visibleTo(reader), eq(approvals.id, id)))
    .for("update");
  return row ?? null;
}

export interface ApprovalToPropose {
  kind: ApprovalKind;
  subject: string;
  accountId: number | null;
  details: Record<string, unknown>;
  proposedBy: number;
  reason: string;
}

/** Of the same subject only one proposal waits at a time: another one is refused, so that nobody takes it for theirs. */
export async function insertApproval(tx: Transaction, wanted: ApprovalToPropose): Promise<number> {
  const [made] = await tx.orm
    .insert(approvals)
    .values(wanted)
    .onConflictDoNothing()
    .returning({ id: approvals.id });
  if (made) return made.id;
  const { kind, subject } = wanted;
  const waiting = (await listWaiting(tx, kind, [subject])).get(subject);
  if (waiting === undefined) throw new Error(`the proposal about ${subject} is gone`);
  throw new TieoutError("approval_conflict", alreadyWaits(waiting));
}

/** The message for a second proposal. */
export function alreadyWaits(approvalId: number): string {
  return `apr_${approvalId} already waits for approval: reject it first, or withdraw it if it is yours`;
}

/** The proposals that wait, by their subject. */
export async function listWaiting(
  tx: Transaction,
  kind: ApprovalKind,
  subjects: readonly string[],
): Promise<Map<string, number>> {
  const rows = await tx.orm
    .select({ id: approvals.id, subject: approvals.subject })
    .from(approvals)
    .where(
      and(
        eq(approvals.kind, kind),
        inArray(approvals.subject, [...subjects]),
        eq(approvals.state, "proposed"),
      ),
    );
  return new Map(rows.map(({ id, subject }) => [subject, id]));
}

export async function settleApproval(
  tx: Transaction,
  id: number,
  decision: {
    state: "approved" | "rejected" | "withdrawn";
    decidedBy: number;
    /** Who could have decided in their name. */
    vouchedBy: string | null;
    reason: string | null;
  },
): Promise<void> {
  const { state, decidedBy, vouchedBy, reason } = decision;
  await tx.orm
    .update(approvals)
    .set({
      state,
      decidedBy,
      decidedVouchedBy: vouchedBy,
      decidedAt: clockNow,
      decisionReason: reason,
    })
    .where(eq(approvals.id, id));
}

/** Anyone who could be the proposer cannot approve it: the database keeps them with what this transaction proposes. */
export async function sayVouchers(tx: Transaction, vouchedBy: string | null): Promise<void> {
  await tx.query("select set_config('tieout.vouched_by', $1, true)", [vouchedBy ?? ""]);
}

/** The person behind an actor: themselves, or the owner of a key. */
export async function personOf(database: Queryable, actor: string): Promise<number | null> {
  const [row] = await database.query<{ id: number | null }>("select tieout.person_of($1)::int as id", [
    actor,
  ]);
  return row?.id ?? null;
}

/** Whether there are two admins, so that neither makes another alone. */
export async function needsSecondAdmin(database: Queryable): Promise<boolean> {
  const [row] = await database.query<{ needed: boolean }>("select tieout.needs_second_admin() as needed");
  return row?.needed ?? false;
}
