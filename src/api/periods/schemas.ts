import { z } from "@hono/zod-openapi";
import { checklistLines } from "../../close/checklist.ts";
import { accountParameter } from "../parameters.ts";
import { reasonField } from "../reason-field.ts";

export const monthParams = z.strictObject({
  month: z.string().max(20).openapi({ example: "2026-10" }),
});

export const accountQuery = z.strictObject({ account: accountParameter });

const lineStates = ["green", "amber", "red"] as const;

const amount = z.strictObject({ currency: z.string(), amount: z.string() });

const part = z.strictObject({
  provider: z.string().nullable().openapi({ description: "`null`: it concerns the account as a whole." }),
  state: z.enum(lineStates),
  total: z.int(),
  left: z.int(),
  amounts: z.array(amount).openapi({ description: "What is left, by currency." }),
  figures: z.record(z.string(), z.union([z.number(), z.string()])),
});

const line = z
  .strictObject({
    line: z.enum(checklistLines as [string, ...string[]]),
    title: z.string(),
    state: z.enum(lineStates),
    says: z.string(),
    total: z.int(),
    left: z.int(),
    parts: z.array(part),
    link: z.string().openapi({ description: "Where the page shows what is left." }),
  })
  .openapi("ChecklistLine");

const checklist = z
  .strictObject({ as_at: z.string(), known_at: z.string(), lines: z.array(line) })
  .openapi("Checklist");

const acceptedLine = z.strictObject({ line: z.string().max(100), reason: reasonField });

const signature = z.strictObject({ by: z.string(), name: z.string(), at: z.string() });

const periodFields = {
  object: z.literal("period"),
  account: z.string(),
  month: z.string(),
  timezone: z.string(),
  from: z.string(),
  to: z.string(),
  state: z.enum(["open", "prepared", "closed", "reopened"]),
  known_at: z
    .string()
    .nullable()
    .openapi({ description: "What was known by then counts, once it is prepared or closed." }),
  pack_sha256: z.string().nullable().openapi({ description: "SHA-256 of the manifest of its pack." }),
  prepared: signature.nullable(),
  closed: signature.nullable(),
  reopen_asked: z
    .strictObject({ by: z.string(), name: z.string() })
    .nullable()
    .openapi({ description: "Who asked to reopen it, until a second person agrees." }),
};

export const periodSchema = z.strictObject(periodFields).openapi("Period");

export const periodDetailSchema = z
  .strictObject({
    ...periodFields,
    changes: z
      .array(z.strictObject({ fact: z.string(), changes: z.int() }))
      .openapi({ description: "What has changed since it was prepared: the preparation lapses." }),
    checklist: checklist.openapi({
      description: "As it was signed, or as it is now while the month is open.",
    }),
    accepted: z.array(z.strictObject({ line: z.string(), reason: z.string() })),
    events: z.array(
      z.strictObject({
        event: z.enum(["prepared", "lapsed", "approved", "reopen_asked", "reopened"]),
        by: z.string(),
        name: z.string(),
        at: z.string(),
        reason: z.string().nullable(),
        known_at: z.string().nullable(),
        pack_sha256: z.string().nullable(),
      }),
    ),
  })
  .openapi("PeriodDetail");

export const prepareBody = z
  .strictObject({
    accepted: z
      .array(acceptedLine)
      .max(100)
      .default([])
      .openapi({
        description: "Red lines that are signed all the same, each with its reason.",
        example: [{ line: "discrepancies", reason: "asked the provider, ticket 481" }],
      }),
  })
  .openapi("PeriodPreparation");

export const approveBody = z
  .strictObject({
    pack_sha256: z
      .string()
      .regex(/^[0-9a-f]{64}$/)
      .openapi({
        description: "`pack_sha256` of the period as the approver saw it.",
        example: "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
      }),
  })
  .openapi("PeriodApproval");

export const reopenBody = z.strictObject({ reason: reasonField }).openapi("PeriodReopening");

export const carryBody = z
  .strictObject({
    owner: z.string().trim().min(1).max(200).openapi({ example: "carol" }),
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

export const carriedSchema = z
  .strictObject({ object: z.literal("carried_discrepancies"), carried: z.int() })
  .openapi("CarriedDiscrepancies");

export const periodExample = {
  object: "period",
  account: "default",
  month: "2026-09",
  timezone: "UTC",
  from: "2026-09-01T00:00:00.000Z",
  to: "2026-10-01T00:00:00.000Z",
  state: "closed",
  known_at: "2026-10-05T09:12:44.120381Z",
  pack_sha256: "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
  prepared: { by: "person:1", name: "Alice Example", at: "2026-10-05T09:12:51.204Z" },
  closed: { by: "person:2", name: "Bob Example", at: "2026-10-05T10:02:11.871Z" },
  reopen_asked: null,
};

export const periodDetailExample = {
  ...periodExample,
  changes: [],
  checklist: {
    as_at: "2026-10-01T00:00:00.000Z",
    known_at: "2026-10-05T09:12:44.120381Z",
    lines: [
      {
        line: "read",
        title: "Everything read from the aggregator",
        state: "green",
        says: "No gap.",
        total: 1,
        left: 0,
        parts: [
          {
            provider: null,
            state: "green",
            total: 1,
            left: 0,
            amounts: [],
            figures: { gaps: 0, hours_missing: 0 },
          },
        ],
        link: "/sync?account=default",
      },
    ],
  },
  accepted: [],
  events: [
    {
      event: "prepared",
      by: "person:1",
      name: "Alice Example",
      at: "2026-10-05T09:12:51.204Z",
      reason: null,
      known_at: "2026-10-05T09:12:44.120381Z",
      pack_sha256: "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
    },
  ],
};
