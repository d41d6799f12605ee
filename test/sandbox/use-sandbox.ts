import { afterAll, beforeAll } from "vitest";
import type { SandboxOptions } from "../../src/sandbox/options.ts";
import { startSandbox, type RunningSandbox } from "../../src/sandbox/server.ts";
import type { Switches } from "../../src/sandbox/switches.ts";

/** A clock that tests move by hand. */
interface TestClock {
  nowMs: number;
}

export interface SandboxUnderTest {
  readonly clock: TestClock;
  readonly url: string;
  readonly warnings: string[];
  /** Dialect and faults, to be changed while it runs. */
  readonly switches: Switches;
  /** GET with the key; the answer's status and JSON. */
  get(path: string, headers?: Record<string, string>): Promise<Answer>;
  post(path: string, body: unknown, headers?: Record<string, string>): Promise<Answer>;
}

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly json: unknown;
}

export const startOfTime = Date.parse("2026-11-02T10:00:00.000Z");
export const withKey = { authorization: "pk_sandbox" };
export const withSecret = { ...withKey, "x-service-secret": "sk_sandbox" };

/** One sandbox for the tests of a file, on a free port, over real HTTP. */
export function useSandbox(options: Partial<SandboxOptions> = {}): SandboxUnderTest {
  const clock: TestClock = { nowMs: startOfTime };
  const warnings: string[] = [];
  let running: RunningSandbox | undefined;
  beforeAll(async () => {
    running = await startSandbox({
      port: 0,
      now: () => clock.nowMs,
      transactions: 0,
      warn: (message) => warnings.push(message),
      ...options,
    });
  });
  afterAll(() => running?.close());
  const url = () => running?.url ?? "";
  return {
    clock,
    warnings,
    get url() {
      return url();
    },
    get switches() {
      if (!running) throw new Error("the sandbox has not started yet");
      return running.switches;
    },
    get: (path, headers = withKey) => ask(url() + path, { headers }),
    post: (path, body, headers = withKey) =>
      ask(url() + path, {
        method: "POST",
        headers: { "content-type": "application/json", ...headers },
        body: JSON.stringify(body),
      }),
  };
}

export async function ask(url: string, init: RequestInit = {}): Promise<Answer> {
  const response = await fetch(url, { redirect: "manual", ...init });
  const text = await response.text();
  const isJson = response.headers.get("content-type")?.includes("json") ?? false;
  return {
    status: response.status,
    headers: response.headers,
    text,
    json: isJson ? JSON.parse(text) : undefined,
  };
}
