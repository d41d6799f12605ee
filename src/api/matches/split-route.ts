import { z } from "@hono/zod-openapi";
import { compareDecimals, zero } from "../../core/decimal.ts";
import { partsMax, splitLine } from "../../reconcile/split-by-hand.ts";
import { needs } from "../../access/access.ts";
import type { Api } from "../deps.ts";
import { throwMatchProblem } from "../match-problem.ts";
import { amountField, bookedAtField, reasonField } from "../body-fields.ts";
import { referenceField } from "../references.ts";
import { addRoute } from "../route.ts";
import { authorOf } from "../send-file.ts";
import { sendObject } from "../send.ts";
import { split, transactionIdField } from "./schema.ts";

const partAmount = amountField("204.17", {
  what: "amount above zero",
  isMeant: (amount) => compareDecimals(amount, zero) > 0,
});

/** One provider line for several orders: a person says how much of it belongs to each. */
export function addSplitRoute(api: Api): void {
  addRoute(
    api,
    {
      method: "post",
      path: "/v1/matches/split",
      operationId: "splitLine",
      summary: "Splits a line over several transactions by hand",
      description:
        "Each part becomes a match of its own and is compared with its transaction. The parts may add up to less than the line, but not to more; the rest is a discrepancy of the line. Ending any of the matches undoes the whole split.",
      tag: "Matches",
      access: needs("reconcile:write"),
      body: z.strictObject({
        line: referenceField("line"),
        parts: z
          .array(z.strictObject({ transaction_id: transactionIdField, amount: partAmount.optional() }))
          .min(2)
          .max(partsMax)
          .describe(
            "In the line's fiat currency, without its sign. One amount may be left out: it gets the rest.",
          ),
        reason: reasonField,
        booked_at: bookedAtField,
      }),
      response: { status: 201, description: "The split.", schema: split.schema, example: split.example },
      errors: ["not_found", "match_refused", "period_refused"],
    },
    async ({ c, caller, writing: { database }, body }) => {
      const parts = body.parts.map(({ transaction_id, amount }) => ({
        transactionId: transaction_id,
        amount: amount ?? null,
      }));
      const wanted = { lineId: body.line, parts, reason: body.reason, bookedAt: body.booked_at };
      const made = await splitLine(database, caller, wanted, authorOf(c, caller)).catch(throwMatchProblem);
      return sendObject(c, split.present(made), 201);
    },
  );
}
