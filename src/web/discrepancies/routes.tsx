import { problem } from "../../api/problem.ts";
import { authorOf } from "../../api/send-file.ts";
import {
  changeDiscrepancies,
  type ChangeOutcome,
  type DiscrepancyChange,
} from "../../store/books/discrepancy-changes.ts";
import { addAction, addPage } from "../add-page.tsx";
import type { Web } from "../deps.ts";
import { textOf } from "../form-text.ts";
import { leaveNotice } from "../notice.ts";
import { localPath } from "../address.ts";
import { showQueue } from "./queue.tsx";
import { readChange, readSeen } from "./read-change.ts";
import { addWorkbookActions } from "./workbook.tsx";

export function addDiscrepancies(web: Web): void {
  addPage(web, "/discrepancies", ["reconcile:read"], (c, visitor) => showQueue(web, c, visitor, null));
  addPage(web, "/discrepancies/:id", ["reconcile:read"], (c, visitor) =>
    showQueue(web, c, visitor, c.req.param("id") ?? ""),
  );

  addWorkbookActions(web);

  addAction(web, "/discrepancies/change", ["reconcile:write"], async (c, visitor, form) => {
    const seen = readSeen(form);
    const change = readChange(form, visitor);
    const { database } = web.api.deps;
    const outcome = await changeDiscrepancies(
      database,
      visitor.reader,
      seen,
      change,
      authorOf(c, visitor.caller),
    );
    if (outcome.changed.length === 0) {
      throw problem(
        "version_mismatch",
        "Somebody else changed this discrepancy while you were looking at it. Load it again, and decide with what they did in view.",
      );
    }
    leaveNotice(c, describe(outcome, change));
    return c.redirect(localPath(textOf(form, "back")), 303);
  });
}

function describe({ changed, refused }: ChangeOutcome, change: DiscrepancyChange): string {
  const what = changed.length === 1 ? "1 discrepancy" : `${changed.length} discrepancies`;
  const left =
    refused.length === 0
      ? ""
      : ` ${refused.length} left alone: somebody else had changed them, or they were closed.`;
  return `${what} ${done[change.action]}.${left}`;
}

const done: Record<DiscrepancyChange["action"], string> = {
  assign: "assigned",
  comment: "commented on",
  investigate: "under investigation",
  resolve: "resolved",
  write_off: "written off",
  reopen: "open again",
};
