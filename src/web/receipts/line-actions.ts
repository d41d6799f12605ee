import { problem } from "../../api/problem.ts";
import { addAction } from "../add-page.tsx";
import { askApi } from "../ask-api.ts";
import type { Web } from "../deps.ts";
import { bookedAtOf, digitsOf, reasonOf, textOf } from "../form-text.ts";
import { leaveNotice } from "../notice.ts";

const scopes = ["reconcile:write"] as const;

/** As the API answers. */
interface Made {
  id: string;
  line: string;
  payout: string;
  payout_ref: string;
}

/** Match and unmatch, each with a reason and the way back. */
export function addReceiptLineActions(web: Web): void {
  addAction(web, "/receipts/lines/match", scopes, async (c, visitor, form) => {
    const other = textOf(form, "other").replace(/^po_/i, "");
    const payout = other || textOf(form, "payout");
    if (payout === "") throw problem("invalid_parameter", "Choose a payout first.");
    if (!/^\d{1,15}$/.test(payout)) {
      throw problem("invalid_parameter", "A payout is named by its number, such as po_12.");
    }
    const amount = textOf(form, "amount");
    const bankFee = textOf(form, "bank_fee");
    const made = await askApi<Made>(web, c, visitor, "/v1/receipt-matches", {
      json: {
        line: `rcl_${digitsOf(form, "line")}`,
        payout: `po_${payout}`,
        ...(amount === "" ? {} : { amount }),
        ...(bankFee === "" ? {} : { bank_fee: bankFee }),
        reason: reasonOf(form),
        ...bookedAtOf(form),
      },
    });
    leaveNotice(c, `The line is matched with payout ${made.payout_ref}.`, {
      action: "/receipts/lines/unmatch",
      fields: { match: made.id.replace("rcm_", ""), reason: "undone" },
    });
    return c.redirect(lineOf(made), 303);
  });

  addAction(web, "/receipts/lines/unmatch", scopes, async (c, visitor, form) => {
    const path = `/v1/receipt-matches/rcm_${digitsOf(form, "match")}/end`;
    const ended = await askApi<Made>(web, c, visitor, path, { json: { reason: reasonOf(form) } });
    // Without the way back: a sum or a fee that a person gave would be lost on it.
    leaveNotice(c, `The line is no longer matched with payout ${ended.payout_ref}.`);
    return c.redirect(lineOf(ended), 303);
  });
}

function lineOf({ line }: Made): string {
  return `/receipts/lines/${line.replace("rcl_", "")}`;
}
