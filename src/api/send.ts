import { createHash } from "node:crypto";
import type { ContentfulStatusCode } from "hono/utils/http-status";
import type { ApiContext } from "./deps.ts";
import { versionTag } from "./if-match.ts";

/** One object: its tag is strong, because the same tag means the same bytes. */
export function sendObject(
  c: ApiContext,
  object: object | string,
  status: ContentfulStatusCode = 200,
): Response {
  const json = typeof object === "string" ? object : JSON.stringify(object);
  return send(c, json, tagOf(json), status);
}

export function tagOf(json: string): string {
  return `"${digestOf(json)}"`;
}

/** One object that several people may change: its tag is what `If-Match` takes. */
export function sendVersioned(
  c: ApiContext,
  object: { version: number },
  status: ContentfulStatusCode = 200,
): Response {
  const json = JSON.stringify(object);
  return send(c, json, versionTag(object.version, json), status);
}

/** One object with a secret in it: must not be cached. */
export function sendSecret(c: ApiContext, object: object, status: ContentfulStatusCode = 200): Response {
  const headers = { "Cache-Control": "no-store", "content-type": "application/json; charset=utf-8" };
  return c.body(JSON.stringify(object), status, headers);
}

/** A list: its tag is weak, because it only says that the content is equivalent. */
export function sendListText(c: ApiContext, json: string): Response {
  return send(c, json, `W/"${digestOf(json)}"`, 200);
}

function send(c: ApiContext, json: string, etag: string, status: ContentfulStatusCode): Response {
  const headers = { ETag: etag, "Cache-Control": "private, no-cache" };
  // Of what was written the client has no copy, whatever it says: it has to be told what became of it.
  const isRead = c.req.method === "GET" || c.req.method === "HEAD";
  if (isRead && status === 200 && isKnown(c.req.header("if-none-match"), etag))
    return c.body(null, 304, headers);
  return c.body(json, status, { ...headers, "content-type": "application/json; charset=utf-8" });
}

/** A weak comparison, as RFC 9110 asks of this header. */
function isKnown(ifNoneMatch: string | undefined, etag: string): boolean {
  if (ifNoneMatch === undefined) return false;
  return ifNoneMatch.trim() === "*" || ifNoneMatch.split(",").some((tag) => bare(tag) === bare(etag));
}

function bare(tag: string): string {
  return tag.trim().replace(/^W\//, "");
}

function digestOf(json: string): string {
  return createHash("sha256").update(json).digest("base64url").slice(0, 27);
}
