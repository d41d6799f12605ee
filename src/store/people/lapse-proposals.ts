import type { Transaction } from "../database.ts";
import { type Author, recordAudit } from "./audit-log.ts";

/**
 * Ends the proposals to write off what was closed in another way: there is nothing left to approve. One that someone is
 * deciding at this moment is passed over, since waiting for each other would end neither: it cannot be carried out any
 * longer, and the next run over the account ends it.
 */
export async function lapseWriteOffs(
  tx: Transaction,
  closed: { discrepancyIds: readonly number[] } | { accountId: number },
  author: Author,
): Promise<void> {
  const ids = "discrepancyIds" in closed ? closed.discrepancyIds : null;
  const accountId = "accountId" in closed ? closed.accountId : null;
  const lapsed = await tx.query<{ id: number; subject: string; reason: string }>(
    `with over as (
       select a.id, d.state
       from tieout.approvals as a
       join tieout.discrepancies as d
         on d.id = case when a.subject ~ '^dis_\\d{1,18}$' then substr(a.subject, 5)::bigint end
       where a.kind = 'write_off'
         and a.state = 'proposed'
         and (a.account_id = $1 or d.id = any($2::bigint[]))
         and d.state not in ('open', 'investigating')
       order by a.id
       for update of a skip locked
     )
     update tieout.approvals as a
     set state = 'lapsed', decided_at = clock_timestamp(), decision_reason = a.subject || ' is ' || replace(over.state, '_', ' ')
     from over
     where a.id = over.id
     returning a.id::int, a.subject, a.decision_reason as reason`,
    [accountId, ids],
  );
  for (const { id, subject, reason } of lapsed) {
    const after = { approval: `apr_${id}`, kind: "write_off", state: "lapsed" };
    await recordAudit(tx, { ...author, action: "approval.lapsed", subject, after, reason });
  }
}
