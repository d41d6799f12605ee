import { z } from "@hono/zod-openapi";
import { roles } from "../../core/roles.ts";
import { type Scope, scopes } from "../../core/scopes.ts";
import type { Person } from "../../store/people/people.ts";
import { accountNames } from "../body-fields.ts";
import { describeObject, time, withMembers } from "../object.ts";
import { referenceTo } from "../references.ts";

const role = z.enum(roles);
const text = z.string().max(200);
export const states = ["invited", "active", "suspended"] as const;

export const person = describeObject({
  name: "Person",
  object: "person",
  members: {
    id: z.string(),
    name: z.string(),
    email: z.string(),
    roles: z.array(role),
    accounts: z.array(z.string()).nullable().describe("null: all of them."),
    state: z.enum(states),
    created_at: time,
    created_by: z.string(),
    created_by_name: z.string(),
    activated_at: time.nullable().describe("When they first signed in."),
    suspended_at: time.nullable(),
    last_seen_at: time.nullable().describe("When they last used the page, to the minute."),
  },
  present: (row: Person) => ({ id: referenceTo("person", row.id) }),
  example: {
    id: 2,
    name: "Grace Hopper",
    email: "grace@example.com",
    roles: ["accountant"],
    state: "active",
    createdAt: "2026-11-14 09:00:00+00",
    createdBy: "person:1",
    createdByName: "Ada Lovelace",
    activatedAt: "2026-11-14 09:05:00+00",
    lastSeenAt: "2026-11-14 10:00:00+00",
  },
});

export const presentPerson = person.present;

export const linkedPerson = withMembers(
  person,
  "PersonWithLink",
  {
    link: z
      .string()
      .nullable()
      .describe("Signs them in once; pass it on to them. null in the answer to a repeated request."),
  },
  { link: "http://127.0.0.1:8080/sign-in?link=…" },
);

export const newPersonSchema = z
  .strictObject({
    name: text.openapi({ example: "Grace Hopper" }),
    email: text.openapi({ example: "grace@example.com" }),
    roles: z.array(role).min(1).max(roles.length),
    accounts: accountNames
      .nullable()
      .optional()
      .describe("Left out: those of the person who invites; null: all of them."),
  })
  .openapi("NewPerson");

export const changedPersonSchema = z
  .strictObject({ roles: newPersonSchema.shape.roles, accounts: accountNames.nullable().optional() })
  .openapi("PersonRoles");

/** Who asks. */
interface Me {
  actor: string;
  name: string;
  person: typeof person.example | null;
  keyId: string | null;
  scopes: Scope[];
  accounts: string[] | null;
}

export const me = describeObject({
  name: "Caller",
  object: "caller",
  members: {
    actor: z.string().describe("As the audit log names you."),
    name: z.string(),
    person: person.schema.nullable().describe("You, or the owner of the key; null: it has none."),
    key: z.string().nullable(),
    scopes: z.array(z.enum(scopes)),
    accounts: z.array(z.string()).nullable().describe("null: all of them."),
  },
  present: ({ keyId }: Me) => ({ key: keyId === null ? null : `key_${keyId}` }),
  example: {
    actor: "key:3fK9ZQ2b",
    name: "month-end",
    person: person.example,
    keyId: "3fK9ZQ2b",
    scopes: ["transactions:read", "reconcile:read"],
  },
});
