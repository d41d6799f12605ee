import { randomBytes } from "node:crypto";
import { z } from "@hono/zod-openapi";
import { DAY, SECOND } from "../../core/duration.ts";
import { approvalStates } from "../../core/approvals.ts";
import { effectiveScopes, type KeyRole, keyRoles } from "../../core/roles.ts";
import { type Scope, scopes } from "../../core/scopes.ts";
import {
  createKey,
  type HeldKey,
  keyLifeMaxMs,
  keyPaging,
  listKeys,
  readKey,
  revokeKey,
} from "../../store/people/api-keys.ts";
import type { AccountReader } from "../../store/conditions.ts";
import { needs } from "../../access/access.ts";
import type { Caller } from "../../access/caller.ts";
import { lackingToGrant } from "../../access/decide.ts";
import { chooseAccounts } from "../choose-accounts.ts";
import type { Api } from "../deps.ts";
import { answerList, listExample, listOf, time } from "../list.ts";
import { listParameters } from "../parameters.ts";
import { isoTime } from "../present.ts";
import { problem } from "../problem.ts";
import { referenceTo } from "../references.ts";
import { addRoute } from "../route.ts";
import { sendObject } from "../send.ts";
import { authorOf } from "../send-file.ts";

const tag = "Administration";
const access = needs("keys:write");
const overlapDefaultSeconds = DAY / SECOND;

export function addKeyRoutes(api: Api): void {
  // Keys are read where they are written: one that was just made must be there.
  const own = ({ accountIds }: Caller): AccountReader => ({ database: api.deps.database, accountIds });

  addRoute(
    api,
    {
      method: "get",
      path: "/v1/keys",
      operationId: "listKeys",
      summary: "API keys, newest first, without their secrets",
      tag,
      access,
      query: z.strictObject(listParameters),
      response: {
        description: "A page of keys.",
        schema: listOf("KeyList", keySchema),
        example: listExample("/v1/keys", keyExample),
      },
      errors: ["cursor_mismatch"],
    },
    (input) =>
      answerList(
        api,
        input,
        keyPaging,
        (page) => listKeys(own(input.caller), page),
        (row) => JSON.stringify(presentKey(row)),
      ),
  );

  addRoute(
    api,
    {
      method: "post",
      path: "/v1/keys",
      operationId: "createKey",
      summary: "Makes an API key and shows it once",
      description:
        "A key cannot make one that may do more than itself, or that outlives it: left out, `expires_in_seconds` is a year, or that of the key that makes it. With `replaces`, the older key goes on for the overlap and then expires. Sent again with the same Idempotency-Key, the answer has `key: null`: it is kept nowhere.",
      tag,
      access,
      body: newKeySchema,
      response: {
        status: 201,
        description: "The key; the only time that it is shown.",
        schema: createdKeySchema,
        example: { ...keyExample, key: "tieout_3fK9ZQ2b_…" },
      },
      errors: ["not_found"],
      forStorage: (body) => JSON.stringify({ ...(JSON.parse(body) as object), key: null }),
    },
    async ({ c, caller, reader, writing, body }) => {
      const accountIds = await chooseAccounts(reader, body.accounts);
      const role: KeyRole = body.role ?? (body.scopes === undefined ? "viewer" : "custom");
      refuseMoreThanOwn(caller, effectiveScopes(role, body.scopes ?? []));
      const replaced = body.replaces === undefined ? null : await oneKey(reader, body.replaces);
      if (replaced) refuseAbove(caller, replaced);
      const { key, held } = await createKey(
        writing.database,
        api.deps.randomBytes ?? randomBytes,
        {
          name: body.name,
          role,
          scopes: body.scopes ?? [],
          accountIds,
          expiresInMs: body.expires_in_seconds === undefined ? null : body.expires_in_seconds * SECOND,
          ownerId: caller.personId,
          ...(caller.keyId === null ? {} : { madeWith: caller.keyId }),
          ...(replaced && {
            replaces: {
              id: replaced.id,
              overlapMs: (body.overlap_seconds ?? overlapDefaultSeconds) * SECOND,
            },
          }),
        },
        authorOf(c, caller),
      );
      if (replaced) writing.afterwards(async () => api.keys.forget(replaced.id));
      c.header("Cache-Control", "no-store");
      return c.body(JSON.stringify({ ...presentKey(held), key }), 201, {
        "content-type": "application/json; charset=utf-8",
      });
    },
  );

  addRoute(
    api,
    {
      method: "delete",
      path: "/v1/keys/{id}",
      operationId: "revokeKey",
      summary: "Revokes an API key, for ever",
      description:
        "Other processes of the service refuse it within a second. A key that may do more than this one cannot be revoked by it.",
      tag,
      access,
      params: z.strictObject({ id: z.string().openapi({ example: keyExample.id }) }),
      response: {
        description: "The key, revoked.",
        schema: keySchema,
        example: { ...keyExample, revoked_at: "2026-11-14T10:00:00.000Z" },
      },
      errors: ["not_found"],
    },
    async ({ c, caller, reader, writing, params }) => {
      const wanted = await oneKey(reader, params.id);
      refuseAbove(caller, wanted);
      const { id } = wanted;
      const held = await revokeKey(writing.database, id, authorOf(c, caller));
      writing.afterwards(async () => api.keys.forget(id));
      return sendObject(c, JSON.stringify(presentKey(held)));
    },
  );
}

