import { type SQL, sql } from "drizzle-orm";
import { approvalEvents } from "../schema/approvals.ts";
import { decisions, discrepancies, discrepancyEvents } from "../schema/findings.ts";

/** Who approved a decision, under the name they had then; `null`: it took one person. */
const approvedByName = (decision: SQL): SQL<string | null> =>
  sql`(select v.person_name
       from ${decisions} as s
       join ${approvalEvents} as v on v.approval_id = s.approval_id and v.state = 'approved'
       where ${decision})`;

/** Of the decision that stands. */
export const approverOfDiscrepancy = approvedByName(
  sql`s.discrepancy_id = ${discrepancies.id} and s.known_to is null`,
);

/** Of the decision that an event told of: the one that stood then. */
export const approverOfEvent = approvedByName(
  sql`${discrepancyEvents.event} = 'written_off'
      and s.discrepancy_id = ${discrepancyEvents.discrepancyId}
      and s.known_from <= ${discrepancyEvents.at}
      and (s.known_to is null or s.known_to > ${discrepancyEvents.at})`,
);
