import { z } from "@hono/zod-openapi";
import type { Carried } from "../../close/carry-forward.ts";
import { quote } from "../../core/quote.ts";
import { describeObject } from "../object.ts";
import { accountParameter, type Refusal, single } from "../parameters.ts";
import { reasonField } from "../body-fields.ts";

export const monthParams = z.strictObject({
  month: z.string().max(20).openapi({ example: "2026-10" }),
});

export const accountQuery = z.strictObject({ account: accountParameter });

const hashForm = /^[0-9a-f]{64}$/;

export const packQuery = accountQuery.extend({
  pack_sha256: single(
    {
      description:
        "The pack of this close, even if it was reopened since: `pack_sha256` of its event `approved`. If left out: the month as it is now.",
      example: "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
    },
    (text): string | Refusal =>
      hashForm.test(text) ? text : { refused: `is ${quote(text)}, and no SHA-256 of 64 digits` },
  ),
});

const acceptedLine = z.strictObject({ line: z.string().max(100), reason: reasonField });

export const prepareBody = z
  .strictObject({
    accepted: z
      .array(acceptedLine)
      .max(100)
      .default([])
      .openapi({
        description: "Red lines that are accepted, each with its reason.",
        example: [{ line: "discrepancies", reason: "asked the provider, ticket 481" }],
      }),
  })
  .openapi("PeriodPreparation");

export const approveBody = z
  .strictObject({
    pack_sha256: z.string().regex(hashForm).openapi({
      description: "`pack_sha256` of the period as the approver saw it.",
      example: "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
    }),
  })
  .openapi("PeriodApproval");

export const reopenBody = z.strictObject({ reason: reasonField }).openapi("PeriodReopening");

export const carryBody = z
  .strictObject({
    owner: z.string().trim().min(1).max(200).openapi({
      description: "Name or e-mail of an active person who sees the account.",
      example: "Carol Example",
    }),
    reason: reasonField,
    discrepancies: z
      .array(z.string().regex(/^dis_\d{1,15}$/))
      .min(1)
      .max(1_000)
      .optional()
      .openapi({ example: ["dis_31"] }),
    provider: z.string().min(1).max(200).optional().openapi({ example: "moonpay" }),
    code: z.string().min(1).max(100).optional().openapi({ example: "missing_from_statement" }),
  })
  .openapi("CarryForward");

export const carriedDiscrepancies = describeObject({
  name: "CarriedDiscrepancies",
  object: "carried_discrepancies",
  members: {
    carried: z.int(),
    owner: z.string().describe("The name that they are assigned to."),
  },
  present: (_result: Carried) => ({}),
  example: { carried: 3, owner: "Carol Example" },
});

export type PresentedCarry = ReturnType<typeof carriedDiscrepancies.present>;
