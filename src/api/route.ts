import { z } from "@hono/zod-openapi";
import type { AccountReader } from "../store/conditions.ts";
import { type Access, routeKey } from "../access/access.ts";
import type { Caller } from "../access/caller.ts";
import { type Api, type ApiContext, readerFor } from "./deps.ts";
import { documentOperation, type HeaderName, type IfMatch, problemResponses } from "./document.ts";
import { type AnsweredAlike, answerOnce, type Writing } from "./idempotency.ts";
import { fieldsAt } from "./fields-at.ts";
import { refuseInput } from "./input.ts";
import { problem } from "./problem.ts";
import type { ProblemCode } from "./problem-codes.ts";
import { readJsonBody } from "./request-body.ts";
import { accountFilter } from "./parameters.ts";
import { refuseUnknownAccounts } from "./choose-accounts.ts";

/** A route, described once: the schemas that check a request also document it. */
export interface Route<Params extends z.ZodObject, Query extends z.ZodObject, Body extends z.ZodType> {
  method: "get" | "post" | "put" | "patch" | "delete";
  /** In OpenAPI's spelling: `/v1/transactions/{id}`. */
  path: string;
  operationId: string;
  summary: string;
  description?: string;
  tag: string;
  /** Needs a key; what everyone may see is added by `addOpenRoute`. */
  access: Access;
  params?: Params;
  query?: Query;
  body?: Body;
  response: RouteResponse;
  /** Reads what is written here and not a replica of it: what was just made must be there. */
  fromPrimary?: true;
  /** Beyond those that every route has. */
  errors?: readonly ProblemCode[];
  /** Needs `If-Match`: several people may change what it changes. */
  ifMatch?: IfMatch;
  /** Creates something that several people may change: its tag is what `If-Match` takes. */
  makesVersioned?: true;
  /** Removes from a stored answer what may be shown only once. */
  forStorage?: (body: string) => string;
}

interface RouteResponse {
  status?: 200 | 201 | 202;
  description: string;
  /** JSON when left out. */
  contentType?: string;
  schema: z.ZodType;
  example: unknown;
  /** Headers of its own. */
  gives?: readonly HeaderName[];
  /** Where what was made is to be found. */
  location?: (made: { id: string }) => string;
}

export interface RouteInput<Params extends z.ZodObject, Query extends z.ZodObject, Body extends z.ZodType> {
  c: ApiContext;
  caller: Caller;
  reader: AccountReader;
  params: z.output<Params>;
  query: z.output<Query>;
  body: z.output<Body>;
  /** For routes that write; then `reader` reads through the same database. */
  writing: Writing;
}

/** Mounts a route and adds it to the document. */
export function addRoute<
  Params extends z.ZodObject = typeof nothing,
  Query extends z.ZodObject = typeof nothing,
  Body extends z.ZodType = z.ZodUndefined,
>(
  api: Api,
  route: Route<Params, Query, Body>,
  handler: (input: RouteInput<Params, Query, Body>) => Promise<Response> | Response,
): void {
  document(api, route);
  declareAccess(api, route.method, route.path, route.access);
  api.app.on(route.method.toUpperCase(), honoPath(route.path), async (c) => {
    const caller = c.get("caller");
    // The gate refuses requests without a caller; this is for the type.
    if (caller === undefined) throw problem("key_missing", "This needs an API key.");
    if (route.method === "get") {
      const input = await checkInput(route, c);
      const { database } = api.deps;
      const primary = { database, accountIds: caller.accountIds };
      const reader = route.fromPrimary === true ? primary : readerFor(api, caller);
      if (route.query?.shape["account"] === accountFilter)
        await refuseUnknownAccounts(reader, (input.query as { account?: string[] }).account);
      return handler({ c, caller, reader, writing: { database, afterwards: () => undefined }, ...input });
    }
    return answerOnce(api, c, caller, answeredAlike(route), async (writing) => {
      const input = await checkInput(route, c);
      const reader = { database: writing.database, accountIds: caller.accountIds };
      return handler({ c, caller, reader, writing, ...input });
    });
  });
}

function answeredAlike({ forStorage, ifMatch, makesVersioned, response }: WrittenAs): AnsweredAlike {
  return {
    ...(forStorage ? { forStorage } : {}),
    ...(response.location ? { location: response.location } : {}),
    isVersioned: ifMatch !== undefined || makesVersioned === true,
  };
}

