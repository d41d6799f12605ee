import { problem } from "../../api/problem.ts";
import { authorOf } from "../../api/send-file.ts";
import { changeDiscrepancies } from "../../store/books/discrepancy-changes.ts";
import { readDiscrepancy } from "../../store/books/discrepancy-reads.ts";
import { addAction } from "../add-page.tsx";
import { localPath } from "../address.ts";
import { askApi } from "../ask-api.ts";
import type { Web } from "../deps.ts";
import { readSeen } from "../discrepancies/read-change.ts";
import { bookedAtOf, digitsOf, reasonOf, textOf } from "../form-text.ts";
import { leaveNotice } from "../notice.ts";
import { confirmSuggestions } from "./confirm.tsx";
import { splitAgain, splitByForm } from "./split-action.ts";

const scopes = ["reconcile:write"] as const;

interface Ended {
  transaction_id: string;
  /** Of a part of a split, all of whose parts have ended. */
  part_amount: string | null;
  line: { id: string; line_no: number };
}

/** Match, split, unmatch and exclude, each with a reason and the way back. */
export function addLineActions(web: Web): void {
  addAction(web, "/statements/lines/match", scopes, async (c, visitor, form) => {
    const transactionId = textOf(form, "transaction_id");
    if (transactionId === "") throw problem("invalid_parameter", "Choose a transaction first.");
    const made = await askApi<{ id: string; line: { line_no: number } }>(web, c, visitor, "/v1/matches", {
      json: {
        line: `lin_${digitsOf(form, "line")}`,
        transaction_id: transactionId,
        reason: reasonOf(form),
        ...bookedAtOf(form),
      },
    });
    leaveNotice(c, `Line ${made.line.line_no} is matched with ${transactionId}.`, {
      action: "/statements/lines/unmatch",
      fields: { match: made.id.replace("mat_", ""), reason: "undone" },
    });
    return c.redirect(placeAfter(form), 303);
  });

  addAction(web, "/statements/lines/split", scopes, async (c, visitor, form) => {
    await splitByForm(web, c, visitor, form, { lineId: digitsOf(form, "line"), reason: reasonOf(form) });
    return c.redirect(placeAfter(form), 303);
  });

  addAction(web, "/statements/lines/unmatch", scopes, async (c, visitor, form) => {
    const matchId = digitsOf(form, "match");
    const ended = await askApi<Ended>(web, c, visitor, `/v1/matches/mat_${matchId}/end`, {
      json: { reason: reasonOf(form) },
    });
    const lineId = ended.line.id.replace("lin_", "");
    if (ended.part_amount !== null) {
      leaveNotice(c, `Line ${ended.line.line_no} is no longer split.`, splitAgain({ lineId, matchId }));
      return c.redirect(placeAfter(form), 303);
    }
    leaveNotice(c, `Line ${ended.line.line_no} is no longer matched with ${ended.transaction_id}.`, {
      action: "/statements/lines/match",
      fields: {
        line: lineId,
        transaction_id: ended.transaction_id,
        reason: "matched again after it was unmatched by mistake",
      },
    });
    return c.redirect(placeAfter(form), 303);
  });

  addAction(web, "/statements/lines/exclude", scopes, async (c, visitor, form) => {
    const seen = readSeen(form);
    const change = { action: "resolve", reason: reasonOf(form) } as const;
    const { database } = web.api.deps;
    const author = authorOf(c, visitor.caller);
    const { changed } = await changeDiscrepancies(database, visitor.reader, seen, change, author);
    const [first] = changed;
    if (first === undefined) {
      throw problem(
        "version_mismatch",
        "Someone else has changed this line. Load it again, see what changed, and decide.",
      );
    }
    const now = await Promise.all(changed.map((id) => readDiscrepancy(visitor.reader, id)));
    leaveNotice(c, "The line is excluded.", {
      action: "/discrepancies/change",
      fields: {
        action: "reopen",
        seen: now.flatMap((row) => (row === null ? [] : [`${row.id}:${row.version}`])).join(" "),
      },
    });
    return c.redirect(placeAfter(form), 303);
  });

  addAction(web, "/statements/lines/confirm", scopes, async (c, visitor, form) => {
    await confirmSuggestions(web, c, visitor, form);
    return c.redirect(`/statements/${digitsOf(form, "statement")}`, 303);
  });
}

/** The next line of the view, or the screen that the form was on. */
function placeAfter(form: FormData): string {
  return localPath(textOf(form, "next") || textOf(form, "back"));
}
