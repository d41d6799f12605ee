import { type ApprovalKind, bookingOf } from "../core/approvals.ts";
import { TieoutError } from "../core/errors.ts";
import type { Scope } from "../core/scopes.ts";
import { changeDiscrepancies } from "../store/books/discrepancy-changes.ts";
import { readDiscrepancy } from "../store/books/discrepancy-reads.ts";
import { type Database, joinTransaction, type Transaction } from "../store/database.ts";
import {
  type Approval,
  type ApprovalToPropose,
  holdApproval,
  insertApproval,
  readApproval,
  sayVouchers,
  settleApproval,
} from "../store/people/approvals.ts";
import { type Author, recordAudit } from "../store/people/audit-log.ts";
import { changePerson, readPerson } from "../store/people/people.ts";
import { holdGivenUp, setLimit } from "../store/people/write-off-limits.ts";
import { periodRefusalOf } from "../store/sql-errors.ts";
import { actorOfPerson, type Caller } from "./caller.ts";
import { type Hindrance, hindranceOf } from "./second-signature.ts";

/** Does what was approved, in the database transaction of the approval: both happen, or neither. */
export type ApprovalHandler = (
  database: Database,
  approval: Omit<Approval, "account" | "proposedByName" | "decidedByName">,
  author: { actor: string; requestId: string },
) => Promise<void>;

/** By kind; rooms that this one cannot know, such as closing the month, bring their own. */
export type ApprovalHandlers = Partial<Record<ApprovalKind, ApprovalHandler>>;

export interface ApprovalDeps {
  database: Database;
  handlers: ApprovalHandlers;
  requestId: string;
}

/** Who decides: someone who is signed in, or whom the command line names. */
export type Decider = Pick<
  Caller,
  "actor" | "name" | "keyId" | "personId" | "vouchedBy" | "scopes" | "accountIds"
>;

/** What the person who decides must be allowed to do. */
function scopeToDecide(kind: ApprovalKind): Scope {
  return kind === "admin_key" ? "people:write" : "approvals:write";
}

/** Why someone cannot approve a proposal; `null`: they can. */
export function hindranceOfProposal(
  decider: Pick<Decider, "personId" | "vouchedBy" | "scopes">,
  { kind, proposedBy, proposedVouchedBy }: Pick<Approval, "kind" | "proposedBy" | "proposedVouchedBy">,
): Hindrance | null {
  const first = { actor: actorOfPerson(proposedBy), vouchedBy: proposedVouchedBy };
  return hindranceOf(decider, first, scopeToDecide(kind));
}

/** Proposes something that needs a second person. While a proposal about the same subject waits, another is refused. */
export async function propose(
  tx: Transaction,
  wanted: ApprovalToPropose,
  author: Author & Pick<Caller, "vouchedBy">,
): Promise<number> {
  await sayVouchers(tx, author.vouchedBy);
  const id = await insertApproval(tx, wanted);
  const { kind, subject, details, reason } = wanted;
  const after = { kind, ...details };
  await recordAudit(tx, { ...author, action: "approval.proposed", subject, after, reason });
  return id;
}

/** Approves it, and does what was proposed. */
export async function approve(
  deps: ApprovalDeps,
  id: number,
  decider: Decider,
  reason: string | null,
): Promise<Approval> {
  return decide(deps, id, decider, async (tx, database, held, personId) => {
    const hindrance = hindranceOfProposal(decider, held);
    if (hindrance === "own") {
      throw new TieoutError("not_allowed", "you proposed this yourself, so another person must approve it");
    }
    if (hindrance !== null) throw letInByTheOther();
    const { vouchedBy } = decider;
    await settleApproval(tx, id, { state: "approved", decidedBy: personId, vouchedBy, reason });
    const handler = { ...ownHandlers, ...deps.handlers }[held.kind];
    if (handler === undefined) {
      throw new TieoutError("approval_conflict", `nothing here can carry out a ${held.kind}`);
    }
    await handler(database, held, { actor: actorOfPerson(held.proposedBy), requestId: deps.requestId });
    return "approval.approved";
  });
}

export async function reject(
  deps: ApprovalDeps,
  id: number,
  decider: Decider,
  reason: string,
): Promise<Approval> {
  return decide(deps, id, decider, async (tx, _, held, personId) => {
    const isOwn = held.proposedBy === personId;
    const state = isOwn ? "withdrawn" : "rejected";
    await settleApproval(tx, id, { state, decidedBy: personId, vouchedBy: decider.vouchedBy, reason });
    return isOwn ? "approval.withdrawn" : "approval.rejected";
  });
}

