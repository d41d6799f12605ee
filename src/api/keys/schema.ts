import { z } from "@hono/zod-openapi";
import { approvalStates } from "../../core/approvals.ts";
import { SECOND } from "../../core/duration.ts";
import { effectiveScopes, keyRoles } from "../../core/roles.ts";
import { scopes } from "../../core/scopes.ts";
import { type HeldKey, keyLifeMaxMs } from "../../store/people/api-keys.ts";
import { accountNames, textField } from "../body-fields.ts";
import { describeObject, time, withMembers } from "../object.ts";
import { referenceTo } from "../references.ts";

const scope = z.enum(scopes);
const secondsMax = keyLifeMaxMs / SECOND;

export const newKeySchema = z
  .strictObject({
    name: textField(200).openapi({ example: "month-end" }),
    role: z.enum(keyRoles).optional().describe("viewer if neither role nor scopes are given."),
    scopes: z
      .array(scope)
      .max(scopes.length)
      .optional()
      .describe("In addition to the role; without a role, exactly these."),
    accounts: accountNames.optional().describe("If left out: those of the key that creates it."),
    expires_in_seconds: z.int().min(1).max(secondsMax).optional(),
    replaces: z
      .string()
      .optional()
      .openapi({ description: "Id of the key that this one replaces.", example: "key_3fK9ZQ2b" }),
    overlap_seconds: z
      .int()
      .min(0)
      .max(secondsMax)
      .optional()
      .describe("How long both keys work; a day if left out."),
  })
  .openapi("NewKey");

export const key = describeObject({
  name: "Key",
  object: "key",
  members: {
    id: z.string(),
    name: z.string(),
    role: z.enum(keyRoles),
    scopes: z.array(scope),
    accounts: z.array(z.string()).nullable().describe("null: all of them."),
    last_four: z.string(),
    created_at: time,
    created_by: z.string(),
    created_by_name: z.string(),
    owner: z
      .string()
      .nullable()
      .describe(
        "The person responsible for it: the one who created it. It does not work while they are suspended.",
      ),
    owner_name: z.string().nullable(),
    expires_at: time.describe("At most a year after it was created."),
    last_used_at: time.nullable().describe("To the minute."),
    approval: z
      .string()
      .nullable()
      .describe("For an admin key, once there are two admins: it works when the other has approved this."),
    approval_state: z.enum(approvalStates).nullable(),
    unused: z.boolean().describe("Not used for 90 days. Find out why, or revoke it."),
    revoked_at: time.nullable(),
    replaces: z.string().nullable(),
  },
  present: (row: HeldKey) => ({
    id: `key_${row.id}`,
    scopes: effectiveScopes(row.role, row.scopes),
    owner: referenceTo("person", row.ownerId),
    approval: referenceTo("approval", row.approvalId),
    replaces: row.replaces === null ? null : `key_${row.replaces}`,
  }),
  example: {
    id: "3fK9ZQ2b",
    name: "month-end",
    role: "accountant",
    scopes: [],
    lastFour: "x8Kq",
    createdAt: "2026-11-14 09:00:00+00",
    createdBy: "person:1",
    createdByName: "Ada Lovelace",
    ownerId: 1,
    ownerName: "Ada Lovelace",
    expiresAt: "2027-02-12 09:00:00+00",
    unused: false,
    approvalId: null,
    replaces: null,
  },
});

export const presentKey = key.present;

export const createdKey = withMembers(
  key,
  "CreatedKey",
  {
    key: z.string().nullable().describe("The key itself; null in the answer to a repeated request."),
  },
  { key: "tieout_3fK9ZQ2b_…" },
);
