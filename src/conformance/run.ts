import { type Check, type CheckGroup, Difference, NotApplicable } from "./check.ts";
import { checkGroups } from "./groups.ts";
import { type Statement, statement, statements } from "./statements.ts";
import { openTarget, type Target, type TargetOptions } from "./target.ts";

export interface ConformanceOptions extends TargetOptions {
  /** Allows the checks that leave something behind: a checkout intent, a started purchase. Nothing is ever paid. */
  readonly allowWrites: boolean;
  /** Names of groups and checks; all of them when left out. */
  readonly only?: readonly string[];
  readonly onResult?: (result: CheckResult) => void;
}

export interface CheckResult {
  readonly id: string;
  readonly group: string;
  /** The statements it is about, the foremost first. */
  readonly about: readonly Statement[];
  readonly outcome: Outcome;
}

export type Outcome =
  | { readonly verdict: "pass" }
  | { readonly verdict: "differ"; readonly request: string; readonly expected: string; readonly seen: string }
  | { readonly verdict: "not-applicable"; readonly why: string };

export interface ConformanceReport {
  readonly baseUrl: string;
  readonly legacyBaseUrl: string | null;
  readonly startedAt: string;
  readonly durationMs: number;
  readonly counts: { readonly pass: number; readonly differ: number; readonly notApplicable: number };
  readonly statements: StatementCounts;
  /** In the order of the specification, whatever finished first. */
  readonly results: readonly CheckResult[];
}

/** How the statements of the specification fared: one is broken by any check about it that differs. */
export interface StatementCounts {
  readonly kept: number;
  readonly broken: number;
  readonly notJudged: number;
}

/** The suite cannot start: the caller named something that does not exist, or there is no answer. */
export class ConformanceError extends Error {
  readonly code: "unknown_group" | "bad_address" | "unreachable";

  constructor(code: ConformanceError["code"], message: string, options: { cause?: unknown } = {}) {
    super(message, options);
    this.name = "ConformanceError";
    this.code = code;
  }
}

/** For `--only` and its help. */
export const conformanceGroups: readonly string[] = checkGroups.map((group) => group.name);

export function isConformanceName(name: string): boolean {
  return checkGroups.some((group) => group.name === name || group.checks.some(({ id }) => id === name));
}

const checksAtOnceMax = 8;

/** Holds a server against the specification. Differences are results; only a suite that cannot begin is an error. */
export async function runConformance(options: ConformanceOptions): Promise<ConformanceReport> {
  const planned = selectChecks(options.only);
  for (const address of [options.baseUrl, options.legacyBaseUrl ?? options.baseUrl]) assertAddress(address);
  const startedMs = options.now();
  const target = openTarget(options);
  try {
    await assertReachable(target, options.baseUrl);
    const results = await mapAtOnce(planned, checksAtOnceMax, async ({ group, check }) => {
      const outcome = redact(options, await judge(target, options, group, check));
      const about = check.about.map(statement);
      const result = { id: check.id, group: group.name, about, outcome };
      options.onResult?.(result);
      return result;
    });
    const count = (verdict: Outcome["verdict"]) =>
      results.filter((r) => r.outcome.verdict === verdict).length;
    return {
      baseUrl: options.baseUrl,
      legacyBaseUrl: options.legacyBaseUrl ?? null,
      startedAt: new Date(startedMs).toISOString(),
      durationMs: options.now() - startedMs,
      counts: { pass: count("pass"), differ: count("differ"), notApplicable: count("not-applicable") },
      statements: countStatements(results),
      results,
    };
  } finally {
    await target.close();
  }
}

function countStatements(results: readonly CheckResult[]): StatementCounts {
  const fates = statements.map(({ number }) => {
    const verdicts = new Set(
      results
        .filter(({ about }) => about.some((one) => one.number === number))
        .map((one) => one.outcome.verdict),
    );
    if (verdicts.has("differ")) return "broken";
    return verdicts.has("pass") ? "kept" : "notJudged";
  });
  const count = (fate: keyof StatementCounts) => fates.filter((one) => one === fate).length;
  return { kept: count("kept"), broken: count("broken"), notJudged: count("notJudged") };
}

