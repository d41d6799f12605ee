import { problem } from "../../api/problem.ts";
import type { AskedChange } from "../../api/discrepancies/booked-at.ts";
import { type Day, parseDay } from "../../core/period.ts";
import { quote } from "../../core/quote.ts";
import type { SeenDiscrepancy } from "../../store/books/discrepancy-changes.ts";
import type { Visitor } from "../deps.ts";
import { textOf } from "../form-text.ts";

const bulkMax = 200;

/** Each with the version that was on the screen, as `17:3`; several in one field are parted by spaces. */
export function readSeen(form: FormData): SeenDiscrepancy[] {
  const seen = form
    .getAll("seen")
    .flatMap((value) => (typeof value === "string" ? value.split(" ") : []))
    .flatMap((value) => {
      const found = /^(\d{1,15}):(\d{1,9})$/.exec(value);
      return found === null ? [] : [{ id: Number(found[1]), version: Number(found[2]) }];
    });
  if (seen.length === 0) throw problem("invalid_parameter", "Choose at least one discrepancy first.");
  if (seen.length > bulkMax) throw problem("invalid_parameter", `At most ${bulkMax} discrepancies at once.`);
  return seen;
}

export function readChange(form: FormData, visitor: Visitor): AskedChange {
  const action = textOf(form, "action");
  const reason = textOf(form, "reason").slice(0, 500);
  switch (action) {
    case "resolve":
    case "write_off":
      if (reason === "")
        throw problem("invalid_parameter", "Give a reason for closing it. It is kept with the discrepancy.");
      return { action, reason, ...bookedOn(form) };
    case "assign": {
      const owner = textOf(form, "owner").slice(0, 100);
      return { action, owner: owner === "" ? null : owner };
    }
    case "take":
      return { action: "assign", owner: visitor.name };
    case "comment": {
      const comment = textOf(form, "comment");
      if (comment === "") throw problem("invalid_parameter", "Enter a comment.");
      return { action, comment };
    }
    case "investigate":
    case "reopen":
      return { action };
    default:
      throw problem("invalid_parameter", "Unknown action.");
  }
}

/** From which day the decision counts, where the form names one; otherwise from now. */
function bookedOn(form: FormData): { booked_at?: { day: Day } } {
  const text = textOf(form, "booked_at");
  if (text === "") return {};
  const day = parseDay(text);
  if (day === null) {
    throw problem("invalid_parameter", `Counts from: ${quote(text)} is not a day, such as 2026-10-31.`);
  }
  return { booked_at: { day } };
}
