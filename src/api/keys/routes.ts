import { randomBytes } from "node:crypto";
import { z } from "@hono/zod-openapi";
import { DAY, SECOND } from "../../core/duration.ts";
import { effectiveScopes, type KeyRole } from "../../core/roles.ts";
import type { Scope } from "../../core/scopes.ts";
import {
  createKey,
  type HeldKey,
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
import { addList } from "../list.ts";
import { problem } from "../problem.ts";
import { addRoute } from "../route.ts";
import { sendObject, sendSecret } from "../send.ts";
import { createdKey, key, newKeySchema } from "./schema.ts";
import { authorOf } from "../send-file.ts";

const tag = "Administration";
const access = needs("keys:write");
const overlapDefaultSeconds = DAY / SECOND;

export function addKeyRoutes(api: Api): void {
  addList(
    api,
    {
      path: "/v1/keys",
      operationId: "listKeys",
      summary: "API keys, newest first, without their secrets",
      tag,
      access,
      name: "KeyList",
      of: key,
      page: "A page of keys.",
      fromPrimary: true,
    },
    ({ reader }) => ({
      paging: keyPaging,
      read: (page) => listKeys(reader, page),
      present: key.present,
    }),
  );

  addRoute(
    api,
    {
      method: "post",
      path: "/v1/keys",
      operationId: "createKey",
      summary: "Creates an API key and shows it once",
      description:
        "A key cannot create one that may do more than itself, or that outlives it. If `expires_in_seconds` is left out, the new key expires in a year, or with the key that creates it. With `replaces`, the older key keeps working for the overlap and then expires. If the request is repeated with the same Idempotency-Key, the answer has `key: null`, because the key is not stored.",
      tag,
      access,
      body: newKeySchema,
      response: {
        status: 201,
        description: "The key; it is shown only this once.",
        ...createdKey,
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
      const { key: secret, held } = await createKey(
        writing.database,
        api.deps.randomBytes ?? randomBytes,
        {
          name: body.name,
          role,
          scopes: body.scopes ?? [],
          accountIds,
          expiresInMs: body.expires_in_seconds === undefined ? null : body.expires_in_seconds * SECOND,
          ownerId: caller.personId,
          vouchedBy: caller.vouchedBy,
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
      return sendSecret(c, { ...key.present(held), key: secret }, 201);
    },
  );

  addRoute(
    api,
    {
      method: "delete",
      path: "/v1/keys/{id}",
      operationId: "revokeKey",
      summary: "Revokes an API key permanently",
      description:
        "Other processes of the service refuse it within a second. A key cannot revoke one that may do more than itself.",
      tag,
      access,
      params: z.strictObject({ id: z.string().openapi({ example: key.example.id }) }),
      response: {
        description: "The key, revoked.",
        schema: key.schema,
        example: { ...key.example, revoked_at: "2026-11-14T10:00:00.000Z" },
      },
      errors: ["not_found"],
    },
    async ({ c, caller, reader, writing, params }) => {
      const wanted = await oneKey(reader, params.id);
      refuseAbove(caller, wanted);
      const { id } = wanted;
      const held = await revokeKey(writing.database, id, authorOf(c, caller));
      writing.afterwards(async () => api.keys.forget(id));
      return sendObject(c, key.present(held));
    },
  );
}

async function oneKey(reader: AccountReader, id: string): Promise<HeldKey> {
  const found = /^key_([0-9A-Za-z]{8})$/.exec(id);
  const held = found ? await readKey(reader, found[1] ?? "") : null;
  if (held === null) throw problem("not_found", "There is no such key that you may see.");
  return held;
}

/** Otherwise a key that may make keys could make one that may do anything. */
function refuseMoreThanOwn(caller: Caller, wanted: readonly Scope[]): void {
  const { scopes: missing } = lackingToGrant(caller, { scopes: wanted, accountIds: caller.accountIds });
  if (missing.length === 0) return;
  throw problem("scope_missing", `You lack ${missing.join(", ")}, so you cannot give it to another.`, {
    scopes: missing,
  });
}

/** Otherwise a key that may make keys could revoke keys that may do more. */
function refuseAbove(caller: Caller, { role, scopes: held }: HeldKey): void {
  const above = effectiveScopes(role, held).filter((one) => !caller.scopes.has(one));
  if (above.length === 0) return;
  throw problem(
    "scope_missing",
    `That key may do what you may not (${above.join(", ")}), so you cannot end it.`,
    { scopes: above },
  );
}
