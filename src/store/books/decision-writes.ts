import type { Transaction } from "../database.ts";

interface Decision {
  /** When it counts from; left out: now. */
  bookedAt: string | undefined;
  actor: string;
  approvalId: number | null;
}

/** A decision counts from the day it is booked, for as long as it is not taken back. `null` takes it back. */
export async function keepDecision(
  tx: Transaction,
  discrepancyIds: readonly number[],
  decision: Decision | null,
): Promise<void> {
  await tx.query(
    `update tieout.decisions
     set known_to = clock_timestamp()
     where discrepancy_id = any($1::bigint[])
       and known_to is null`,
    [discrepancyIds],
  );
  if (decision === null) return;
  const { bookedAt, actor, approvalId } = decision;
  await tx.query(
    `insert into tieout.decisions
       (discrepancy_id, fingerprint, facts_hash, decision, booked_at, reason, decided_by, approval_id, known_from)
     select d.id, d.fingerprint, d.facts_hash, d.state, coalesce($2::timestamptz, d.resolved_at), d.reason, $3, $4, d.resolved_at
     from tieout.discrepancies as d
     where d.id = any($1::bigint[])
     order by d.id`,
    [discrepancyIds, bookedAt ?? null, actor, approvalId],
  );
}