async function decide(
  deps: ApprovalDeps,
  id: number,
  decider: Decider,
  settle: (
    tx: Transaction,
    database: Database,
    held: NonNullable<Awaited<ReturnType<typeof holdApproval>>>,
    personId: number,
  ) => Promise<string>,
): Promise<Approval> {
  return deps.database.transaction(async (tx, client) => {
    const held = await holdApproval(tx, decider, id);
    if (held === null)
      throw new TieoutError("approval_not_found", `there is no approval ${id} that you may see`);
    const { personId } = decider;
    if (personId === null || decider.keyId !== null) {
      throw new TieoutError("not_allowed", "a person decides this, signed in on the page; a key cannot");
    }
    const hindrance = hindranceOfProposal(decider, held);
    if (hindrance === "role") {
      const scope = scopeToDecide(held.kind);
      throw new TieoutError("not_allowed", `deciding this needs ${scope}, and none of your roles has it`);
    }
    if (held.state !== "proposed") throw new TieoutError("approval_conflict", `it is ${held.state} already`);
    // Whoever let the proposer in may still reject.
    if (hindrance === "mine_to_theirs") throw letInByTheOther();
    const action = await settle(tx, joinTransaction(tx, client), held, personId);
    const after = await readApproval({ database: tx, accountIds: null }, id);
    if (after === null) throw new Error(`approval ${id} is gone`);
    await recordAudit(tx, {
      actor: decider.actor,
      action,
      subject: held.subject,
      after: { approval: `apr_${id}`, kind: held.kind, state: after.state },
      requestId: deps.requestId,
      ...(after.decisionReason === null ? {} : { reason: after.decisionReason }),
    });
    return after;
  });
}

function letInByTheOther(): TieoutError {
  return new TieoutError(
    "not_allowed",
    "one of you signed in through a link that the other could have used, or with a passkey or key that stems from one: another person must decide this, or one of you must first sign in through your company's sign-in service, or with a link made on the server",
  );
}

/** The limit that a proposal would set; `null`: it is about something else. */
export function writeOffLimitIn(details: Approval["details"]): Parameters<typeof setLimit>[1] | null {
  const limit = details["write_off_limit"];
  return isLimit(limit) ? limit : null;
}

function isLimit(value: unknown): value is Parameters<typeof setLimit>[1] {
  return (
    typeof value === "object" && value !== null && "role" in value && "currency" in value && "amount" in value
  );
}

/** An approval covers what the proposal showed, and nothing else. A discrepancy closed meanwhile has an answer of its own. */
async function refuseAnother(
  tx: Transaction,
  id: number,
  { subject, details }: Pick<Approval, "subject" | "details">,
): Promise<void> {
  const held = await holdGivenUp(tx, id);
  const { amount, currency } = bookingOf(details);
  const isSame =
    held?.amount === amount && held.currency === currency && held.factsHash === details["facts_hash"];
  if (held === null || isSame) return;
  throw new TieoutError(
    "approval_conflict",
    `${subject} has changed since this was proposed, when it was about ${amount} ${currency}: reject this, and have it proposed again`,
  );
}

/** A month that was closed since: the approver cannot choose another day. */
function asLateBooking(error: unknown): unknown {
  const [closed] = periodRefusalOf(error)?.split(": ") ?? [];
  if (closed === undefined) return error;
  const told = `${closed} since this was proposed: reject it, and have it proposed again with a later day`;
  return new TieoutError("approval_conflict", told, { cause: error });
}

const ownHandlers: ApprovalHandlers = {
  async write_off(database, { id, subject, accountId, details, reason }, author) {
    const reader = { database, accountIds: accountId === null ? null : [accountId] };
    const discrepancyId = Number(subject.replace("dis_", ""));
    await refuseAnother(database, discrepancyId, { subject, details });
    const seen = await readDiscrepancy(reader, discrepancyId);
    const bookedAt = details["booked_at"];
    const change = {
      action: "write_off" as const,
      reason,
      ...(typeof bookedAt === "string" ? { booked_at: bookedAt } : {}),
    };
    const outcome = await changeDiscrepancies(
      database,
      reader,
      [{ id: discrepancyId, version: seen?.version ?? 0 }],
      change,
      { ...author, approvalId: id },
    ).catch((error: unknown) => {
      throw asLateBooking(error);
    });
    if (outcome.changed.length === 0) {
      throw new TieoutError(
        "approval_conflict",
        `${subject} is ${seen?.state ?? "gone"} by now: reject this instead`,
      );
    }
  },

  async settings(database, { details }, author) {
    const limit = writeOffLimitIn(details);
    if (limit !== null) await setLimit(database, limit, author);
  },

  /** A key works as soon as its approval is approved; a person gets the role. */
  async admin_key(database, { subject, details }, { actor }) {
    if (!subject.startsWith("per_")) return;
    const id = Number(subject.replace("per_", ""));
    const person = await readPerson({ database, accountIds: null }, id);
    if (person === null || !Array.isArray(details["roles"])) return;
    const wanted = details["roles"] as typeof person.roles;
    // The other roles were given when this was proposed; one taken away since must not come back.
    const others = wanted.length === 1 ? [] : person.roles.filter((role) => role !== "admin");
    await changePerson(database, id, { roles: ["admin", ...others] }, actor);
  },
};