async function oneKey(reader: AccountReader, id: string): Promise<HeldKey> {
  const found = /^key_([0-9A-Za-z]{8})$/.exec(id);
  const held = found ? await readKey(reader, found[1] ?? "") : null;
  if (held === null) throw problem("not_found", "There is no such key that you may see.");
  return held;
}

/** Otherwise whoever may make keys could make itself any key. */
function refuseMoreThanOwn(caller: Caller, wanted: readonly Scope[]): void {
  const { scopes: missing } = lackingToGrant(caller, { scopes: wanted, accountIds: caller.accountIds });
  if (missing.length === 0) return;
  throw problem("scope_missing", `You lack ${missing.join(", ")}, so you cannot give it to another.`, {
    scopes: missing,
  });
}

/** Otherwise whoever may make keys could take them from those who may do more. */
function refuseAbove(caller: Caller, { role, scopes: held }: HeldKey): void {
  const above = effectiveScopes(role, held).filter((one) => !caller.scopes.has(one));
  if (above.length === 0) return;
  throw problem(
    "scope_missing",
    `That key may do what you may not (${above.join(", ")}), so you cannot end it.`,
    { scopes: above },
  );
}

export function presentKey(row: HeldKey) {
  return {
    object: "key",
    id: `key_${row.id}`,
    name: row.name,
    role: row.role,
    scopes: effectiveScopes(row.role, row.scopes),
    accounts: row.accounts,
    last_four: row.lastFour,
    created_at: isoTime(row.createdAt),
    created_by: row.createdBy,
    created_by_name: row.createdByName,
    owner: referenceTo("person", row.ownerId),
    owner_name: row.ownerName,
    expires_at: isoTime(row.expiresAt),
    last_used_at: isoTime(row.lastUsedAt),
    unused: row.unused,
    approval: referenceTo("approval", row.approvalId),
    approval_state: row.approvalState,
    revoked_at: isoTime(row.revokedAt),
    replaces: row.replaces === null ? null : `key_${row.replaces}`,
  };
}

const scope = z.enum(scopes);
const secondsMax = keyLifeMaxMs / SECOND;

const newKeySchema = z
  .strictObject({
    name: z
      .string()
      .trim()
      .min(1)
      .max(200)
      .regex(/^[^\0]*$/, "holds a NUL character")
      .openapi({ example: "month-end" }),
    role: z
      .enum(keyRoles)
      .optional()
      .openapi({ description: "viewer when neither role nor scopes are given." }),
    scopes: z
      .array(scope)
      .max(scopes.length)
      .optional()
      .openapi({ description: "Beyond the role; without a role exactly these." }),
    accounts: z
      .array(z.string().regex(/^[^\0]+$/))
      .min(1)
      .max(100)
      .optional()
      .openapi({ description: "Left out: those of the key that makes it." }),
    expires_in_seconds: z.int().min(1).max(secondsMax).optional(),
    replaces: z
      .string()
      .optional()
      .openapi({ description: "Id of the key that this one takes over from.", example: "key_3fK9ZQ2b" }),
    overlap_seconds: z
      .int()
      .min(0)
      .max(secondsMax)
      .optional()
      .openapi({ description: "How long both are good; a day when left out." }),
  })
  .openapi("NewKey");

const keySchema = z
  .strictObject({
    object: z.literal("key"),
    id: z.string(),
    name: z.string(),
    role: z.enum(keyRoles),
    scopes: z.array(scope),
    accounts: z.array(z.string()).nullable().openapi({ description: "null: all of them." }),
    last_four: z.string(),
    created_at: time,
    created_by: z.string(),
    created_by_name: z.string(),
    owner: z.string().nullable().openapi({
      description:
        "The person who answers for it: whoever made it. While they are suspended it does not work.",
    }),
    owner_name: z.string().nullable(),
    expires_at: time.openapi({ description: "A year after it was made at the latest." }),
    last_used_at: time.nullable().openapi({ description: "To the minute." }),
    approval: z.string().nullable().openapi({
      description: "Of an admin key, once there are two admins: it works when the other has approved this.",
    }),
    approval_state: z.enum(approvalStates).nullable(),
    unused: z.boolean().openapi({ description: "Not used for 90 days. Revoke it, or find out why." }),
    revoked_at: time.nullable(),
    replaces: z.string().nullable(),
  })
  .openapi("Key");

const createdKeySchema = z
  .strictObject({
    ...keySchema.shape,
    key: z
      .string()
      .nullable()
      .openapi({ description: "The key itself; null when the request is answered again." }),
  })
  .openapi("CreatedKey");

const keyExample = {
  object: "key",
  id: "key_3fK9ZQ2b",
  name: "month-end",
  role: "accountant",
  scopes: effectiveScopes("accountant", []),
  accounts: null,
  last_four: "x8Kq",
  created_at: "2026-11-14T09:00:00.000Z",
  created_by: "person:1",
  created_by_name: "Ada Lovelace",
  owner: "per_1",
  owner_name: "Ada Lovelace",
  expires_at: "2027-02-12T09:00:00.000Z",
  last_used_at: null,
  unused: false,
  approval: null,
  approval_state: null,
  revoked_at: null,
  replaces: null,
};
