import type { Class } from "../books/summary.ts";
import type { Queryable } from "../database.ts";

/** What the conditions of a list speak of; with the class only where it is asked for, because it costs six joins. */
export function transactionsFor(filters: { class?: Class | undefined }): string {
  return `tieout.${filters.class === undefined ? "transactions" : "judged_transactions"} as t`;
}

// A list goes by the status that it shows, even where that is dated in the future.
const isCompleted = "t.status = 'completed'";

const inForce = "f.known_to is null and f.holds_from < now() and f.holds_to >= now()";
const overdue = `f.code = 'statement_overdue' and ${inForce}`;

// Beyond these dates no transaction can be of the class: of the newest, no statement tells yet.
const settledBefore = "t.status_date <= (select max(settled_to) from tieout.account_providers)";
const accusedBefore = `t.status_date <= greatest(
    (select max(accused_to) from tieout.account_providers),
    (select max(f.period_to) from tieout.findings as f where ${overdue}))`;

const isBounded: Record<Class, string> = {
  matched: `${isCompleted} and ${settledBefore}`,
  pending: isCompleted,
  discrepant: `${isCompleted} and ${accusedBefore}`,
  excluded: isCompleted,
};

export function isInClass(name: Class): string {
  return `${isBounded[name]} and t.class = '${name}'`;
}

// `offset 0` keeps these look-ups by key: as joins, a list that ends after 25 rows would read both tables whole.
const hasMatch = (which: string) => `exists (
    select from tieout.matches as m
    where m.account_id = t.account_id and m.transaction_id = t.transaction_id and m.state = 'active' and m.role = 'settles'${which}
    offset 0)`;
const settled = hasMatch("");
const settledByNow = hasMatch(" and m.effective_at < now()");

/**
 * Something is said against it, or against the statement that should have told of it. What has been found is hashed once and
 * then looked up; whether any statement is overdue is asked once, before it is asked of each transaction.
 */
const accused = `(
    (t.account_id, t.transaction_id) in (
      select f.account_id, f.transaction_id
      from tieout.findings as f
      where f.subject_kind = 'transaction' and f.level = 'error' and ${inForce}
      offset 0)
    or exists (select from tieout.findings as f where ${overdue})
      and exists (
        select
        from tieout.findings as f
        where ${overdue} and f.account_id = t.account_id and f.provider = lower(coalesce(t.provider, ''))
          and f.period_from <= t.status_date and f.period_to > t.status_date
        offset 0)
      and not ${settled})`;

/** True of all that are of the class and of few others, and looked up one by one, from the newest on. */
export const mayBeInClass: Record<Class, string> = {
  matched: `${isBounded.matched} and ${settled}`,
  pending: `${isBounded.pending} and not ${settledByNow}`,
  discrepant: `${isBounded.discrepant} and ${accused}`,
  excluded: isBounded.excluded,
};

/** Those of the class, in the order they came in. */
export async function keepClass<Row extends { account_id: number; transaction_id: string }>(
  database: Queryable,
  rows: readonly Row[],
  name: Class,
): Promise<Row[]> {
  if (rows.length === 0) return [];
  const keyOf = (row: { account_id: number; transaction_id: string }) =>
    `${row.account_id} ${row.transaction_id}`;
  const judged = await database.query<{ account_id: number; transaction_id: string }>(
    `select t.account_id, t.transaction_id
     from tieout.judged_transactions as t
     where t.account_id = any ($1::int[])
       and t.transaction_id = any ($2::text[])
       and t.class = $3`,
    [[...new Set(rows.map((row) => row.account_id))], rows.map((row) => row.transaction_id), name],
  );
  const kept = new Set(judged.map(keyOf));
  return rows.filter((row) => kept.has(keyOf(row)));
}
