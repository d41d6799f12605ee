import { problem } from "../../api/problem.ts";
import { ownerProblem } from "../../api/discrepancies/action-routes.ts";
import { dated } from "../../api/discrepancies/booked-at.ts";
import { authorOf } from "../../api/send-file.ts";
import {
  changeDiscrepancies,
  type DiscrepancyChange,
  type SeenDiscrepancy,
} from "../../store/books/discrepancy-changes.ts";
import { readDiscrepancy } from "../../store/books/discrepancy-reads.ts";
import { alreadyWaits } from "../../store/people/approvals.ts";
import { addAction, addPage } from "../add-page.tsx";
import type { Visitor, Web } from "../deps.ts";
import { textOf } from "../form-text.ts";
import { leaveNotice } from "../notice.ts";
import { localPath } from "../address.ts";
import { addAttachments } from "./attachments.tsx";
import { addBulk } from "./bulk.tsx";
import { describe, undoOf } from "./outcome.ts";
import { showQueue } from "./queue.tsx";
import { readChange, readSeen } from "./read-change.ts";
import { addWorkbookActions } from "./workbook.tsx";

export function addDiscrepancies(web: Web): void {
  addBulk(web);
  addPage(web, "/discrepancies", ["reconcile:read"], (c, visitor) => showQueue(web, c, visitor, null));
  addPage(web, "/discrepancies/:id", ["reconcile:read"], (c, visitor) =>
    showQueue(web, c, visitor, c.req.param("id") ?? ""),
  );
  addAttachments(web);

  addWorkbookActions(web);

  addAction(web, "/discrepancies/change", ["reconcile:write"], async (c, visitor, form) => {
    const seen = readSeen(form);
    const ids = seen.map(({ id }) => id);
    const change = await dated(web.api, visitor.reader, ids, readChange(form, visitor));
    const back = textOf(form, "back");
    const { database } = web.api.deps;
    const ownerBefore = await ownerOf(visitor, seen, change);
    const outcome = await changeDiscrepancies(
      database,
      visitor.reader,
      seen,
      change,
      authorOf(c, visitor.caller),
    );
    if (outcome.refused.some(({ why }) => why === "approval_required")) {
      throw problem("not_allowed", "This is above your limit, and could not be proposed for approval.");
    }
    const isDone = outcome.changed.length > 0 || outcome.proposed.length > 0;
    const waiting = outcome.refused.find(({ why }) => why === "already_proposed")?.approvalId;
    if (!isDone && waiting !== undefined) throw problem("state_conflict", `${alreadyWaits(waiting)}.`);
    if (!isDone && change.action === "assign" && outcome.refused.some(({ why }) => why === "owner_unknown"))
      throw ownerProblem(change.owner ?? "");
    if (!isDone) {
      throw problem(
        "version_mismatch",
        "Someone else changed this discrepancy while you had it open. You see their change now.",
      );
    }
    leaveNotice(c, describe(outcome, change), undoOf(seen, outcome, change, ownerBefore, back));
    return c.redirect(localPath(textOf(form, "next") || back), 303);
  });
}

/** Of one that is to be assigned: so that this can be taken back. */
async function ownerOf(
  visitor: Visitor,
  seen: readonly SeenDiscrepancy[],
  change: DiscrepancyChange,
): Promise<string | null> {
  const [one] = seen;
  if (change.action !== "assign" || seen.length !== 1 || one === undefined) return null;
  return (await readDiscrepancy(visitor.reader, one.id))?.owner ?? null;
}
