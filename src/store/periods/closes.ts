import type { Instant } from "../../core/instant.ts";
import { instantOf } from "../clock-time.ts";
import type { Queryable } from "../database.ts";

/** A month that two people have signed. */
export interface Close {
  accountId: number;
  /** `2026-10` */
  month: string;
  /** The zone whose month it is. */
  zone: string;
  to: Instant;
  /** By what was known when it was signed. */
  knownAt: Instant;
}

/**
 * The months that were closed at a time, oldest first: one that was reopened later is among them, and one that was closed
 * later is not. So a question about what was known then always has the same answer.
 */
export async function listClosesAt(
  database: Pick<Queryable, "query">,
  { accountIds, at }: { accountIds: readonly number[]; at: string },
): Promise<Close[]> {
  const rows = await database.query<Record<"month" | "zone" | "to_at" | "known_at", string> & { id: number }>(
    `select e.account_id as id, e.month, e.zone, e.to_at::text, e.known_at::text
     from (
       select distinct on (account_id, month) *
       from tieout.period_events
       where account_id = any ($1::int[])
         and event in ('approved', 'reopened')
         and at <= $2::timestamptz
       order by account_id, month, id desc
     ) as e
     where e.event = 'approved'
     order by e.to_at, e.account_id`,
    [accountIds, at],
  );
  return rows.map(({ id, month, zone, to_at: to, known_at: knownAt }) => ({
    accountId: id,
    month,
    zone,
    to: instantOf(to),
    knownAt: instantOf(knownAt),
  }));
}
