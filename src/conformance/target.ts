import { setTimeout as sleep } from "node:timers/promises";
import { Agent, request as send } from "undici";

/** The server under test. Requests are raw on purpose: the typed client refuses to make the wrong ones. */
export interface Target {
  /** Address of the legacy surface; `null` without one. */
  readonly legacyBaseUrl: string | null;
  /** The second account; `null` without one. */
  readonly other: Credentials | null;
  readonly now: () => number;
  ask(request: TargetRequest): Promise<Answer>;
  /** Work that several checks need is done once a run, so that the server gets no more requests than necessary. */
  once<T>(name: string, work: () => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

export interface TargetRequest {
  readonly method?: "GET" | "POST" | "PUT";
  /** A path of the current surface, a path of the legacy one, or a whole URL that the server gave us. */
  readonly path: string;
  readonly surface?: "current" | "legacy" | "absolute";
  readonly query?: Readonly<Record<string, string>>;
  /** The second account asks. */
  readonly asOther?: boolean;
  /** What to send in `Authorization` and `x-service-secret`; `null` leaves the header out. */
  readonly key?: string | null;
  readonly secret?: string | null;
  readonly body?: string | Uint8Array;
  readonly contentType?: string;
  /** Ask again even if the same question was asked before. */
  readonly fresh?: boolean;
}

export interface Answer {
  /** Method, path and query; never a header, so never a secret. */
  readonly request: string;
  readonly status: number;
  readonly text: string;
  /** `undefined` when the body is not JSON. */
  readonly json: unknown;
  readonly contentType: string;
  readonly bytes: Uint8Array;
}

export interface Credentials {
  readonly apiKey: string;
  readonly apiSecret: string;
}

export interface TargetOptions extends Credentials {
  readonly baseUrl: string;
  readonly legacyBaseUrl?: string;
  /** A second account of the same server, for the checks that one sees nothing of the other. */
  readonly other?: Credentials;
  readonly now: () => number;
}

const connectionsMax = 8;
const timeoutMs = 30_000;
const bodyBytesMax = 64 * 1024 * 1024;
const triesMax = 4;
const pauseMsMin = 50;
const pauseMsMax = 15_000;

export function openTarget(options: TargetOptions): Target {
  const agent = new Agent({
    connections: connectionsMax,
    connect: { timeout: 10_000 },
    headersTimeout: timeoutMs,
    bodyTimeout: timeoutMs,
    maxResponseSize: bodyBytesMax,
  });
  const shared = new Map<string, Promise<unknown>>();

  function once<T>(name: string, work: () => Promise<T>): Promise<T> {
    const started = (shared.get(name) as Promise<T> | undefined) ?? work();
    shared.set(name, started);
    return started;
  }

  async function askNow(request: TargetRequest): Promise<Answer> {
    const url = urlOf(options, request);
    const method = request.method ?? "GET";
    const name = `${method} ${nameOf(options, url)}`;
    for (let tries = 1; ; tries++) {
      const response = await send(url, {
        dispatcher: agent,
        method,
        headers: headersOf(options, request, url),
        ...(request.body === undefined ? {} : { body: request.body }),
      });
      const bytes = await response.body.bytes();
      const text = new TextDecoder().decode(bytes);
      const { statusCode: status } = response;
      // A server that asks for patience, or stumbles once, is not yet one that differs. After a 5xx something may have
      // happened all the same, so only a read is repeated.
      const again = status === 429 || (status >= 500 && method === "GET");
      if (again && tries < triesMax) {
        await sleep(pauseMs(response.headers["retry-after"], { tries, nowMs: options.now() }));
        continue;
      }
      const contentType = String(response.headers["content-type"] ?? "");
      return { request: name, status, text, json: parseOrUndefined(text), contentType, bytes };
    }
  }

  return {
    legacyBaseUrl: options.legacyBaseUrl ?? null,
    other: options.other ?? null,
    now: options.now,
    once,
    ask: (request) =>
      request.fresh || (request.method ?? "GET") !== "GET"
        ? askNow(request)
        : once(`ask ${JSON.stringify(request)}`, () => askNow(request)),
    close: () => agent.close(),
  };
}

function urlOf(options: TargetOptions, request: TargetRequest): URL {
  const base = request.surface === "legacy" ? (options.legacyBaseUrl ?? "") : options.baseUrl;
  const url = new URL(
    request.surface === "absolute" ? request.path : base.replace(/\/+$/, "") + request.path,
  );
  for (const [name, value] of Object.entries(request.query ?? {})) url.searchParams.set(name, value);
  return url;
}

function nameOf(options: TargetOptions, url: URL): string {
  const base = [options.legacyBaseUrl, options.baseUrl].find((b) => b !== undefined && belongsTo(b, url));
  const path = base === undefined ? url.pathname : url.pathname.slice(pathOf(base).length);
  // A step's address may hold a sealed order of hundreds of characters, which tells a reader nothing.
  const short = path.replaceAll(/[^/]{40,}/g, (part) => `${part.slice(0, 12)}…`);
  return decodeURIComponentOr(short + url.search);
}

function headersOf(options: TargetOptions, request: TargetRequest, url: URL): Record<string, string> {
  const headers: Record<string, string> = { accept: "application/json" };
  if (request.body !== undefined) headers["content-type"] = request.contentType ?? "application/json";
  // A step may lead to a provider's own host, which must never learn the account's key.
  const ours = belongsTo(options.baseUrl, url) || belongsTo(options.legacyBaseUrl ?? options.baseUrl, url);
  if (!ours) return headers;
  const account = request.asOther ? (options.other ?? options) : options;
  if (request.key !== null) headers["authorization"] = request.key ?? account.apiKey;
  const secret = request.secret === undefined ? defaultSecret(account, request) : request.secret;
  if (secret !== null) headers["x-service-secret"] = secret;
  return headers;
}

/** The secret travels only to the two endpoints that are specified to carry it. */
function defaultSecret({ apiSecret }: Credentials, request: TargetRequest): string | null {
  const current = (request.surface ?? "current") === "current";
  return current && /^\/transactions(\/|$)/.test(request.path) ? apiSecret : null;
}

function belongsTo(base: string, url: URL): boolean {
  const path = pathOf(base);
  return (
    new URL(base).origin === url.origin && (url.pathname === path || url.pathname.startsWith(`${path}/`))
  );
}

function pathOf(base: string): string {
  return new URL(base).pathname.replace(/\/+$/, "");
}

function decodeURIComponentOr(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** `Retry-After` in both its forms, seconds and a date; a short pause where there is none. */
function pauseMs(retryAfter: string | string[] | undefined, at: { tries: number; nowMs: number }): number {
  const text = String(retryAfter ?? "");
  const waitMs = /^\d+$/.test(text) ? Number(text) * 1000 : Date.parse(text) - at.nowMs;
  return Number.isNaN(waitMs) ? pauseMsMin * at.tries : Math.min(Math.max(waitMs, pauseMsMin), pauseMsMax);
}

/** Plain `JSON.parse`: the checks judge kinds and bounds, and no amount read here is kept. */
function parseOrUndefined(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
