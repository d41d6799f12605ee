import { and, inArray, sql } from "drizzle-orm";
import type { PgUpdateSetSource } from "drizzle-orm/pg-core";
import { clockNow } from "../clock-time.ts";
import { type AccountReader, seenBy } from "../conditions.ts";
import type { Database, Transaction } from "../database.ts";
import { insertApproval, listWaiting, personOf, sayVouchers } from "../people/approvals.ts";
import { recordAudit } from "../people/audit-log.ts";
import { lapseWriteOffs } from "../people/lapse-proposals.ts";
import { findAboveLimit } from "../people/write-off-limits.ts";
import { discrepancies } from "../schema/findings.ts";
import { keepDecision } from "./decision-writes.ts";
import { findOwner } from "./discrepancy-owner.ts";
import { facts } from "./discrepancy-writes.ts";

/** What a person does about a discrepancy. Closing it needs a reason; the facts themselves are never changed by hand. */
export type DiscrepancyChange =
  | { action: "assign"; owner: string | null }
  | { action: "comment"; comment: string }
  | { action: "investigate" }
  | {
      action: "resolve" | "write_off";
      reason: string;
      /** The instant from which it counts; left out: now. */
      booked_at?: string | undefined;
    }
  | { action: "reopen" };

/** A discrepancy as someone saw it: if it has another version by now, someone else was quicker. */
export interface SeenDiscrepancy {
  id: number;
  version: number;
}

export interface ChangeOutcome {
  changed: number[];
  refused: RefusedChange[];
  /** Above the limit of the person who writes off: another person has to approve it. */
  proposed: { id: number; approvalId: number }[];
}

export interface RefusedChange {
  id: number;
  /**
   * Not there for this reader; changed by someone else meanwhile; in a state that does not allow this step; above the limit
   * of a key without an owner, which cannot propose it; proposed already; or for an owner who is not a person that sees it.
   */
  why:
    | "not_found"
    | "version_mismatch"
    | "state_conflict"
    | "approval_required"
    | "already_proposed"
    | "owner_unknown";
  /** The proposal that waits. */
  approvalId?: number;
  /** As it is now; nothing where there is none. */
  state: string | null;
}

interface ChangeAuthor {
  actor: string;
  requestId: string;
  /** Who could have proposed a write-off in their name. */
  vouchedBy?: string | null;
  /** Of a write-off that was approved. */
  approvalId?: number;
}

type HeldDiscrepancy = Pick<
  typeof discrepancies.$inferSelect,
  "id" | "accountId" | "version" | "state" | "owner" | "resolvedBy" | "code" | "value" | "valueCurrency"
>;

interface Step {
  event: string;
  from: (held: HeldDiscrepancy) => boolean;
  /** `null`: it overwrites nothing, and so it makes no new version. */
  set: ((by: { actor: string; value: string | null }) => PgUpdateSetSource<typeof discrepancies>) | null;
}

const isOpen = ({ state }: HeldDiscrepancy) => state === "open" || state === "investigating";
const closedAs =
  (state: string): Step["set"] =>
  ({ actor, value }) => ({ state, reason: value, resolvedBy: actor, resolvedAt: clockNow });

const steps: Record<DiscrepancyChange["action"], Step> = {
  assign: { event: "assigned", from: () => true, set: ({ value }) => ({ owner: value }) },
  comment: { event: "commented", from: () => true, set: null },
  investigate: {
    event: "state_changed",
    from: ({ state }) => state === "open",
    set: () => ({ state: "investigating" }),
  },
  resolve: { event: "resolved", from: isOpen, set: closedAs("resolved") },
  write_off: { event: "written_off", from: isOpen, set: closedAs("written_off") },
  reopen: {
    event: "reopened",
    // What tieout closed because the facts agree comes back by itself when they do not.
    from: (held) => !isOpen(held) && held.resolvedBy !== "tieout",
    set: () => ({ state: "open", reason: null, resolvedBy: null, resolvedAt: null }),
  },
};

