import { counted } from "../core/counted.ts";
import { SECOND } from "../core/duration.ts";
import { plainIntervalMs, showLine } from "./terminal-line.ts";

export interface Progress {
  name: string;
  /** From 0 to 1. */
  share: number;
  pages: number;
  records: number;
}

const barWidth = 24;

/** A bar that redraws itself on a terminal; a plain line every few seconds otherwise. */
export function createProgressLine(now: () => number): { show(progress: Progress): void; end(): void } {
  const terminal = process.stderr.isTTY;
  const begunMs = now();
  let first: Progress | null = null;
  let lastMs = 0;
  return {
    show: (progress) => {
      first ??= progress;
      if (!terminal && now() - lastMs < plainIntervalMs) return;
      lastMs = now();
      const text = describe(progress, first, Math.max(1, lastMs - begunMs));
      if (terminal) showLine(text);
      else process.stderr.write(`${text}\n`);
    },
    end: () => {
      if (terminal && lastMs > 0) showLine("");
    },
  };
}

function describe(progress: Progress, first: Progress, elapsedMs: number): string {
  const filled = Math.round(progress.share * barWidth);
  const bar = "█".repeat(filled) + "░".repeat(barWidth - filled);
  const perSecond = Math.round(((progress.records - first.records) / elapsedMs) * SECOND);
  const gained = progress.share - first.share;
  const leftMs = gained > 0 ? ((1 - progress.share) / gained) * elapsedMs : null;
  const left = leftMs === null ? "" : `, ${Math.ceil(leftMs / SECOND)} s left`;
  return `${progress.name} ${bar} ${Math.floor(progress.share * 100)} %, ${counted(progress.pages, "page")}, ${perSecond} records/s${left}`;
}
