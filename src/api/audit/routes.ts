import { z } from "@hono/zod-openapi";
import { auditPaging, type AuditRow, listAudit } from "../../store/people/audit-log.ts";
import type { PageWanted } from "../../store/keyset.ts";
import type { Api } from "../deps.ts";
import { answerList, listExample, listOf, time } from "../list.ts";
import { listParameters, several } from "../parameters.ts";
import { isoTime, jsonWith } from "../present.ts";
import { addRoute } from "../route.ts";

export function addAuditRoute(api: Api): void {
  addRoute(
    api,
    {
      method: "get",
      path: "/v1/audit",
      operationId: "listAuditEntries",
      summary: "Who did what, newest first",
      description: "Each entry is chained to the one before by its hash; `tieout verify` checks the chain.",
      tag: "Administration",
      access: { scopes: ["audit:read"], wholeService: true },
      query: z.strictObject({
        ...listParameters,
        actor: several({ description: "Who.", example: "person:1" }),
        action: several({ description: "What was done.", example: "key.created" }),
        subject: several({ description: "To what.", example: "key_3fK9ZQ2b" }),
      }),
      response: {
        description: "A page of entries.",
        schema: listOf("AuditList", auditSchema),
        example: listExample("/v1/audit", auditExample),
      },
      errors: ["cursor_mismatch", "key_limited"],
    },
    (input) => {
      const read = (page: PageWanted) => listAudit(input.reader.database, input.query, page);
      return answerList(api, input, auditPaging, read, presentEntry);
    },
  );
}

function presentEntry(row: AuditRow): string {
  const entry = {
    object: "audit_entry",
    id: String(row.number),
    at: isoTime(row.at),
    actor: row.actor,
    actor_name: row.actorName,
    action: row.action,
    subject: row.subject,
    reason: row.reason,
    request_id: row.requestId,
    previous_hash: row.previousHash.toString("hex"),
    hash: row.hash.toString("hex"),
  };
  return jsonWith(entry, { before: row.before ?? "null", after: row.after ?? "null" });
}

const auditSchema = z
  .strictObject({
    object: z.literal("audit_entry"),
    id: z.string().openapi({ description: "Its number in the chain, without gaps." }),
    at: time,
    actor: z.string().openapi({ description: "`person:…`, `key:…`, `cli:…`, or the service itself." }),
    actor_name: z.string().openapi({ description: "Their name as it was then." }),
    action: z.string(),
    subject: z.string(),
    reason: z.string().nullable(),
    request_id: z.string().nullable(),
    previous_hash: z.string(),
    hash: z.string(),
    before: z.unknown(),
    after: z.unknown(),
  })
  .openapi("AuditEntry");

const auditExample = {
  object: "audit_entry",
  id: "42",
  at: "2026-11-14T09:00:00.000Z",
  actor: "person:1",
  actor_name: "Ada Lovelace",
  action: "key.created",
  subject: "key_x81LmN0p",
  reason: null,
  request_id: "4d3f6a52-0d8e-4a8e-9d55-6d2f0a1c9e77",
  previous_hash: "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
  hash: "2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae",
  before: null,
  after: { name: "month-end", role: "accountant" },
};