function selectChecks(only: readonly string[] | undefined): { group: CheckGroup; check: Check }[] {
  const all = checkGroups.flatMap((group) => group.checks.map((check) => ({ group, check })));
  const unknown = only?.filter((name) => !isConformanceName(name)) ?? [];
  if (unknown.length > 0) {
    const known = conformanceGroups.join(", ");
    throw new ConformanceError("unknown_group", `no group ${unknown.join(", ")}; the groups are ${known}`);
  }
  return all.filter(({ group, check }) => !only || only.includes(group.name) || only.includes(check.id));
}

function assertAddress(address: string): void {
  if (URL.canParse(address) && /^https?:$/.test(new URL(address).protocol)) return;
  throw new ConformanceError("bad_address", `not an http address: ${JSON.stringify(address)}`);
}

/** Any answer will do, even a refusal: without one, every check would report the same thing. */
async function assertReachable(target: Target, baseUrl: string): Promise<void> {
  try {
    await target.ask({ path: "/supported" });
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new ConformanceError("unreachable", `${baseUrl} does not answer (${reason}); is it running?`, {
      cause,
    });
  }
}

async function judge(
  target: Target,
  options: ConformanceOptions,
  group: CheckGroup,
  check: Check,
): Promise<Outcome> {
  if (group.surface === "legacy" && target.legacyBaseUrl === null) {
    return { verdict: "not-applicable", why: "no address of the legacy surface given (--legacy-base-url)" };
  }
  if (group.writes && !options.allowWrites) {
    return { verdict: "not-applicable", why: "writes; needs --allow-writes" };
  }
  if (group.twoAccounts && target.other === null) {
    return { verdict: "not-applicable", why: "needs a second account (--other-api-key)" };
  }
  try {
    await check.run(target);
    return { verdict: "pass" };
  } catch (error) {
    if (error instanceof NotApplicable) return { verdict: "not-applicable", why: error.message };
    if (error instanceof Difference) {
      const { request, expected, seen } = error;
      return { verdict: "differ", request, expected, seen };
    }
    if (!isTransportError(error)) throw error;
    return { verdict: "differ", request: group.endpoint, expected: "an answer", seen: error.message };
  }
}

/** undici and the socket mark what they throw with a code; anything without one is our own mistake and must crash. */
function isTransportError(error: unknown): error is Error {
  return error instanceof Error && "code" in error && typeof error.code === "string";
}

/** A server may repeat what it was sent, in an error or in a record. The report must not. */
function redact(options: ConformanceOptions, outcome: Outcome): Outcome {
  const hide = (text: string) =>
    [options.apiSecret, options.apiKey, options.other?.apiSecret ?? "", options.other?.apiKey ?? ""]
      .filter((secret) => secret !== "")
      .reduce((left, secret) => left.replaceAll(secret, "•••"), text);
  if (outcome.verdict === "pass") return outcome;
  if (outcome.verdict === "not-applicable") return { ...outcome, why: hide(outcome.why) };
  return {
    ...outcome,
    request: hide(outcome.request),
    expected: hide(outcome.expected),
    seen: hide(outcome.seen),
  };
}

async function mapAtOnce<T, R>(
  items: readonly T[],
  atOnceMax: number,
  work: (item: T) => Promise<R>,
): Promise<R[]> {
  const results: R[] = Array.from({ length: items.length });
  let next = 0;
  const lane = async (): Promise<void> => {
    while (next < items.length) {
      const index = next++;
      results[index] = await work(items[index] as T);
    }
  };
  await Promise.all(Array.from({ length: atOnceMax }, lane));
  return results;
}
