import { createHash } from "node:crypto";
import { type Database, joinTransaction } from "../store/database.ts";
import { claimIdempotencyKey, keepAnswer } from "../store/people/idempotency.ts";
import type { Caller } from "../access/caller.ts";
import type { Api, ApiContext } from "./deps.ts";
import { versionTag } from "./if-match.ts";
import { problem } from "./problem.ts";
import { readBodyText } from "./request-body.ts";
import { tagOf } from "./send.ts";

/** What a write is done with. */
export interface Writing {
  /** Everything is read and written through this: with an Idempotency-Key it is one database transaction with the answer. */
  database: Database;
  /** For what others may see only when the change is there, such as waking a worker. Its failure changes no answer. */
  afterwards: (step: () => Promise<void>) => void;
}

/** How an answer is kept, and what belongs to it beside its body: that is found out again from the body. */
export interface AnsweredAlike {
  /** Takes out of an answer what may be shown only once. */
  forStorage?: (body: string) => string;
  /** Where what was made is to be found. */
  location?: (made: { id: string }) => string;
  /** Its tag is the version that the object shows. */
  isVersioned?: boolean;
}

/**
 * Answers a write once. The same key and request again: the first answer again. What is written and the answer that is
 * kept are one database transaction, so neither is ever without the other. Refusals and failures changed nothing and are
 * not kept.
 */
export async function answerOnce(
  api: Api,
  c: ApiContext,
  caller: Caller,
  options: AnsweredAlike,
  answer: (writing: Writing) => Promise<Response>,
): Promise<Response> {
  const { database } = api.deps;
  const steps: (() => Promise<void>)[] = [];
  const afterwards: Writing["afterwards"] = (step) => void steps.push(step);
  const key = readKey(c);
  const response =
    key === null
      ? await answer({ database, afterwards })
      : await answerInside(api, c, { actor: caller.actor, key }, options, (inside) =>
          answer({ database: inside, afterwards }),
        );
  if (options.location && response.ok) {
    const made = (await response.clone().json()) as { id: string };
    response.headers.set("Location", options.location(made));
  }
  for (const step of steps) {
    await step().catch((error: unknown) =>
      api.deps.log.error({ event: "step_after_write_failed", request_id: c.get("requestId"), err: error }),
    );
  }
  return response;
}

async function answerInside(
  api: Api,
  c: ApiContext,
  owner: { actor: string; key: string },
  options: AnsweredAlike,
  answer: (inside: Database) => Promise<Response>,
): Promise<Response> {
  const request = { ...owner, fingerprint: fingerprintOf(c.req.method, c.req.url, await readBodyText(c)) };
  return api.deps.database.transaction(async (tx, client) => {
    const claim = await claimIdempotencyKey(tx, request);
    switch (claim.state) {
      case "other_request":
        throw problem(
          "idempotency_key_reused",
          "This Idempotency-Key was used with another request. Use a new one.",
        );
      case "in_progress":
        throw problem(
          "idempotency_in_progress",
          "The first request with this Idempotency-Key is still being answered.",
          { headers: { "Retry-After": "1" } },
        );
      case "answered": {
        const { status, contentType, body } = claim.answer;
        return new Response(body, {
          status,
          headers: {
            "content-type": contentType,
            ...headersAgain(body, options),
            "Idempotent-Replayed": "true",
          },
        });
      }
      case "first":
        break;
    }
    const response = await answer(joinTransaction(tx, client));
    const text = await response.clone().text();
    const body = options.forStorage?.(text) ?? text;
    const contentType = response.headers.get("content-type") ?? "application/json";
    await keepAnswer(tx, request, { status: response.status, contentType, body });
    return response;
  });
}

/** As in the first answer; of a versioned object, a tag of the same version. */
function headersAgain(body: string, { forStorage, isVersioned }: AnsweredAlike): Record<string, string> {
  if (forStorage) return { "Cache-Control": "no-store" };
  const headers = { "Cache-Control": "private, no-cache" };
  if (!isVersioned) return { ...headers, ETag: tagOf(body) };
  const { version } = JSON.parse(body) as { version?: unknown };
  return typeof version === "number" ? { ...headers, ETag: versionTag(version, body) } : headers;
}

function readKey(c: ApiContext): string | null {
  const key = c.req.header("idempotency-key");
  if (key === undefined) return null;
  if (/^[\x21-\x7e]{1,255}$/.test(key)) return key;
  throw problem(
    "invalid_parameter",
    "Idempotency-Key holds 1 to 255 visible ASCII characters, for example a UUID.",
    { param: "Idempotency-Key" },
  );
}

function fingerprintOf(method: string, url: string, body: string): Buffer {
  const { pathname, search } = new URL(url);
  return createHash("sha256").update(`${method} ${pathname}${search}\n${body}`).digest();
}
