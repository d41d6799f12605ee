import { createHash } from "node:crypto";
import { claimIdempotencyKey, forgetIdempotencyKey, keepAnswer } from "../store/idempotency.ts";
import type { Caller } from "./caller.ts";
import type { Api, ApiContext } from "./deps.ts";
import { problem } from "./problem.ts";
import { readBodyText } from "./request-body.ts";

const keyForm = /^[\x21-\x7e]{1,255}$/;

/**
 * Answers a write once. The same key and request again: the first answer again. Refusals and failures changed nothing and
 * are not kept. `forStorage` takes out of an answer what may be shown only once.
 */
export async function answerOnce(
  api: Api,
  c: ApiContext,
  caller: Caller,
  options: { forStorage: (body: string) => string },
  answer: () => Promise<Response>,
): Promise<Response> {
  const key = c.req.header("idempotency-key");
  if (key === undefined) return answer();
  if (!keyForm.test(key)) {
    throw problem(
      "invalid_parameter",
      "Idempotency-Key holds 1 to 255 visible ASCII characters, for example a UUID.",
      {
        param: "Idempotency-Key",
      },
    );
  }
  const { database } = api.deps;
  const request = { apiKeyId: caller.keyId, key };
  const fingerprint = fingerprintOf(c.req.method, c.req.url, await readBodyText(c));
  const claim = await claimIdempotencyKey(database, { ...request, fingerprint });
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
        {
          headers: { "Retry-After": "1" },
        },
      );
    case "answered": {
      const { status, contentType, body } = claim.answer;
      return new Response(body, {
        status,
        headers: { "content-type": contentType, "Idempotent-Replayed": "true" },
      });
    }
    case "first":
      break;
  }
  try {
    const response = await answer();
    const body = options.forStorage(await response.clone().text());
    const contentType = response.headers.get("content-type") ?? "application/json";
    await keepAnswer(database, request, { status: response.status, contentType, body });
    return response;
  } catch (error) {
    await forgetIdempotencyKey(database, request).catch(() => undefined);
    throw error;
  }
}

function fingerprintOf(method: string, url: string, body: string): Buffer {
  const { pathname, search } = new URL(url);
  return createHash("sha256").update(`${method} ${pathname}${search}\n${body}`).digest();
}
