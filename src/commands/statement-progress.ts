import { type StatementSource, tellingSource } from "../reconcile/statement/source.ts";
import type { CommandContext } from "./context.ts";
import { plainIntervalMs, showLine } from "./terminal-line.ts";

const barWidth = 24;
const terminalIntervalMs = 200;

/** Shows how far the reading of a file has come: a bar on a terminal, a line every few seconds otherwise. */
export function showReading(
  { now, say }: Pick<CommandContext, "now" | "say">,
  source: StatementSource,
  size: number,
): { source: StatementSource; matching: () => void; end: () => void } {
  const terminal = process.stderr.isTTY;
  const intervalMs = terminal ? terminalIntervalMs : plainIntervalMs;
  let lastMs = now();
  let shown = false;
  const show = (text: string) => {
    lastMs = now();
    shown = true;
    if (terminal) showLine(text);
    else say(text);
  };
  return {
    source: tellingSource(source, size, ({ share, isForHash }) => {
      const what = isForHash ? "looking at it" : "reading";
      if (now() - lastMs >= intervalMs) show(`${source.name}: ${what} ${barOf(share)}`);
    }),
    matching: () => {
      if (shown) show(`${source.name}: matching its lines`);
    },
    end: () => {
      if (terminal && shown) showLine("");
    },
  };
}

function barOf(share: number): string {
  const filled = Math.round(share * barWidth);
  return `${"█".repeat(filled)}${"░".repeat(barWidth - filled)} ${Math.floor(share * 100)} %`;
}
