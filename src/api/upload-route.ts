import type { z } from "@hono/zod-openapi";
import type { Access } from "../access/access.ts";
import type { Caller } from "../access/caller.ts";
import { uploadBytesMax } from "../reconcile/statement/limits.ts";
import type { Database } from "../store/database.ts";
import type { Api, ApiContext } from "./deps.ts";
import { answerOnce } from "./idempotency.ts";
import { refuseInput } from "./input.ts";
import type { Upload } from "./keep-upload.ts";
import { problem } from "./problem.ts";
import type { ProblemCode } from "./problem-codes.ts";
import { declareAccess, problemResponses } from "./route.ts";
import { binaryFile } from "./send-file.ts";
import { sendObject } from "./send.ts";
import { withUpload } from "./upload.ts";

/** A route whose body is a file: it is taken to disk first, and then read as often as needed. */
export interface UploadRoute<Query extends z.ZodObject> {
  readonly path: string;
  readonly operationId: string;
  readonly summary: string;
  readonly description: string;
  readonly tag: string;
  readonly access: Access;
  readonly query: Query;
  /** In what forms the file may come. */
  readonly contentTypes: readonly string[];
  readonly response: { readonly schema: z.ZodType; readonly example: unknown };
  /** `false`: a preview, which writes nothing. */
  readonly creates: boolean;
  take(input: {
    readonly c: ApiContext;
    readonly caller: Caller;
    readonly query: z.output<Query>;
    readonly upload: Upload;
    readonly database: Database;
  }): Promise<{ readonly body: unknown; readonly created: boolean }>;
}

export function addUploadRoute<Query extends z.ZodObject>(api: Api, route: UploadRoute<Query>): void {
  declareAccess(api, "post", route.path, route.access);
  api.app.post(route.path, async (c) => {
    const caller = c.get("caller");
    if (caller === undefined) throw problem("key_missing", "This needs an API key.");
    const query = readQuery(c, route.query);
    return withUpload(c, { bytesMax: uploadBytesMax }, async (upload) => {
      // The body by its hash: it is compared with that of an earlier request, not read again.
      c.set("bodyText", upload.sha256);
      return answerOnce(api, c, caller, { forStorage: (body) => body }, async ({ database }) => {
        const { body, created } = await route.take({ c, caller, query, upload, database });
        return sendObject(c, JSON.stringify(body), created ? 201 : 200);
      });
    });
  });
  describeRoute(api, route);
}

function readQuery<Query extends z.ZodObject>(c: ApiContext, schema: Query): z.output<Query> {
  const query = schema.safeParse(c.req.queries());
  if (query.success) return query.data;
  const known = Object.keys(schema.shape);
  throw refuseInput(query.error.issues.map((issue) => ({ place: "query", issue, known })));
}

function describeRoute<Query extends z.ZodObject>(api: Api, route: UploadRoute<Query>): void {
  const content = { "application/json": route.response };
  const scopes = route.access.scopes.map((scope) => `\`${scope}\``).join(" and ");
  api.app.openAPIRegistry.registerPath({
    method: "post",
    path: route.path,
    operationId: route.operationId,
    summary: route.summary,
    description: `The body is the file itself, at most 50 MB: ${route.description} The same file again changes nothing. Needs ${scopes}.`,
    tags: [route.tag],
    security: [{ bearer: [] }, { basic: [] }],
    request: {
      query: route.query,
      body: {
        required: true,
        content: Object.fromEntries(route.contentTypes.map((type) => [type, { schema: binaryFile }])),
      },
    },
    responses: {
      200: { description: "The preview; or the earlier import of the same file.", content },
      ...(route.creates ? { 201: { description: "The import.", content } } : {}),
      ...problemResponses(uploadProblems),
    },
  });
}

const uploadProblems: readonly ProblemCode[] = [
  "invalid_parameter",
  "unknown_parameter",
  "account_required",
  "not_found",
  "body_too_large",
  "unsupported_media_type",
  "statement_refused",
  "profile_invalid",
  "idempotency_in_progress",
  "idempotency_key_reused",
  "key_missing",
  "key_invalid",
  "key_expired",
  "scope_missing",
  "rate_limited",
  "internal_error",
  "not_ready",
  "query_too_slow",
];
