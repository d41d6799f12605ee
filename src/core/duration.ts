import { counted } from "./counted.ts";

const unitsMs = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

export const SECOND = unitsMs.s;
export const MINUTE = unitsMs.m;
export const HOUR = unitsMs.h;
export const DAY = unitsMs.d;

/** Reads `500ms`, `30s`, `15m`, `12h` or `7d`; `null` when the text is anything else. A bare number has no unit. */
export function parseDurationMs(text: string): number | null {
  const found = /^(\d{1,9})(ms|s|m|h|d)$/.exec(text);
  if (!found) return null;
  const [, count, unit] = found;
  return Number(count) * unitsMs[unit as keyof typeof unitsMs];
}

/** As people say it, to the second, in the largest unit that divides it evenly: `15 minutes`, `92 seconds`. */
export function durationWords(ms: number): string {
  const seconds = Math.round(ms / SECOND);
  for (const [unitMs, word] of [
    [DAY, "day"],
    [HOUR, "hour"],
    [MINUTE, "minute"],
  ] as const) {
    const count = (seconds * SECOND) / unitMs;
    if (count >= 1 && Number.isInteger(count)) return counted(count, word);
  }
  return counted(seconds, "second");
}
