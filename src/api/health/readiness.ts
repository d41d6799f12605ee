import { SECOND } from "../../core/duration.ts";
import { inOurWords } from "../../store/sql-errors.ts";

export interface ReadinessCheck {
  name: string;
  /** Whether the service can do its work without it. */
  critical: boolean;
  /** Whether it counts as critical for this reason, although it does not for others. */
  isCriticalFor?: (error: unknown) => boolean;
  /** Throws when it does not hold; may return a figure worth showing. */
  run: () => Promise<Record<string, number | string> | void>;
  /** How long it may take, where that is longer than for the others. */
  timeoutMs?: number;
}

export interface ReadinessReport {
  status: "ready" | "not_ready";
  checks: Record<string, CheckResult>;
}

interface CheckResult {
  state: "ok" | "failing";
  critical: boolean;
  duration_ms: number;
  /** What to do, when it is failing. */
  reason?: string;
  details?: Record<string, number | string>;
}

const checkTimeoutMs = 2 * SECOND;

/** All checks at once, each with a limit of its own: one dead dependency must not hide the state of the others. */
export async function checkReadiness(checks: ReadinessCheck[], now: () => number): Promise<ReadinessReport> {
  const results = await Promise.all(
    checks.map(
      async ({
        name,
        critical,
        isCriticalFor,
        run,
        timeoutMs = checkTimeoutMs,
      }): Promise<[string, CheckResult]> => {
        const begun = now();
        try {
          const details = await withTimeout(run(), timeoutMs);
          return [
            name,
            { state: "ok", critical, duration_ms: now() - begun, ...(details ? { details } : {}) },
          ];
        } catch (caught) {
          const error = inOurWords(caught);
          const reason = error instanceof Error ? error.message : "failed";
          const counts = critical || isCriticalFor?.(caught) === true;
          return [name, { state: "failing", critical: counts, duration_ms: now() - begun, reason }];
        }
      },
    ),
  );
  const broken = results.some(([, result]) => result.critical && result.state === "failing");
  return { status: broken ? "not_ready" : "ready", checks: Object.fromEntries(results) };
}

async function withTimeout<T>(work: Promise<T>, timeoutMs: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer within ${timeoutMs / SECOND} s`)), timeoutMs);
  });
  try {
    return await Promise.race([work, limit]);
  } finally {
    clearTimeout(timer);
  }
}
