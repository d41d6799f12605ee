import { randomBytes } from "node:crypto";
import { afterAll, beforeAll } from "vitest";
import { createApi } from "../../src/api/app.ts";
import type { Api, ApiDeps } from "../../src/api/deps.ts";
import { type Listening, listen } from "../../src/api/listen.ts";
import type { KeyRole } from "../../src/core/roles.ts";
import { createKey, type KeyToMake } from "../../src/store/people/api-keys.ts";
import type { Database } from "../../src/store/database.ts";
import type { TestDatabase } from "../support/test-database.ts";

export interface ApiUnderTest {
  readonly url: string;
  readonly api: Api;
  readonly log: Record<string, unknown>[];
  get(path: string, key: string | null, headers?: Record<string, string>): Promise<Answer>;
  send(
    method: string,
    path: string,
    key: string | null,
    body: unknown,
    headers?: Record<string, string>,
  ): Promise<Answer>;
}

export interface Answer {
  status: number;
  headers: Headers;
  text: string;
  json: Record<string, unknown>;
}

/** Enough for any test that does not ask about limits. */
const generous = { quota: 1_000_000, windowSeconds: 60 };

/** The API over real HTTP, on the test file's own database. */
export function useApi(database: TestDatabase, more: Partial<ApiDeps> = {}): ApiUnderTest {
  const log: Record<string, unknown>[] = [];
  let listening: Listening | undefined;
  let api: Api | undefined;
  beforeAll(async () => {
    api = createApi(testDeps(database.db, log, more));
    listening = await listen({ host: "127.0.0.1", port: 0 });
    listening.serve(api.app.fetch);
  });
  afterAll(() => listening?.close());
  const url = () => listening?.url ?? "";
  const ask = async (path: string, init: RequestInit): Promise<Answer> => {
    const response = await fetch(url() + path, init);
    const text = await response.text();
    const isJson = /[/+]json\b/.test(response.headers.get("content-type") ?? "");
    const json = (isJson && text !== "" ? JSON.parse(text) : {}) as Record<string, unknown>;
    return { status: response.status, headers: response.headers, text, json };
  };
  return {
    log,
    get url() {
      return url();
    },
    get api() {
      if (!api) throw new Error("the API exists inside tests and hooks only");
      return api;
    },
    get: (path, key, headers = {}) => ask(path, { headers: { ...bearer(key), ...headers } }),
    send: (method, path, key, body, headers = {}) =>
      ask(path, {
        method,
        headers: { "content-type": "application/json", ...bearer(key), ...headers },
        ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) }),
      }),
  };
}

function testDeps(
  database: Database,
  log: object[],
  { rateLimits, ...more }: Partial<ApiDeps> = {},
): ApiDeps {
  return {
    now: Date.now,
    newRequestId: () => "made-1",
    version: { version: "1.2.3" },
    readiness: [],
    database,
    rateLimits: {
      default: generous,
      mirror: generous,
      refused: generous,
      visitor: generous,
      download: generous,
      probe: generous,
      ...rateLimits,
    },
    metrics: {
      observeRequest: () => undefined,
      render: async () => ({ contentType: "text/plain", body: "figures" }),
    },
    log: { info: (fields) => log.push({ ...fields }), error: (fields) => log.push({ ...fields }) },
    ...more,
  };
}

export async function aKey(
  database: Database,
  role: KeyRole,
  more: Partial<KeyToMake> = {},
): Promise<string> {
  const wanted = { name: `a ${role}`, role, scopes: [], accountIds: null, expiresInMs: null, ...more };
  return (await createKey(database, randomBytes, wanted, { actor: "test" })).key;
}

function bearer(key: string | null): Record<string, string> {
  return key === null ? {} : { authorization: `Bearer ${key}` };
}
