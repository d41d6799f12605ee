import { counted } from "../../core/counted.ts";
import type {
  ChangeOutcome,
  DiscrepancyChange,
  SeenDiscrepancy,
} from "../../store/books/discrepancy-changes.ts";
import type { Undo } from "../notice.ts";

/** As many as fit into a cookie. */
const undoneMax = 100;

/** The form that takes it back: each with the version that the change has made. */
export function undoOf(
  seen: readonly SeenDiscrepancy[],
  { changed }: ChangeOutcome,
  change: DiscrepancyChange,
  ownerBefore: string | null,
  /** The screen that the change was made on: what is taken back is looked at again. */
  back: string,
): Undo | null {
  // A proposal changes nothing yet: it is withdrawn on Approvals.
  if (changed.length === 0 || changed.length > undoneMax) return null;
  const versions = new Map(seen.map(({ id, version }) => [id, version + 1]));
  const after = changed.map((id) => `${id}:${versions.get(id) ?? 0}`).join(" ");
  const action = "/discrepancies/change" as const;
  if (change.action === "resolve" || change.action === "write_off") {
    return { action, fields: { action: "reopen", seen: after, ...(changed.length === 1 && { next: back }) } };
  }
  if (change.action === "assign" && changed.length === 1) {
    return { action, fields: { action: "assign", owner: ownerBefore ?? "", seen: after } };
  }
  return null;
}

export function describe({ changed, refused, proposed }: ChangeOutcome, change: DiscrepancyChange): string {
  const what = counted(changed.length, "discrepancy", "discrepancies");
  const again = refused.filter(({ why }) => why === "already_proposed").length;
  const strangers = refused.filter(({ why }) => why === "owner_unknown").length;
  const others = refused.length - again - strangers;
  const left = others === 0 ? "" : `${others} not changed: someone else had changed or closed them.`;
  const waiting = again === 0 ? "" : `${again} not proposed: a proposal already waits on Approvals.`;
  const unknown =
    strangers === 0
      ? ""
      : `${strangers} not assigned: the owner is not an active person who sees their account.`;
  const waits =
    proposed.length === 0
      ? ""
      : `Proposed, not yet written off: ${proposed.length === 1 ? "it is" : `${proposed.length} are`} above your limit, and another person must approve on Approvals.`;
  const did = changed.length === 0 && proposed.length > 0 ? "" : `${what} ${done[change.action]}.`;
  return [did, waits, waiting, unknown, left].filter((part) => part !== "").join(" ");
}

const done: Record<DiscrepancyChange["action"], string> = {
  assign: "assigned",
  comment: "commented on",
  investigate: "under investigation",
  resolve: "resolved",
  write_off: "written off",
  reopen: "open again",
};
