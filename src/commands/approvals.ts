import { approve, type Decider, reject } from "../access/approvals.ts";
import { presentApproval } from "../api/approvals/schema.ts";
import { bookingOf } from "../core/approvals.ts";
import { usageError } from "../core/errors.ts";
import { scopesOfRoles } from "../core/roles.ts";
import { createEraser } from "../reconcile/erasure/approved-erasure.ts";
import type { Database } from "../store/database.ts";
import { type Approval, listApprovals } from "../store/people/approvals.ts";
import { findPersonByEmail } from "../store/people/people.ts";
import { actorOfPerson } from "../access/caller.ts";
import { actorName } from "./actor-name.ts";
import type { CommandContext } from "./context.ts";
import { openErasureKey } from "./erasure-key.ts";
import { answerList, writeOut } from "./write-out.ts";
import { removeExports } from "./remove-exports.ts";
import { withExistingDatabase } from "./with-store.ts";

export interface ApprovalFlags {
  all?: boolean;
  as?: string;
  reason?: string;
  json: boolean;
}

export async function listApprovalsCommand(context: CommandContext, flags: ApprovalFlags): Promise<void> {
  await withExistingDatabase(context, async (database) => {
    const filters = flags.all === true ? {} : { state: ["proposed"] };
    const { rows } = await listApprovals({ database, accountIds: null }, filters, {
      limit: 10_000,
      after: null,
    });
    const none = flags.all === true ? "Nothing was ever proposed." : "No proposal waits.";
    answerList(context, flags, { rows, present: presentApproval, describe, none });
  });
}

export async function decideApprovalCommand(
  context: CommandContext,
  id: string,
  flags: ApprovalFlags & { approve: boolean },
): Promise<void> {
  const [, number] = /^(?:apr_)?([1-9]\d{0,14})$/.exec(id) ?? [];
  if (number === undefined) throw usageError(`${id} is not an approval: see tieout approvals list`);
  await withExistingDatabase(context, async (database) => {
    const decider = await deciderNamed(database, flags.as ?? "");
    const { config } = context;
    const handlers = { erase: createEraser(() => openErasureKey(config)) };
    const deps = { database, handlers, requestId: "command line" };
    // Anyone at this machine can name anyone: the log says that it was done here, and by which user.
    const reason = `${flags.reason ?? "no reason given"} (by ${actorName()})`;
    const decide = flags.approve ? approve : reject;
    const row = await decide(deps, Number(number), decider, reason);
    if (row.kind === "erase" && row.state === "approved") await removeExports(context, database);
    if (flags.json) writeOut(`${JSON.stringify(presentApproval(row))}\n`);
    else context.say(describe(row));
  });
}

/** An active person by their e-mail, as whom the command line acts. */
export async function deciderNamed(database: Database, email: string): Promise<Decider> {
  const person = await findPersonByEmail(database, email);
  if (person === null || person.state !== "active") {
    throw usageError(`--as: ${email} is not an active person: see tieout people list`);
  }
  return {
    actor: actorOfPerson(person.id),
    name: person.name,
    keyId: null,
    personId: person.id,
    // Anyone at this machine can name anyone.
    vouchedBy: actorName(),
    scopes: new Set(scopesOfRoles(person.roles)),
    accountIds: person.accountIds,
  };
}

function describe(row: Approval): string {
  const { id, kind, subject, state, reason, proposedByName, decidedByName, details } = row;
  const { amount, currency, bookedAt } = bookingOf(details);
  const booked = bookedAt === null ? "booked when approved" : `booked ${bookedAt}`;
  const money = kind === "write_off" ? `  ${amount ?? "?"} ${currency ?? "?"}, ${booked}` : "";
  const decided = decidedByName === null ? "" : ` by ${decidedByName}`;
  return `apr_${id}  ${kind} ${subject}${money}  ${state}${decided}  (proposed by ${proposedByName}: ${reason})`;
}
