/** One request and its answer, tried again where that is safe. Whatever goes wrong becomes an `UpstreamError`. */
import type { BaseUrl } from "./base-url.ts";
import { UnexpectedBody, UpstreamError } from "./errors.ts";
import { parseExactJson } from "./exact-json.ts";
import { type Exchange, type Exchanged, isSuccess, type Limits } from "./exchange.ts";
import type { LeaveOut } from "./lists.ts";
import { bodyDetail, type Redact } from "./redact.ts";
import { codeOfStatus, isFromBetween, isPassing, readProblems } from "./refusal.ts";
import { parseHttpDate, parseRetryAfter } from "./http-date.ts";
import { type RetryDeps, withRetries } from "./retry.ts";
import { transportError } from "./transport-error.ts";

export interface HttpDeps extends RetryDeps {
  readonly now: () => number;
  /** Told of every attempt, for those who count and compare clocks. */
  readonly onAttempt?: (attempt: Attempt) => void;
}

/** One request as it went, without anything that was said in it. */
export interface Attempt {
  /** Method and path template. */
  readonly endpoint: string;
  /** The HTTP status, or the code of what happened in place of an answer. */
  readonly outcome: string;
  readonly sentAtMs: number;
  readonly endedAtMs: number;
  /** The server's clock, from its `Date` header. */
  readonly serverDateMs: number | null;
}

/** What a caller may say about any call. */
export interface CallOptions {
  readonly signal?: AbortSignal;
  /** 1 switches our own retries off, for a caller that paces itself. */
  readonly attemptsMax?: number;
  /**
   * Told of each item of a list that is not as specified: which, and what is wrong with it. Such items are left out;
   * without this function, the first of them fails the call, so that nothing is missing silently.
   */
  readonly onLeftOut?: (item: string) => void;
}

interface HttpRequest {
  readonly method: "GET" | "POST" | "PUT";
  /** The path as the specification writes it: the name of the endpoint in errors. */
  readonly template: string;
  /** The path as it is sent, percent-encoded, below the surface's own. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string | null | undefined>>;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  readonly call?: CallOptions | undefined;
}

export interface HttpAnswer<T> {
  readonly value: T;
  /** The server's clock, from its `Date` header, in milliseconds since 1970. */
  readonly serverDateMs: number | null;
}

export interface Http {
  /** `read` checks the parsed body, and throws `UnexpectedBody` when it is of another shape. */
  send<T>(request: HttpRequest, read: ReadBody<T>): Promise<HttpAnswer<T>>;
}

/** `leaveOut` is `null` when nothing may be left out. */
type ReadBody<T> = (body: unknown, leaveOut: LeaveOut | null) => T;

export interface HttpOptions {
  readonly exchange: Exchange;
  readonly base: BaseUrl;
  readonly limits: Limits;
  readonly attemptsMax: number;
  readonly redact: Redact;
}

export function createHttp(deps: HttpDeps, options: HttpOptions): Http {
  return {
    send: (request, read) => {
      const signal = request.call?.signal;
      const attemptsMax = request.call?.attemptsMax ?? options.attemptsMax;
      return withRetries(deps, { attemptsMax, signal }, () => attempt(deps, options, request, read));
    },
  };
}

async function attempt<T>(
  deps: HttpDeps,
  options: HttpOptions,
  request: HttpRequest,
  read: ReadBody<T>,
): Promise<HttpAnswer<T>> {
  const endpoint = `${request.method} ${request.template}`;
  const { answer, serverDateMs } = await observed(deps, endpoint, () => exchange(options, request, endpoint));
  const { status, bytes } = answer;
  if (!isSuccess(status)) throw refused(deps, options, request, { endpoint, answer, serverDateMs });
  const text = decode(bytes);
  const detail = () => bodyDetail(options.redact, text ?? new TextDecoder("latin1").decode(bytes));
  // A gateway's page or half a body: the next answer may be whole.
  const notJson = (why: string) =>
    new UpstreamError("body_not_json", `answered ${status} with a body that ${why}`, {
      endpoint,
      status,
      retry: isSafe(request),
      detail: detail(),
    });
  // The word may be in any letters, and some servers send the header without one.
  const coding = (answer.header("content-encoding") ?? "").trim().toLowerCase();
  if (coding !== "" && coding !== "identity") throw notJson("is compressed");
  if (text === null) throw notJson("is not UTF-8");
  let body: unknown;
  try {
    body = parseExactJson(text);
  } catch {
    throw notJson("is not JSON");
  }
  const onLeftOut = request.call?.onLeftOut;
  const leaveOut = onLeftOut ? (item: string) => onLeftOut(`${endpoint}: ${options.redact(item)}`) : null;
  try {
    return { value: read(body, leaveOut), serverDateMs };
  } catch (error) {
    if (!(error instanceof UnexpectedBody)) throw error;
    // Redacted like the body: a field's path is made of the server's own keys.
    throw new UpstreamError(error.code, options.redact(error.message), {
      endpoint,
      status,
      retry: error.retry && isSafe(request),
      field: error.field === null ? null : options.redact(error.field),
      detail: detail(),
    });
  }
}

