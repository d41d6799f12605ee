import type { StatementSource } from "../reconcile/statement/source.ts";
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
  let passes = 0;
  async function* watched(): AsyncGenerator<Buffer> {
    // The first pass is for the hash of the file alone, and takes no time to speak of.
    const what = passes++ === 0 ? "looking at it" : "reading";
    let bytes = 0;
    for await (const piece of source.bytes()) {
      bytes += piece.length;
      if (now() - lastMs >= intervalMs) show(`${source.name}: ${what} ${barOf(bytes / Math.max(1, size))}`);
      yield piece;
    }
  }
  return {
    source: { name: source.name, bytes: watched },
    matching: () => {
      if (shown) show(`${source.name}: matching its lines`);
    },
    end: () => {
      if (terminal && shown) showLine("");
    },
  };
}

function barOf(share: number): string {
  const filled = Math.round(Math.min(1, share) * barWidth);
  return `${"█".repeat(filled)}${"░".repeat(barWidth - filled)} ${Math.floor(Math.min(1, share) * 100)} %`;
}
