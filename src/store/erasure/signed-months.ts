import type { Queryable } from "../database.ts";

/** From when to when a status was the latest of its transaction; `null`: it still is. */
export interface SignedSpan {
  readonly since: string;
  readonly until: string | null;
}

/** The months that someone has signed and whose packs hold one of these. */
export async function findSignedMonths(
  tx: Queryable,
  accountId: number,
  of: { spans: readonly SignedSpan[]; lineIds: readonly number[]; receiptLineIds: readonly number[] },
): Promise<string[]> {
  const rows = await tx.query<{ month: string }>(
    `select p.month
     from tieout.periods as p
     where p.account_id = $1
       and p.state in ('prepared', 'closed')
       and (exists (select from unnest($2::timestamptz[], $3::timestamptz[]) as s (since, until)
                    where s.since < p.to_at and (s.until is null or s.until >= p.from_at))
            or exists (select from tieout.statement_lines as l
                       where l.id = any($4::bigint[]) and l.effective_at >= p.from_at and l.effective_at < p.to_at)
            or exists (select from tieout.receipt_lines as l
                       where l.id = any($5::bigint[]) and l.effective_at >= p.from_at and l.effective_at < p.to_at))
     order by p.month`,
    [
      accountId,
      of.spans.map(({ since }) => since),
      of.spans.map(({ until }) => until),
      of.lineIds,
      of.receiptLineIds,
    ],
  );
  return rows.map(({ month }) => month);
}