type WrittenAs = Pick<
  Route<z.ZodObject, z.ZodObject, z.ZodType>,
  "forStorage" | "ifMatch" | "makesVersioned" | "response"
>;

export function declareAccess(api: Api, method: string, path: string, access: Access): void {
  api.access.set(routeKey(method.toUpperCase(), honoPath(path)), access);
}

const nothing = z.strictObject({});

function honoPath(path: string): string {
  return path.replaceAll(/\{(\w+)\}/g, ":$1");
}

async function checkInput<Params extends z.ZodObject, Query extends z.ZodObject, Body extends z.ZodType>(
  route: Route<Params, Query, Body>,
  c: ApiContext,
) {
  const given = route.body ? await readJsonBody(c) : undefined;
  const body = route.body?.safeParse(given);
  const parts = {
    path: (route.params ?? nothing).safeParse(c.req.param()),
    query: (route.query ?? nothing).safeParse(c.req.queries()),
    ...(body ? { body } : {}),
  };
  const known = {
    path: () => [],
    query: () => Object.keys((route.query ?? nothing).shape),
    body: (issue: z.core.$ZodIssue) => fieldsAt(route.body, issue.path, given),
  };
  const issues = Object.entries(parts).flatMap(([place, result]) =>
    result.success
      ? []
      : result.error.issues.map((issue) => ({
          place: place as keyof typeof known,
          issue,
          known: known[place as keyof typeof known](issue),
        })),
  );
  if (issues.length > 0) throw refuseInput(issues);
  return {
    params: parts.path.data as z.output<Params>,
    query: parts.query.data as z.output<Query>,
    body: body?.data as z.output<Body>,
  };
}

/** What every route with a key may answer. */
export const everyRoute: readonly ProblemCode[] = [
  "key_missing",
  "key_invalid",
  "key_expired",
  "scope_missing",
  "rate_limited",
  "internal_error",
  "not_ready",
];
/** What every write may answer. */
export const sentAgain: readonly ProblemCode[] = [
  "idempotency_in_progress",
  "idempotency_key_reused",
  "body_too_large",
];
const withBody: readonly ProblemCode[] = ["invalid_body", "unsupported_media_type"];

function document(api: Api, route: Route<z.ZodObject, z.ZodObject, z.ZodType>): void {
  const { method, path, operationId, summary, description, tag, access, params, query, body, response } =
    route;
  const codes: ProblemCode[] = [
    ...(query || params ? (["invalid_parameter", "unknown_parameter"] as const) : []),
    ...(route.errors ?? []),
    ...(route.ifMatch === undefined ? [] : (["precondition_required", "version_mismatch"] as const)),
    ...(method === "get" ? [] : sentAgain),
    ...(body ? withBody : []),
    ...everyRoute,
  ];
  const isFile = response.contentType !== undefined;
  // The mirror answers as the aggregator does, and secrets are shown once.
  const isTagged = !isFile && access.credentials !== "aggregator" && route.forStorage === undefined;
  const operation = {
    method,
    path,
    operationId,
    summary,
    description: [description, describeNeeds(access)].filter(Boolean).join(" "),
    tags: [tag],
    security:
      access.credentials === "aggregator"
        ? [{ aggregatorKey: [], aggregatorSecret: [] }]
        : [{ bearer: [] }, { basic: [] }],
    request: {
      ...(params ? { params } : {}),
      ...(query ? { query } : {}),
      ...(body ? { body: { content: { "application/json": { schema: body } }, required: true } } : {}),
    },
    responses: {
      [response.status ?? 200]: {
        description: response.description,
        content: {
          [response.contentType ?? "application/json"]: {
            schema: response.schema,
            example: response.example,
          },
        },
      },
      ...problemResponses(codes),
    },
  };
  documentOperation(api, operation, {
    tagged: isTagged,
    once: method !== "get",
    ...(route.ifMatch === undefined ? {} : { ifMatch: route.ifMatch }),
    gives: [
      ...(response.gives ?? []),
      ...(isTagged ? [] : (["Cache-Control"] as const)),
      ...(isFile ? (["Content-Disposition"] as const) : []),
      ...(response.location ? (["Location"] as const) : []),
    ],
  });
}

export function describeNeeds({ scopes, anyKey }: Access): string {
  if (scopes.length === 0) return anyKey === true ? "Needs any key." : "Needs no key.";
  return `Needs ${scopes.map((scope) => `\`${scope}\``).join(" and ")}.`;
}