/** Reports how the exchange went; a response counts by its status, whatever its body turns out to be. */
async function observed(deps: HttpDeps, endpoint: string, exchanging: () => Promise<Exchanged>) {
  const sentAtMs = deps.now();
  const told = (outcome: string, serverDateMs: number | null) =>
    deps.onAttempt?.({ endpoint, outcome, sentAtMs, endedAtMs: deps.now(), serverDateMs });
  try {
    const answer = await exchanging();
    const serverDateMs = parseHttpDate(answer.header("date") ?? "", sentAtMs);
    told(String(answer.status), serverDateMs);
    return { answer, serverDateMs };
  } catch (error) {
    told(error instanceof UpstreamError ? error.code : "unknown", null);
    throw error;
  }
}

async function exchange(options: HttpOptions, request: HttpRequest, endpoint: string): Promise<Exchanged> {
  const deadline = AbortSignal.timeout(options.limits.deadlineMs);
  const given = request.call?.signal;
  try {
    return await options.exchange({
      origin: options.base.origin,
      path: options.base.path + request.path + queryText(request.query ?? {}),
      method: request.method,
      headers: { accept: "application/json", ...request.headers },
      body: request.body ?? null,
      signal: given === undefined ? deadline : AbortSignal.any([deadline, given]),
    });
  } catch (error) {
    throw transportError(error, {
      endpoint,
      retry: isSafe(request),
      aborted: given?.aborted ?? false,
      bodyBytesMax: options.limits.bodyBytesMax,
      redact: options.redact,
    });
  }
}

/** Reading changes nothing, so it may be repeated. Whether a checkout was made before the line went dead is unknown. */
function isSafe(request: HttpRequest): boolean {
  return request.method === "GET";
}

interface Refused {
  readonly endpoint: string;
  readonly answer: Exchanged;
  readonly serverDateMs: number | null;
}

function refused(
  deps: HttpDeps,
  options: HttpOptions,
  request: HttpRequest,
  refusal: Refused,
): UpstreamError {
  const { endpoint, answer, serverDateMs } = refusal;
  const { status } = answer;
  const decoded = decode(answer.bytes);
  const text = decoded ?? "";
  if (isFromBetween(status, decoded)) {
    const what = `answered ${status} with ${mediaType(answer)} that is not an error of the aggregator`;
    const { redact } = options;
    return new UpstreamError(
      "body_not_json",
      redact(`${what}: something in between, such as a firewall, refuses`),
      {
        endpoint,
        status,
        retry: isSafe(request),
        detail: bodyDetail(redact, text),
      },
    );
  }
  const problems = readProblems(options.redact(text));
  const retryAfter = answer.header("retry-after");
  // A date is measured against the server's own clock where it shows it: ours may be minutes off.
  const retryAfterMs = retryAfter === null ? null : parseRetryAfter(retryAfter, serverDateMs ?? deps.now());
  const said = problems.map(({ message, field }) => (field === null ? message : `${field}: ${message}`));
  const wait = retryAfterMs === null ? [] : [`retry after ${Math.ceil(retryAfterMs / 1000)} s`];
  return new UpstreamError(
    codeOfStatus(status, { sentCursor: typeof request.query?.["cursor"] === "string" }),
    [`answered ${status}`, ...wait, ...said].join("; "),
    {
      endpoint,
      status,
      // 429 was refused before anything happened, whatever the method.
      retry: isPassing(status) && (isSafe(request) || status === 429),
      retryAfterMs,
      field: problems.find(({ field }) => field !== null)?.field ?? null,
      problems,
      detail: bodyDetail(options.redact, text),
    },
  );
}

/** What the header says, if it is short and well formed. */
function mediaType(answer: Exchanged): string {
  const [type] = (answer.header("content-type") ?? "").split(";", 1);
  return /^[\w.+-]{1,40}\/[\w.+-]{1,40}$/.exec(type?.trim() ?? "")?.[0] ?? "a body of an unnamed type";
}

/** A byte order mark is dropped; bytes that are not UTF-8 give `null`, because guessing would change names. */
function decode(bytes: Uint8Array): string | null {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return null;
  }
}

function queryText(query: Readonly<Record<string, string | null | undefined>>): string {
  const given = Object.entries(query).filter((pair): pair is [string, string] => typeof pair[1] === "string");
  return given.length === 0 ? "" : `?${new URLSearchParams(given).toString()}`;
}
