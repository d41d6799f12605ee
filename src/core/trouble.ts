import { MINUTE } from "./duration.ts";

/** Something that keeps failing while its cause lasts, such as a connection. */
export interface Trouble {
  /** It failed. What has the same kind as the last time is the same trouble, in whatever words. */
  came(reason: string, kind?: string): void;
  /** It worked again. */
  over: () => void;
}

interface TroubleLog {
  info(fields: object): void;
  warn(fields: object): void;
}

/** Thousands of equal lines would fill the disk, and hide all others. */
const tellAgainMs = 10 * MINUTE;
/** What has not come for this long was over, also where nothing says so. */
const quietMs = MINUTE;

/**
 * Tells a trouble when it begins, when it becomes another one, now and then while it lasts (with how often it came
 * meanwhile), and when it is over.
 */
export function createTrouble(deps: { log: TroubleLog; now: () => number }, fields: object): Trouble {
  let told: { kind: string; toldMs: number; cameMs: number; untold: number } | null = null;
  return {
    came(reason, kind = reason) {
      const nowMs = deps.now();
      const lasts = told?.kind === kind && nowMs - told.cameMs < quietMs;
      if (told && lasts && nowMs - told.toldMs < tellAgainMs) {
        told.cameMs = nowMs;
        told.untold++;
        return;
      }
      const meanwhile = told === null || told.untold === 0 ? {} : { untold: told.untold };
      told = { kind, toldMs: nowMs, cameMs: nowMs, untold: 0 };
      deps.log.warn({ ...fields, reason, ...meanwhile });
    },
    over() {
      if (told === null) return;
      const { untold } = told;
      told = null;
      deps.log.info({ ...fields, state: "over", ...(untold === 0 ? {} : { untold }) });
    },
  };
}
