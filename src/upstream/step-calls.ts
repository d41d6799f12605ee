import { type Problem, UpstreamError } from "./errors.ts";
import { writeExactJson } from "./exact-json.ts";
import type { BaseUrl } from "./base-url.ts";
import type { CallOptions } from "./http.ts";
import { problemsIn } from "./refusal.ts";
import { holdsStep, readStep, type Step } from "./steps.ts";
import type { Surface } from "./surface.ts";

export type StepAnswer =
  | { readonly kind: "step"; readonly step: Step }
  | { readonly kind: "problems"; readonly problems: readonly Problem[] };

/** The two requests that steps are made of. Never repeated: whether a form was taken before a reset is unknown. */
export interface StepCalls {
  post(url: string, body: Readonly<Record<string, unknown>>): Promise<StepAnswer>;
  put(url: string, file: { bytes: Uint8Array; contentType: string }): Promise<StepAnswer>;
}

export function createStepCalls(surface: Surface, base: BaseUrl, call?: CallOptions): StepCalls {
  const send = async (request: {
    method: "POST" | "PUT";
    url: string;
    contentType: string;
    body: string | Uint8Array;
  }): Promise<StepAnswer> => {
    const { method, body } = request;
    const template = "step";
    const path = pathBelow(base, request.url, `${method} ${template}`);
    const headers = { ...surface.headers, "content-type": request.contentType };
    try {
      const answer = await surface.http.send(
        { method, template, path, headers, body, call: { ...call, attemptsMax: 1 } },
        readAnswer,
      );
      return answer.value;
    } catch (error) {
      // The status of a form with a wrong field is not shown; what the body says about it is.
      if (error instanceof UpstreamError && error.code === "bad_request" && error.problems.length > 0) {
        return { kind: "problems", problems: error.problems };
      }
      throw error;
    }
  };
  return {
    post: (url, body) =>
      send({ method: "POST", url, contentType: "application/json", body: writeExactJson(body) }),
    put: (url, file) => send({ method: "PUT", url, contentType: file.contentType, body: file.bytes }),
  };
}

function readAnswer(body: unknown): StepAnswer {
  if (!holdsStep(body)) {
    const problems = problemsIn(body);
    if (problems.length > 0) return { kind: "problems", problems };
  }
  return { kind: "step", step: readStep(body) };
}

/** The path of a step's address below the legacy surface's own. We send nothing to any other server. */
function pathBelow(base: BaseUrl, url: string, endpoint: string): string {
  const root = `${base.origin}${base.path}/`;
  const target = URL.canParse(url, root) ? new URL(url, root) : null;
  if (target?.origin !== base.origin || !target.pathname.startsWith(`${base.path}/`)) {
    const host = target?.host ?? "no host";
    throw new UpstreamError("url_refused", `leads away from the legacy surface, to ${host}`, { endpoint });
  }
  return target.pathname.slice(base.path.length) + target.search;
}
