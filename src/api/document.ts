import { z } from "@hono/zod-openapi";
import type { Api } from "./deps.ts";
import { type ProblemCode, problemCodes } from "./problem-codes.ts";

type Operation = Parameters<Api["app"]["openAPIRegistry"]["registerPath"]>[0];

/** What an operation takes and gives beside its parameters and its body. */
interface HeaderUse {
  /** Its answers have a tag; a caller who has that version already gets 304. */
  tagged?: boolean;
  /** A write: sent again with its Idempotency-Key, it is answered alike. */
  once?: boolean;
  /** A write that names the version it changes. */
  ifMatch?: IfMatch;
  /** Further ones of its success. */
  gives?: readonly HeaderName[];
}

/** `sometimes`: the body decides. */
export type IfMatch = "always" | "sometimes";

/** Adds an operation to the document, together with the headers and answers that all of its kind have. */
export function documentOperation(api: Api, operation: Operation, use: HeaderUse = {}): void {
  const { tagged, once, ifMatch } = use;
  const gives: HeaderName[] = [
    ...(use.gives ?? []),
    ...(tagged ? (["ETag", "Cache-Control"] as const) : []),
    ...(once ? (["Idempotent-Replayed"] as const) : []),
  ];
  const responses = Object.entries({
    ...operation.responses,
    ...(tagged && operation.method === "get" ? { 304: { description: notModified } } : {}),
    ...problemResponses(["host_unknown"]),
  }).map(([status, response]) => {
    const { content = {} } = response as { content?: object };
    const isAnswer = !(problemType in content);
    const headers: HeaderName[] = [
      "Request-Id",
      "Client-Request-Id",
      // Before anything is counted, a host that is not ours is refused.
      ...(status === "421" ? [] : (["RateLimit-Policy", "RateLimit"] as const)),
      ...(isAnswer ? gives : []),
      ...(status === "401" ? (["WWW-Authenticate"] as const) : []),
      ...(["429", "503"].includes(status) || (status === "409" && once) ? (["Retry-After"] as const) : []),
    ];
    return [status, { ...response, headers: Object.fromEntries(headers.map((name) => [name, refTo(name)])) }];
  });
  api.app.openAPIRegistry.registerPath({
    ...operation,
    parameters: [
      ...(tagged && operation.method === "get" ? [parameter("If-None-Match")] : []),
      ...(ifMatch === undefined ? [] : [parameter("If-Match", ifMatch === "always")]),
      ...(once ? [parameter("Idempotency-Key")] : []),
      parameter("Request-Id"),
    ],
    responses: Object.fromEntries(responses) as Operation["responses"],
  });
}

const problemType = "application/problem+json";
const notModified = "Unchanged: `If-None-Match` has its tag.";

const headersTaken = {
  "If-None-Match": {
    description: "The `ETag` of an earlier answer; if it still matches, the answer is 304 without a body.",
    schema: { type: "string" },
  },
  "If-Match": {
    description: "The `ETag` of the object as you read it: 412 if it has changed since, 428 if missing.",
    schema: { type: "string" },
  },
  "Idempotency-Key": {
    description: "A text of your choice, such as a UUID: the same request within a day gets the same answer.",
    schema: { type: "string", pattern: "^[!-~]{1,255}$" },
  },
  "Request-Id": {
    description: "Your name for the request: returned as `Client-Request-Id`, and logged.",
    schema: { type: "string", pattern: "^[A-Za-z0-9_-]{1,64}$" },
  },
} as const;

function parameter(name: keyof typeof headersTaken, required = false) {
  return { name, in: "header" as const, required, ...headersTaken[name] };
}

/** Every header of an answer that a program may go by. */
const headersGiven = {
  "Request-Id": "Our id of the request, as in the log and in problems.",
  "Client-Request-Id": "What the client called the request in `Request-Id`.",
  ETag: "The tag of the answer, for `If-None-Match`; for an object that several people change, also for `If-Match`.",
  "Cache-Control": "Whether the answer may be kept.",
  Location: "The address of the new object.",
  "Retry-After": "Seconds to wait before the next try.",
  "RateLimit-Policy": 'Requests (`q`) in so many seconds (`w`): `"default";q=100;w=60`.',
  RateLimit: 'Requests that are left (`r`) for so many seconds (`t`): `"default";r=42;t=17`.',
  "Idempotent-Replayed": "`true`: this is the answer to an earlier request with the same Idempotency-Key.",
  "WWW-Authenticate": "How to send a key.",
  "Content-Disposition": "The name of the file.",
  "Repr-Digest": "The SHA-256 of the file.",
  "Report-Rows": "How many rows the report has.",
  "Report-As-Of": "When the report was read.",
  "Report-Partial": "`true`: the period has gaps.",
  "Report-Prior-Known-At": "For a report that follows from a closed month: the `known_at` of that month.",
} as const;

export type HeaderName = keyof typeof headersGiven;

function refTo(name: HeaderName) {
  return { $ref: `#/components/headers/${name}` };
}

export function documentHeaders(api: Api): void {
  for (const [name, description] of Object.entries(headersGiven))
    api.app.openAPIRegistry.registerComponent("headers", name, { description, schema: { type: "string" } });
}

export const problemSchema = z
  .object({
    type: z.string().openapi({ example: "/docs/errors#invalid_parameter" }),
    title: z.string(),
    status: z.int(),
    code: z.string().describe("Stable; see /docs/errors."),
    detail: z.string(),
    instance: z.string(),
    param: z.string().optional(),
    errors: z.array(z.object({ path: z.string(), code: z.string(), message: z.string() })).optional(),
    request_id: z.string(),
  })
  .openapi("Problem");

/** One entry per status, listing the codes that it can stand for here. */
export function problemResponses(codes: readonly ProblemCode[]) {
  const byStatus = new Map<number, ProblemCode[]>();
  for (const code of new Set(codes)) {
    const { status } = problemCodes[code];
    byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  }
  return Object.fromEntries(
    [...byStatus].map(([status, listed]) => [
      status,
      {
        description: listed.map((code) => `\`${code}\`: ${problemCodes[code].meaning}`).join(" "),
        content: { [problemType]: { schema: problemSchema } },
      },
    ]),
  );
}