/** Changes those that are still as they were seen, each with its event and its line in the audit log. */
export async function changeDiscrepancies(
  database: Database,
  reader: Pick<AccountReader, "accountIds">,
  seen: readonly SeenDiscrepancy[],
  asked: DiscrepancyChange,
  author: ChangeAuthor,
): Promise<ChangeOutcome> {
  const step = steps[asked.action];
  return database.transaction(async (tx) => {
    const held = await holdDiscrepancies(tx, reader, seen);
    const { change, barred: notTheirs } = await nameOwner(tx, [...held.values()], asked, author);
    const refused = seen.flatMap(({ id, version }) => {
      const one = held.get(id);
      const why = refusalOf(change, one, version) ?? (notTheirs.has(id) ? "owner_unknown" : null);
      return why === null ? [] : [{ id, why, state: one?.state ?? null }];
    });
    const refusedIds = new Set(refused.map(({ id }) => id));
    const allowed = [...new Set(seen.map(({ id }) => id))].filter((id) => !refusedIds.has(id));
    const { changed, proposed, barred } = await proposeAboveLimit(tx, allowed, change, author);
    for (const one of barred) refused.push({ ...one, state: held.get(one.id)?.state ?? null });
    if (changed.length > 0) await applyChange(tx, changed, change, author);
    for (const id of changed) {
      const { action: _, ...given } = change;
      const before = held.get(id);
      await recordAudit(tx, {
        ...author,
        action: `discrepancy.${step.event}`,
        subject: `dis_${id}`,
        before: { state: before?.state, owner: before?.owner },
        after: { ...stateAfter[change.action], ...given },
        ...("reason" in change ? { reason: change.reason } : {}),
      });
    }
    if (decides(change)) await lapseWriteOffs(tx, { discrepancyIds: changed }, author);
    return { changed, refused, proposed };
  });
}

/** By the name that the owner has: they may have been given by their e-mail. */
async function nameOwner(
  tx: Transaction,
  held: readonly HeldDiscrepancy[],
  change: DiscrepancyChange,
  { actor }: ChangeAuthor,
): Promise<{ change: DiscrepancyChange; barred: Set<number> }> {
  if (change.action !== "assign" || change.owner === null) return { change, barred: new Set() };
  const { owner, barred } = await findOwner(tx, held, { given: change.owner, actor });
  return { change: { ...change, owner }, barred };
}

/** Those above the limit wait for a second person; the others are changed at once. */
async function proposeAboveLimit(
  tx: Transaction,
  ids: readonly number[],
  change: DiscrepancyChange,
  { actor, requestId, vouchedBy, approvalId }: ChangeAuthor,
): Promise<Pick<ChangeOutcome, "changed" | "proposed"> & { barred: Omit<RefusedChange, "state">[] }> {
  const alone = { changed: [...ids], proposed: [], barred: [] };
  if (change.action !== "write_off" || approvalId !== undefined || ids.length === 0) return alone;
  const above = await findAboveLimit(tx, actor, ids);
  if (above.length === 0) return alone;
  const aboveIds = new Set(above.map(({ id }) => id));
  const changed = ids.filter((id) => !aboveIds.has(id));
  const proposedBy = await personOf(tx, actor);
  if (proposedBy === null) {
    return { changed, proposed: [], barred: above.map(({ id }) => ({ id, why: "approval_required" })) };
  }
  await refuseClosed(tx, above, change.booked_at);
  const subjects = above.map(({ id }) => `dis_${id}`);
  const waiting = await listWaiting(tx, "write_off", subjects);
  await sayVouchers(tx, vouchedBy ?? null);
  const proposed: ChangeOutcome["proposed"] = [];
  const barred: Omit<RefusedChange, "state">[] = [];
  for (const { id, accountId, amount, currency, factsHash } of above) {
    const details = { amount, currency, facts_hash: factsHash, booked_at: change.booked_at ?? null };
    const subject = `dis_${id}`;
    const held = waiting.get(subject);
    if (held !== undefined) {
      barred.push({ id, why: "already_proposed", approvalId: held });
      continue;
    }
    const { reason } = change;
    const wanted = { kind: "write_off", subject, accountId, details, proposedBy, reason } as const;
    const made = await insertApproval(tx, wanted);
    await recordAudit(tx, { actor, requestId, action: "approval.proposed", subject, after: details, reason });
    proposed.push({ id, approvalId: made });
  }
  return { changed, proposed, barred };
}

