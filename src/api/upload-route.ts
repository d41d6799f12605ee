import type { z } from "@hono/zod-openapi";
import type { Access } from "../access/access.ts";
import type { Caller } from "../access/caller.ts";
import type { Database } from "../store/database.ts";
import type { Api, ApiContext } from "./deps.ts";
import { uploadBytesMax } from "../reconcile/statement/limits.ts";
import { documentOperation, problemResponses } from "./document.ts";
import { answerOnce } from "./idempotency.ts";
import { refuseInput } from "./input.ts";
import type { Upload } from "./keep-upload.ts";
import { problem } from "./problem.ts";
import type { ProblemCode } from "./problem-codes.ts";
import { declareAccess, describeNeeds, everyRoute, sentAgain } from "./route.ts";
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
  readonly bytesMax: number;
  readonly response: {
    readonly description: string;
    readonly schema: z.ZodType;
    readonly example: unknown;
  };
  /** What 201 means; left out where nothing is made. */
  readonly created?: string;
  /** Beyond those that every upload has. */
  readonly errors: readonly ProblemCode[];
  take(input: {
    readonly c: ApiContext;
    readonly caller: Caller;
    readonly query: z.output<Query>;
    readonly upload: Upload;
    readonly database: Database;
  }): Promise<{ readonly body: object; readonly created: boolean }>;
}

export function addUploadRoute<Query extends z.ZodObject>(api: Api, route: UploadRoute<Query>): void {
  declareAccess(api, "post", route.path, route.access);
  api.app.post(route.path, async (c) => {
    const caller = c.get("caller");
    if (caller === undefined) throw problem("key_missing", "This needs an API key.");
    const query = readQuery(c, route.query);
    return withUpload(c, route, async (upload) => {
      // The body by its hash: it is compared with that of an earlier request, not read again.
      c.set("bodyText", upload.sha256);
      return answerOnce(api, c, caller, {}, async ({ database }) => {
        const { body, created } = await route.take({ c, caller, query, upload, database });
        return sendObject(c, body, created ? 201 : 200);
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
  const { description, schema, example } = route.response;
  const content = { "application/json": { schema, example } };
  const operation = {
    method: "post" as const,
    path: route.path,
    operationId: route.operationId,
    summary: route.summary,
    description: `${route.description} ${describeNeeds(route.access)}`,
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
      200: { description, content },
      ...(route.created === undefined ? {} : { 201: { description: route.created, content } }),
      ...problemResponses([
        "invalid_parameter",
        "unknown_parameter",
        ...route.errors,
        "unsupported_media_type",
        ...sentAgain,
        ...everyRoute,
        "query_too_slow",
      ]),
    },
  };
  documentOperation(api, operation, { tagged: true, once: true });
}

/** How files of providers and banks come. */
export const fileUpload = {
  bytesMax: uploadBytesMax,
  errors: ["account_required", "not_found", "statement_refused", "profile_invalid"],
} as const;

export function describeUpload(formats: string): string {
  return `The body is the file itself, at most 50 MB: ${formats} The same file again changes nothing.`;
}

export function importResponses(of: { schema: z.ZodType; example: unknown }, creates: boolean) {
  return {
    response: { description: "The preview; or the earlier import of the same file.", ...of },
    ...(creates ? { created: "The import." } : {}),
  };
}
