import { problem } from "../../api/problem.ts";
import { authorOf } from "../../api/send-file.ts";
import {
  changeDiscrepancies,
  type ChangeOutcome,
  type DiscrepancyChange,
  type SeenDiscrepancy,
} from "../../store/books/discrepancy-changes.ts";
import { addAction, addPage } from "../add-page.tsx";
import type { Visitor, Web } from "../deps.ts";
import { textOf } from "../form-text.ts";
import { leaveNotice } from "../notice.ts";
import { localPath } from "../address.ts";
import { showQueue } from "./queue.tsx";
import { addWorkbookActions } from "./workbook.tsx";

const bulkMax = 200;

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

/** Each with the version that was on the screen, as `17:3`. */
function readSeen(form: FormData): SeenDiscrepancy[] {
  const seen = form.getAll("seen").flatMap((value) => {
    const found = typeof value === "string" ? /^(\d{1,15}):(\d{1,9})$/.exec(value) : null;
    return found === null ? [] : [{ id: Number(found[1]), version: Number(found[2]) }];
  });
  if (seen.length === 0) throw problem("invalid_parameter", "Choose at least one discrepancy first.");
  if (seen.length > bulkMax) throw problem("invalid_parameter", `At most ${bulkMax} discrepancies at once.`);
  return seen;
}

function readChange(form: FormData, visitor: Visitor): DiscrepancyChange {
  const action = textOf(form, "action");
  const reason = textOf(form, "reason");
  switch (action) {
    case "resolve":
    case "write_off":
      if (reason === "")
        throw problem("invalid_parameter", "Say why it is closed: the reason stays with it.");
      return { action, reason };
    case "assign": {
      const owner = textOf(form, "owner").slice(0, 100);
      return { action, owner: owner === "" ? null : owner };
    }
    case "take":
      return { action: "assign", owner: visitor.name };
    case "comment": {
      const comment = textOf(form, "comment");
      if (comment === "") throw problem("invalid_parameter", "A comment needs some words.");
      return { action, comment };
    }
    case "investigate":
    case "reopen":
      return { action };
    default:
      throw problem("invalid_parameter", "There is no such action.");
  }
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
