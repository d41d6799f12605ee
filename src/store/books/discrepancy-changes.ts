import { recordAudit } from "../people/audit-log.ts";
import type { AccountReader } from "../conditions.ts";
import type { Database, Transaction } from "../database.ts";
import { facts } from "./discrepancy-writes.ts";

/** What a person does about a discrepancy. Closing it needs a reason; the facts themselves nobody changes by hand. */
export type DiscrepancyChange =
  | { action: "assign"; owner: string | null }
  | { action: "comment"; comment: string }
  | { action: "investigate" }
  | { action: "resolve" | "write_off"; reason: string }
  | { action: "reopen" };

/** A discrepancy as somebody saw it: if it has another version by now, somebody else was quicker. */
export interface SeenDiscrepancy {
  id: string;
  version: number;
}

export interface ChangeOutcome {
  changed: string[];
  refused: RefusedChange[];
}

export interface RefusedChange {
  id: string;
  /** Not there for this reader; changed by somebody else meanwhile; or in a state from which this is no step. */
  why: "not_found" | "version_mismatch" | "state_conflict";
  /** As it is now; nothing where there is none. */
  state: string | null;
}

interface ChangeAuthor {
  actor: string;
  requestId: string;
}

interface Step {
  event: string;
  set: string;
  from: (held: HeldDiscrepancy) => boolean;
}

const isOpen = ({ state }: HeldDiscrepancy) => state === "open" || state === "investigating";
const closed = "reason = $3, resolved_by = $2, resolved_at = clock_timestamp()";
const steps: Record<DiscrepancyChange["action"], Step> = {
  assign: { event: "assigned", set: "owner = $3", from: () => true },
  // Everybody may say something at any time; it overwrites nothing, and so it makes no new version.
  comment: { event: "commented", set: "", from: () => true },
  investigate: {
    event: "state_changed",
    set: "state = 'investigating'",
    from: ({ state }) => state === "open",
  },
  resolve: { event: "resolved", set: `state = 'resolved', ${closed}`, from: isOpen },
  write_off: { event: "written_off", set: `state = 'written_off', ${closed}`, from: isOpen },
  reopen: {
    event: "reopened",
    set: "state = 'open', reason = null, resolved_by = null, resolved_at = null",
    // What tieout closed because the facts agree comes back by itself when they do not.
    from: (held) => !isOpen(held) && held.resolved_by !== "tieout",
  },
};

/** Changes those that are still as they were seen, each with its event and its line in the audit log. */
export async function changeDiscrepancies(
  database: Database,
  reader: Pick<AccountReader, "accountIds">,
  seen: readonly SeenDiscrepancy[],
  change: DiscrepancyChange,
  author: ChangeAuthor,
): Promise<ChangeOutcome> {
  const step = steps[change.action];
  return database.transaction(async (tx) => {
    const held = await holdDiscrepancies(tx, reader, seen);
    const refused = seen.flatMap(({ id, version }) => {
      const one = held.get(id);
      const why = refusalOf(change, one, version);
      return why === null ? [] : [{ id, why, state: one?.state ?? null }];
    });
    const refusedIds = new Set(refused.map(({ id }) => id));
    const changed = [...new Set(seen.map(({ id }) => id))].filter((id) => !refusedIds.has(id));
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
    return { changed, refused };
  });
}

const stateAfter: Partial<Record<DiscrepancyChange["action"], { state: string }>> = {
  investigate: { state: "investigating" },
  resolve: { state: "resolved" },
  write_off: { state: "written_off" },
  reopen: { state: "open" },
};

interface HeldDiscrepancy {
  id: string;
  version: number;
  state: string;
  owner: string | null;
  resolved_by: string | null;
}

async function holdDiscrepancies(
  tx: Transaction,
  { accountIds }: Pick<AccountReader, "accountIds">,
  seen: readonly SeenDiscrepancy[],
): Promise<Map<string, HeldDiscrepancy>> {
  const rows = await tx.query<HeldDiscrepancy & Record<string, unknown>>(
    `select id::text, version, state, owner, resolved_by
     from tieout.discrepancies
     where id = any($1::bigint[])
       and ($2::int[] is null or account_id = any($2::int[]))
     order by id
     for update`,
    [seen.map(({ id }) => id), accountIds],
  );
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
  ids: readonly string[],
  change: DiscrepancyChange,
  { actor, requestId }: ChangeAuthor,
): Promise<void> {
  const { set, event } = steps[change.action];
  if (set !== "") {
    await tx.query(
      `update tieout.discrepancies
       set ${set}, version = version + 1, last_changed_at = clock_timestamp()
       where id = any($1::bigint[])
         and num_nulls($2::text, $3::text) >= 0     -- every step is given both, whether it uses them or not`,
      [ids, actor, valueOf(change)],
    );
  }
  await tx.query(
    `insert into tieout.discrepancy_events
       (discrepancy_id, at, actor, event, state, owner, comment, reason, facts, facts_hash, request_id)
     select d.id, clock_timestamp(), $2, '${event}', d.state, d.owner, $3, $4, ${facts}, d.facts_hash, $5
     from tieout.discrepancies as d
     where d.id = any($1::bigint[])
     order by d.id`,
    [ids, actor, change.action === "comment" ? change.comment : null, reasonOf(change), requestId],
  );
}

/** Owner or reason: whichever the change writes. */
function valueOf(change: DiscrepancyChange): string | null {
  return change.action === "assign" ? change.owner : reasonOf(change);
}

/** `agreed` alone is what tieout writes when the facts agree, and classes go by it: a person's word is told apart. */
function reasonOf(change: DiscrepancyChange): string | null {
  if (!("reason" in change)) return null;
  return change.reason === "agreed" ? "agreed, by hand" : change.reason;
}