// The approver cannot choose another day, so a day in a closed month is refused here. Without a day this refuses nothing, but
// holds the periods: a signature takes them before its turn in the audit log.
async function refuseClosed(
  tx: Transaction,
  above: readonly { accountId: number }[],
  bookedAt: string | undefined,
): Promise<void> {
  const accountIds = [...new Set(above.map(({ accountId }) => accountId))];
  await tx.query(
    `select tieout.refuse_closed(a.id, $2::timestamptz)
     from unnest($1::int[]) as a (id)`,
    [accountIds, bookedAt ?? "infinity"],
  );
}

const stateAfter: Partial<Record<DiscrepancyChange["action"], { state: string }>> = {
  investigate: { state: "investigating" },
  resolve: { state: "resolved" },
  write_off: { state: "written_off" },
  reopen: { state: "open" },
};

/** As they are, and locked until the end of the transaction; those that this reader may not see are left out. */
export async function holdDiscrepancies(
  tx: Transaction,
  reader: Pick<AccountReader, "accountIds">,
  seen: readonly Pick<SeenDiscrepancy, "id">[],
): Promise<Map<number, HeldDiscrepancy>> {
  const { id, accountId, version, state, owner, resolvedBy, code, value, valueCurrency } = discrepancies;
  const rows = await tx.orm
    .select({ id, accountId, version, state, owner, resolvedBy, code, value, valueCurrency })
    .from(discrepancies)
    .where(
      and(
        seenBy(reader, accountId),
        inArray(
          id,
          seen.map((one) => one.id),
        ),
      ),
    )
    .orderBy(id)
    .for("update");
  return new Map(rows.map((row) => [row.id, row]));
}

function refusalOf(
  change: DiscrepancyChange,
  held: HeldDiscrepancy | undefined,
  version: number,
): RefusedChange["why"] | null {
  if (held === undefined) return "not_found";
  if (change.action !== "comment" && held.version !== version) return "version_mismatch";
  return steps[change.action].from(held) ? null : "state_conflict";
}

async function applyChange(
  tx: Transaction,
  ids: readonly number[],
  change: DiscrepancyChange,
  { actor, requestId, approvalId }: ChangeAuthor,
): Promise<void> {
  const { set, event } = steps[change.action];
  const values = set?.({ actor, value: valueOf(change) });
  if (values) {
    const version = sql`${discrepancies.version} + 1`;
    await tx.orm
      .update(discrepancies)
      .set({ ...values, version, lastChangedAt: clockNow })
      .where(inArray(discrepancies.id, [...ids]));
  }
  if (decides(change)) {
    const bookedAt = "reason" in change ? change.booked_at : undefined;
    const decision = { bookedAt, actor, approvalId: approvalId ?? null };
    await keepDecision(tx, ids, change.action === "reopen" ? null : decision);
  }
  await tx.query(
    `insert into tieout.discrepancy_events
       (discrepancy_id, at, actor, event, state, owner, comment, reason, facts, facts_hash, request_id)
     select d.id, clock_timestamp(), $2, $6, d.state, d.owner, $3, $4, ${facts}, d.facts_hash, $5
     from tieout.discrepancies as d
     where d.id = any($1::bigint[])
     order by d.id`,
    [ids, actor, commentOf(change), reasonOf(change), requestId, event],
  );
}

function decides(change: DiscrepancyChange): boolean {
  return change.action === "resolve" || change.action === "write_off" || change.action === "reopen";
}

/** Owner or reason: whichever the change writes. */
function valueOf(change: DiscrepancyChange): string | null {
  return change.action === "assign" ? change.owner : reasonOf(change);
}

function commentOf(change: DiscrepancyChange): string | null {
  return change.action === "comment" ? change.comment : null;
}

/** `agreed` alone is what tieout writes when the facts agree, and classes go by it: a person's word is told apart. */
function reasonOf(change: DiscrepancyChange): string | null {
  if (!("reason" in change)) return null;
  return change.reason === "agreed" ? "agreed, by hand" : change.reason;
}
